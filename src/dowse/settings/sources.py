"""The only reader of the environment: flag over environment over `dowse.toml` over default."""

from __future__ import annotations

import difflib
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dowse.core.errors import ConfigError
from dowse.core.text import one_line
from dowse.settings.coherence import is_harmless, make_coherent
from dowse.settings.contracts import CONTRACTS
from dowse.settings.declare import Setting
from dowse.settings.derive import fill
from dowse.settings.described.own import VARIABLE, find_own, load_own
from dowse.settings.described.specs import OwnProviders
from dowse.settings.model import Settings, all_settings, enabled_without_credential, list_settings
from dowse.settings.providers import SPECS

# Keys of swissarmyhammer's `[web_search]` table for features that dowse does not have. They are accepted without a
# warning, so that the table can be copied as it is; the doctor names them.
WITHOUT_EFFECT = frozenset({"DOWSE_SUMMARIZE_LONG_CONTENT", "DOWSE_MAX_SUMMARY_LENGTH", "DOWSE_EXTRACT_CODE_BLOCKS"})
# Variables that are no settings: the file to read, and the corpora of the project's own tests.
_NO_SETTINGS = frozenset({"DOWSE_CONFIG", "DOWSE_EVAL_DATA"})
FLAG, ENVIRONMENT, FILE = "flag", "environment", "file"
"""Sources of values, in order of precedence."""
_FOREIGN_PROXIES = frozenset({"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"})
# Names that other programs use as well: a value that means nothing to us is not the user's mistake.
SHARED = ("LOG_LEVEL",)


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The `dowse.toml` that was read, or the places that were tried, and the entries that were not trusted."""

    path: Path | None = None
    looked_for: tuple[Path, ...] = ()
    trusted: bool = True
    ignored: tuple[str, ...] = ()
    typos: tuple[str, ...] = ()

    @property
    def refusals(self) -> tuple[str, ...]:
        """One sentence for each entry that is not trusted."""
        hint = "is ignored in a file of the working directory; name the file with DOWSE_CONFIG."
        return tuple(f"{self.path}: {name} {hint}" for name in self.ignored)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, the file they came from, warnings, problems that stop the start, and the values as they were given."""

    settings: Settings
    warnings: tuple[str, ...]
    file: ConfigFile = ConfigFile()
    problems: tuple[str, ...] = ()
    given: Mapping[Setting, Given] = field(default_factory=dict)
    foreign_proxies: tuple[str, ...] = ()
    """Variables of the environment that name a proxy for other programs."""
    without_effect: tuple[str, ...] = ()
    """Accepted names that belong to features which dowse does not have."""


@dataclass(frozen=True, slots=True)
class Given:
    """A value as it was written, the name it was found under, and its source: flag, environment or file."""

    name: str
    value: object = field(repr=False)  # it may be a key
    source: str

    @property
    def shown_name(self) -> str:
        """The name that the user wrote: a flag is spelled like its variable."""
        if self.source != FLAG:
            return self.name
        return "--" + self.name.removeprefix("DOWSE_").lower().replace("_", "-")


def load(
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    config: str | None = None,
) -> Loaded:
    """Read flags, environment and `dowse.toml`; raise `ConfigError` on the first invalid value."""
    loaded = examine(flags, environ, config=config)
    if loaded.problems:
        # `from None`: a chained error would print the rejected value, which may be a key.
        raise ConfigError(loaded.problems[0]) from None
    return loaded


def examine(
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    config: str | None = None,
) -> Loaded:
    """Like `load`, with a list of all problems: the default stands for each invalid value."""
    env = dict(_environment(environ))
    problems: list[str] = []
    file = ConfigFile()
    written: dict[str, object] = {}
    try:
        file, written = _read_file(config, env)
    except ConfigError as error:
        problems.append(str(error))
    layers = {FLAG: _strip(flags or {}), ENVIRONMENT: _strip(env), FILE: _strip(written)}
    warnings = [*file.refusals, *file.typos]
    own = _read_own(layers, env, problems)
    given, validated = _validate(_pick(layers, own), own, warnings, problems)
    settings = make_coherent(validated, problems)
    known = _variable_names() | {name for setting in settings.declared for name in setting.variables}
    warnings += [_typo(name) for name in sorted(env.keys() - known) if name.startswith("DOWSE_")]
    warnings += enabled_without_credential(settings).values()
    proxies = tuple(sorted(_FOREIGN_PROXIES & layers[ENVIRONMENT].keys()))
    idle = tuple(sorted(WITHOUT_EFFECT.intersection(chain.from_iterable(layers.values()))))
    return Loaded(settings, tuple(warnings), file, tuple(problems), given, proxies, idle)


def flags_of(options: Mapping[str, object]) -> dict[str, object]:
    """Settings by their names in `dowse.toml`, as flags of a command. Raises `TypeError` for an unknown name."""
    for name in options:
        if _variable_for(name) not in _variable_names():
            raise TypeError(_typo(_variable_for(name), shown=name))
    return {_variable_for(name): _as_variable(value) for name, value in options.items() if value is not None}


def _environment(environ: Mapping[str, str] | None) -> Mapping[str, str]:
    return os.environ if environ is None else environ


def wants_colour(environ: Mapping[str, str] | None = None) -> bool:
    """Whether the user's environment allows colour (https://no-color.org)."""
    env = _environment(environ)
    return not env.get("NO_COLOR") and is_capable_terminal(env)


def is_capable_terminal(environ: Mapping[str, str] | None = None) -> bool:
    """Whether the terminal, if there is one, understands escapes."""
    return _environment(environ).get("TERM") != "dumb"


def state_address(settings: Settings, environ: Mapping[str, str] | None = None) -> str:
    """Where state is kept: where the user says, else in a SQLite file in the cache directory."""
    if settings.state:
        return settings.state
    env = _environment(environ)
    home = Path(env.get("HOME") or "~").expanduser()
    usual = home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"
    return f"sqlite:///{Path(env.get('XDG_CACHE_HOME') or usual) / 'dowse' / 'state.db'}"


def subprocess_environment() -> dict[str, str]:
    """The environment of a worker process: enough to start Python, and no secret."""
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "PYTHONPATH", "VIRTUAL_ENV")
    # Each thread of numpy would take a part of the memory that a worker may have, and none is of use to it.
    single = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    return {name: os.environ[name] for name in kept if name in os.environ} | single


def browser_environment(home: str = "") -> dict[str, str]:
    """The environment of a browser: enough to start, and neither a secret nor a proxy.

    With a `home` of its own it sees nothing of the user's. A snap needs that, and the session, to start at all.
    """
    kept = {"PATH", "LANG", "LANGUAGE", "TZ", "FONTCONFIG_FILE", "FONTCONFIG_PATH"}
    if not home:
        kept |= {"HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}
    inherited = {name: value for name, value in os.environ.items() if name in kept or name.startswith("LC_")}
    return inherited | ({"HOME": home, "TMPDIR": home} if home else {})


def _strip(layer: Mapping[str, object]) -> dict[str, object]:
    """The values that are set: white space around one is an accident of the file that it came from."""
    values = {name: value.strip() if isinstance(value, str) else value for name, value in layer.items()}
    return {name: value for name, value in values.items() if value not in (None, "")}


def _read_own(layers: Mapping[str, dict[str, object]], env: Mapping[str, str], problems: list[str]) -> OwnProviders:
    named = next((str(layer[VARIABLE]) for layer in layers.values() if VARIABLE in layer), "")
    try:
        return load_own(find_own(named, _config_home(env)), SPECS, _variable_names)
    except ConfigError as error:
        problems.append(str(error))
        return OwnProviders()


def _config_home(env: Mapping[str, str]) -> Path:
    home = env.get("XDG_CONFIG_HOME") or str(Path(env.get("HOME") or "~").expanduser() / ".config")
    return Path(home) / "dowse"


def _pick(layers: Mapping[str, dict[str, object]], own: OwnProviders) -> dict[Setting, Given]:
    """For each setting the value of the first layer that has it."""
    # Most variables are not set: the names that are found quickly which settings to look at.
    names = frozenset(chain.from_iterable(layers.values()))
    asked = [setting for setting in list_settings(own.specs) if not names.isdisjoint(setting.variables)]
    return {setting: next(_find_given(setting, layers)) for setting in asked}


def _find_given(setting: Setting, layers: Mapping[str, dict[str, object]]) -> Iterator[Given]:
    for source, layer in layers.items():
        yield from (Given(name, layer[name], source) for name in setting.variables if name in layer)


def _validate(
    given: Mapping[Setting, Given], own: OwnProviders, warnings: list[str], problems: list[str]
) -> tuple[Mapping[Setting, Given], Settings]:
    """The valid values, and the settings made of them. Sentences are dowse's own: pydantic's would quote a key."""
    try:
        return given, Settings.model_validate(_nest(given, own))
    except ValidationError as error:
        wrong = [_find(item["loc"], given) for item in error.errors()]
    for setting in dict.fromkeys(wrong):
        sentence = _sentence(setting, given[setting])
        if given[setting].name in SHARED:
            warnings.append(f"{sentence} It is ignored.")
        else:
            problems.append(sentence)
    return _validate({each: value for each, value in given.items() if each not in wrong}, own, warnings, problems)


def _nest(given: Mapping[Setting, Given], own: OwnProviders) -> dict[str, object]:
    """The values in the shape of `Settings`, over the defaults of the contract."""
    contract = next((str(value.value) for setting, value in given.items() if setting.path == ("contract",)), "")
    defaults = CONTRACTS[contract].defaults if contract in CONTRACTS else {}
    values: dict[str, Any] = dict(defaults)  # values of fields, or groups of them: pydantic checks which
    for setting, value in given.items():
        *parents, name = setting.path
        place = values
        for parent in parents:
            place = place.setdefault(parent, {})
        place[name] = value.value
    given_for = values.get("providers", {})
    complete = {name: fill(spec, given_for.get(name, {})) for name, spec in own.specs.items()}
    return {**values, "providers": {**given_for, **complete}, "own": own}


def _find(location: tuple[int | str, ...], given: Mapping[Setting, Given]) -> Setting:
    """The setting that an error of pydantic belongs to."""
    return next(setting for setting in given if location[: len(setting.path)] == setting.path)


def _read_file(flag: str | None, env: Mapping[str, str]) -> tuple[ConfigFile, dict[str, object]]:
    named = flag or env.get("DOWSE_CONFIG", "").strip()
    if named:
        return _parse_file(Path(named).expanduser(), f"{'--config' if flag else 'DOWSE_CONFIG'} names ", trusted=True)
    places = (Path.cwd() / "dowse.toml", _config_home(env) / "dowse.toml")
    for path in places:
        if _is_there(path):
            return _parse_file(path, trusted=path.parent != Path.cwd())
    return ConfigFile(looked_for=places), {}


def _is_there(path: Path) -> bool:
    """Whether it is a file; one in a directory that we may not enter is not there for us."""
    try:
        return path.is_file()
    except OSError:
        return False


def _parse_file(path: Path, named_by: str = "", *, trusted: bool) -> tuple[ConfigFile, dict[str, object]]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{named_by}{path}, which cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not valid TOML: it is not UTF-8 text.") from None
    except tomllib.TOMLDecodeError as error:
        # Redaction: only the place, since the message may quote a value.
        where = re.search(r"at line \d+, column \d+|at end of document", str(error))
        raise ConfigError(f"{path} is not valid TOML: the error is {where[0] if where else 'in its text'}.") from None
    seed_table = table.pop("web_search", {})
    entries = {**(seed_table if isinstance(seed_table, dict) else {}), **table}
    return _sort_entries(path, entries, trusted=trusted)


def _sort_entries(path: Path, entries: Mapping[str, object], *, trusted: bool) -> tuple[ConfigFile, dict[str, object]]:
    """The entries of a file by variable, without unknown ones and those it may not set."""
    values: dict[str, object] = {}
    ignored: list[str] = []
    typos: list[str] = []
    for key, value in entries.items():
        name, shown = _variable_for(key), one_line(key, 80)
        if not trusted and name in _trusted_only():
            ignored.append(shown)
        elif name not in _variable_names():
            typos.append(f"{path}: {_typo(name, shown=shown)}")
        else:
            values[name] = _as_variable(value)
    return ConfigFile(path, (), trusted, tuple(ignored), tuple(typos)), values


@cache
def _trusted_only() -> frozenset[str]:
    return frozenset(name for each in all_settings() if each.is_trusted_only for name in each.variables)


def _as_variable(value: object) -> object:
    """A TOML value as the environment would hold it: `1` is "1", a list is separated by commas."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return value if isinstance(value, bool | dict) else str(value)


def _variable_for(key: str) -> str:
    """`search_order` is DOWSE_SEARCH_ORDER; `serper_api_key` keeps its own name."""
    upper = key.upper()
    return upper if upper in _variable_names() else f"DOWSE_{upper}"


@cache
def _variable_names() -> frozenset[str]:
    names = frozenset(name for setting in all_settings() for name in setting.variables)
    return names | WITHOUT_EFFECT | _NO_SETTINGS


def _typo(name: str, *, shown: str = "") -> str:
    # Compared without the prefix, which would make everything look alike.
    ours_last = sorted(_variable_names(), key=lambda variable: (variable.startswith("DOWSE_"), variable))
    known = {variable.removeprefix("DOWSE_"): variable for variable in ours_last}
    near = difflib.get_close_matches(name.removeprefix("DOWSE_"), known, n=1, cutoff=0.6)
    hint = f"; did you mean {near[0].lower() if shown else known[near[0]]}?" if near else "."
    return f"{shown or name} is not a setting of dowse{hint}"


def _sentence(setting: Setting, given: Given) -> str:
    """One sentence for an invalid value; it quotes the value only where that is no secret."""
    # As it was written: pydantic shows "1GB" as the number of bytes that it had become by then.
    written = str(given.value)
    is_near = difflib.get_close_matches(written, re.findall(r"[\w-]+", setting.takes), n=1, cutoff=0.8)
    is_shown = not may_hold_secret(setting, given) and (is_near or is_harmless(written))
    value = f" is {written!r}, but it" if is_shown else ""
    return f"{given.shown_name}{value} takes {setting.takes}."


def may_hold_secret(setting: Setting, given: Given) -> bool:
    """Whether a value must not be shown: an address may hold a password, before its host or in its parameters."""
    written = str(given.value)
    return setting.is_secret or "@" in written or (setting.path == ("state",) and "?" in written)
