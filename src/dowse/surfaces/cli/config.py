"""Show every effective setting and its source: flag, environment, file, contract or default. Secrets are masked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby

from pydantic import SecretStr

from dowse.secrets.redact import MASK, Redactor
from dowse.settings import sources
from dowse.settings.contracts import CONTRACTS
from dowse.settings.declare import Setting
from dowse.settings.model import value_of
from dowse.settings.sources import ConfigFile, Loaded
from dowse.surfaces.cli import DONE, USAGE, session
from dowse.surfaces.cli.session import dump_json
from dowse.surfaces.cli.terminal import align, style

_DEFAULT, _CONTRACT = "default", "contract"


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """One setting as it is in force: `value` as it was written, and `given_as` the name that it was found under."""

    name: str
    value: str | None
    source: str
    given_as: str
    default: str | None
    about: str
    group: str


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("config", help="show every setting and where it comes from", description=__doc__)
    parser.add_argument("--changed", action="store_true", help="leave out settings that have their default")
    about = "show the settings of this contract"
    parser.add_argument("--contract", choices=list(CONTRACTS), metavar="NAME", help=about)
    parser.add_argument("--json", action="store_true", help="print the settings as one JSON object")
    session.common_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    flags = {"DOWSE_LOG_LEVEL": arguments.log_level, "DOWSE_CONTRACT": arguments.contract}
    loaded = sources.examine(flags, config=arguments.config)
    redactor = Redactor(loaded.settings.secrets())
    effective = list(_collect(loaded, redactor))
    if arguments.changed:
        effective = [each for each in effective if each.source != _DEFAULT]
    for problem in (*(f"warning: {warning}" for warning in loaded.warnings), *loaded.problems):
        print(f"dowse: {redactor.message(problem)}", file=sys.stderr)
    print(_dump(effective, loaded.file) if arguments.json else _show(effective, loaded.file))
    return USAGE if loaded.problems else DONE


def _dump(effective: list[EffectiveSetting], file: ConfigFile) -> str:
    path = str(file.path) if file.path else None
    return dump_json({"file": path, "settings": list(map(asdict, effective))})


def _collect(loaded: Loaded, redactor: Redactor) -> Iterator[EffectiveSetting]:
    """Every setting in the order of the documentation, without secrets."""
    for setting in loaded.settings.declared:
        value, source, given_as = _find(setting, loaded)
        value = MASK if _is_secret(setting, loaded) else value and redactor.message(value)
        default = _as_written(setting.default)
        yield EffectiveSetting(setting.variables[0], value, source, given_as, default, setting.about, setting.group)


def _find(setting: Setting, loaded: Loaded) -> tuple[str | None, str, str]:
    """The value of a setting as it was written, its source, and the name it was found under."""
    if given := loaded.given.get(setting):
        return _as_written(given.value), given.source, given.shown_name
    contract = loaded.settings.contract
    if len(setting.path) == 1 and setting.path[0] in CONTRACTS[contract].defaults:
        return _as_written(CONTRACTS[contract].defaults[setting.path[0]]), _CONTRACT, contract
    if setting.path == ("state",):
        return sources.state_address(loaded.settings), _DEFAULT, ""
    return _as_written(setting.default), _DEFAULT, ""


def _is_secret(setting: Setting, loaded: Loaded) -> bool:
    given = loaded.given.get(setting)
    is_hidden = isinstance(value_of(loaded.settings, setting), SecretStr)
    return given is not None and (is_hidden or sources.may_hold_secret(setting, given))


def _as_written(value: object) -> str | None:
    """A value in the form that a variable takes; `None` if it is not set."""
    if value is None or value == "":
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def _show(effective: list[EffectiveSetting], file: ConfigFile) -> str:
    rows = align([[f"  {each.name}", _describe_source(each), each.value or "(not set)"] for each in effective])
    blocks = [_describe_file(file)]
    for group, members in groupby(zip(effective, rows, strict=True), lambda line: line[0].group):
        blocks.append("\n".join([style(group, "bold"), *(_colour(each, row) for each, row in members)]))
    return "\n\n".join(blocks)


def _describe_file(file: ConfigFile) -> str:
    return f"file: {file.path}" if file.path else f"file: none; looked for {' and '.join(map(str, file.looked_for))}"


def _colour(each: EffectiveSetting, line: str) -> str:
    return style(line, "dim") if each.source == _DEFAULT else line


def _describe_source(each: EffectiveSetting) -> str:
    """Such as `environment`, or with the name where that is another: `environment LOG_LEVEL`, `contract jan`."""
    return each.source if each.given_as in ("", each.name) else f"{each.source} {each.given_as}"
