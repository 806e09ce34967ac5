"""Create, list and revoke the bearer tokens of the HTTP server."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from dowse.auth import tokens
from dowse.auth.tokens import TokenEntry
from dowse.core.errors import ConfigError
from dowse.settings import Settings
from dowse.settings.contracts import CONTRACTS
from dowse.surfaces.cli import session
from dowse.surfaces.cli.session import DONE

_KEEP = "dowse: this token of {name} is shown once; send it as `Authorization: Bearer TOKEN`"
_WRITTEN = "dowse: its hash is in {file}; a running server reloads the file within a second"
_WITHOUT_FILE = """\
dowse: to activate it, put this into a file and set DOWSE_TOKENS_FILE to its path:

{entry}
"""
_OR_VARIABLE = "dowse: or, without a file: DOWSE_TOKENS={name}:TOKEN"


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("token", help="create, list and revoke tokens of the HTTP server", description=__doc__)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _register_new(actions)
    listing = actions.add_parser("list", help="list the names of tokens", description="Lists the names of tokens.")
    listing.add_argument("--json", action="store_true", help="print the list as JSON")
    _common(listing, _list)
    revoke = actions.add_parser("revoke", help="revoke a token", description="Removes a token from the file.")
    revoke.add_argument("name", help="name of the token")
    _common(revoke, _revoke)


def _register_new(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    new = actions.add_parser("new", help="create a token", description="Creates a token and prints it once.")
    new.add_argument("name", help="name of the caller in logs and limits")
    new.add_argument(
        "--contract", action="append", default=[], metavar="C", help=f"allow only this contract: {', '.join(CONTRACTS)}"
    )
    new.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="TOOL=RATE",
        help="rate limit of this caller, such as web_search=20/10m",
    )
    _common(new, _new)


def _common(parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]) -> None:
    parser.add_argument("--file", metavar="FILE", help="tokens file (default: DOWSE_TOKENS_FILE)")
    session.common_flags(parser)
    parser.set_defaults(run=run)


def _new(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    name, file = arguments.name, _file(arguments, settings)
    limits = _limits(arguments.limit)
    _check(name, arguments.contract, settings)
    token = tokens.mint()
    entry = tokens.entry_text(name, tokens.digest(token), list(dict.fromkeys(arguments.contract)), limits)
    if file:
        tokens.append(file, entry)
    print(token, flush=True)
    print(_KEEP.format(name=name), file=sys.stderr)
    if file:
        print(_WRITTEN.format(file=file), file=sys.stderr)
        return DONE
    print(_WITHOUT_FILE.format(entry=entry), file=sys.stderr, end="")
    if not arguments.contract and not limits:
        print("\n" + _OR_VARIABLE.format(name=name), file=sys.stderr)
    return DONE


def _check(name: str, contracts: list[str], settings: Settings) -> None:
    if not tokens.NAME.fullmatch(name):
        raise ConfigError("A name has up to 64 letters, digits, dots, dashes and underscores.")
    if name in settings.tokens:
        raise ConfigError(f"{name} is in DOWSE_TOKENS already; take it out there first.")
    for contract in contracts:
        if contract not in CONTRACTS:
            raise ConfigError(f"--contract is {contract[:80]!r}, but it takes one of {', '.join(CONTRACTS)}.")


def _limits(given: list[str]) -> dict[str, str]:
    """Limits by tool as they were written, each of them understood."""
    limits: dict[str, str] = {}
    for limit in given:
        tool, _, rate = limit.partition("=")
        try:
            tokens.limits({tool: rate})
        except ValueError:
            known = ", ".join(tokens.TOOLS)
            raise ConfigError(
                f"--limit is {limit[:80]!r}, but it takes TOOL=RATE such as web_search=20/10m, for {known}."
            ) from None
        limits[tool] = rate.strip()
    return limits


def _list(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    file = _file(arguments, settings)
    listed = [(TokenEntry(name, ""), "DOWSE_TOKENS") for name in settings.tokens]
    listed += [(entry, str(file)) for entry in (_entries(file) if file else ())]
    if arguments.json:
        print(json.dumps([_describe(entry, source) for entry, source in listed], indent=2))
        return DONE
    if not listed:
        print("dowse: there are no tokens; `dowse token new NAME` creates one", file=sys.stderr)
    for entry, _ in listed:
        limits = ", ".join(f"{tool} {rate}" for tool, rate in entry.limits.items())
        print(f"{entry.name}  {', '.join(_contracts(entry))}  {limits or 'the limits of the settings'}")
    return DONE


def _revoke(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    name, file = arguments.name, _file(arguments, settings)
    if name in settings.tokens:
        raise ConfigError("That token is in DOWSE_TOKENS; remove it there and restart the server.")
    if not file:
        raise ConfigError("There is no tokens file; name it with --file or DOWSE_TOKENS_FILE.")
    tokens.remove(file, name)
    print(f"dowse: {name} is removed from {file}; a running server reloads the file within a second", file=sys.stderr)
    return DONE


def _file(arguments: argparse.Namespace, settings: Settings) -> Path | None:
    named = arguments.file or settings.tokens_file
    return Path(named).expanduser() if named else None


def _entries(file: Path) -> tuple[TokenEntry, ...]:
    """The entries of the file; none if it does not exist yet."""
    return tokens.read_tokens_file(file) if file.exists() else ()


def _describe(entry: TokenEntry, source: str) -> dict[str, object]:
    return {
        "name": entry.name,
        "contracts": _contracts(entry),
        "limits": {tool: str(rate) for tool, rate in entry.limits.items()},
        "source": source,
    }


def _contracts(entry: TokenEntry) -> list[str]:
    return sorted(entry.contracts) if entry.contracts is not None else list(CONTRACTS)
