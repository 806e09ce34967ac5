"""Create, list, rotate and revoke the bearer tokens of the HTTP server."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dowse.auth import tokens
from dowse.auth.tokens import TokenEntry
from dowse.core.errors import ConfigError, StoreFailed
from dowse.core.runtime import SystemClock
from dowse.core.text import one_line
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.settings.contracts import CONTRACTS
from dowse.settings.sources import state_address
from dowse.stores import file_of, open_store
from dowse.surfaces.cli import DONE, session

_KEEP = "dowse: this token of {name} is shown once; send it as `Authorization: Bearer TOKEN`"
_WRITTEN = "dowse: its hash is in {file}; a running server reloads the file within a second"
_WITHOUT_FILE = """\
dowse: to activate it, put this into a file and set DOWSE_TOKENS_FILE to its path:

{entry}
"""
_LIFETIME = re.compile(r"([1-9]\d{0,4}) ?([mhd])", re.IGNORECASE | re.ASCII)
_MINUTES = {"m": 1, "h": 60, "d": 1440}
_OR_VARIABLE = "dowse: or, without a file: DOWSE_TOKENS={name}:TOKEN"


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("token", help="create, list, rotate and revoke tokens", description=__doc__)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _register_new(actions)
    listing = actions.add_parser(
        "list", help="list the tokens", description="Lists the tokens with their restrictions and their last use."
    )
    _common(listing, _list)
    rotate = actions.add_parser(
        "rotate",
        help="replace a token by a new one",
        description="Replaces a token by a new one with the same name and restrictions, and prints it once.",
    )
    rotate.add_argument("name", help="name of the token")
    _expiry(rotate)
    _common(rotate, _rotate)
    revoke = actions.add_parser("revoke", help="revoke a token", description="Removes a token from the file.")
    revoke.add_argument("name", help="name of the token")
    _common(revoke, _revoke)


def _register_new(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    new = actions.add_parser("new", help="create a token", description="Creates a token and prints it once.")
    new.add_argument("name", help="name of the caller in logs, limits and usage")
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
    new.add_argument(
        "--scope",
        action="append",
        default=[],
        metavar="S",
        help=f"allow only this part of the server: {', '.join(tokens.SCOPES)}",
    )
    new.add_argument("--wires", action="append_const", dest="scope", const="wires", help="the same as --scope wires")
    _expiry(new)
    _common(new, _new)


def _expiry(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--expires", metavar="TIME", help="time until the token expires, such as 90d or 12h")


def _common(parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]) -> None:
    parser.add_argument("--file", metavar="FILE", help="tokens file (default: DOWSE_TOKENS_FILE)")
    session.report_flags(parser, run)


def _new(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    name, file = arguments.name, _file(arguments, settings)
    limits, scopes, expires = _limits(arguments.limit), _scopes(arguments.scope), _end(arguments.expires)
    _check(name, arguments.contract, settings)
    token, contracts = tokens.mint(), list(dict.fromkeys(arguments.contract))
    entry = tokens.entry_text(
        name, tokens.digest(token), contracts=contracts, limits=limits, scopes=scopes, expires=expires
    )
    if file:
        tokens.append(file, entry)
    _show(name, token, file, expires, as_json=arguments.json)
    if file:
        return DONE
    print(_WITHOUT_FILE.format(entry=entry), file=sys.stderr, end="")
    if not (contracts or limits or scopes or expires):
        print("\n" + _OR_VARIABLE.format(name=name), file=sys.stderr)
    return DONE


def _show(name: str, token: str, file: Path | None, expires: datetime | None, *, as_json: bool) -> None:
    """Print a new token, and where its hash is."""
    described = {"name": name, "token": token, "file": str(file) if file else None, "expires": _iso(expires)}
    print(json.dumps(described, indent=2) if as_json else token, flush=True)
    print(_KEEP.format(name=name), file=sys.stderr)
    if file:
        print(_WRITTEN.format(file=file), file=sys.stderr)


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


def _scopes(given: list[str]) -> list[str]:
    """The scopes of one or more flags, each a list with commas."""
    scopes = list(dict.fromkeys(name.strip() for names in given for name in names.split(",")))
    for name in scopes:
        _check_scope(name)
    return scopes


def _check_scope(name: str) -> None:
    known = ", ".join(tokens.SCOPES)
    if name not in tokens.SCOPES:
        raise ConfigError(f"--scope is {name[:80]!r}, but it takes {known}.")


def _end(lifetime: str | None) -> datetime | None:
    """The moment at which a token of this lifetime expires."""
    if lifetime is None:
        return None
    match = _LIFETIME.fullmatch(lifetime.strip())
    if not match:
        raise ConfigError(f"--expires is {lifetime[:80]!r}, but it takes a time such as 90d or 12h.")
    now = SystemClock().utc().replace(microsecond=0)
    return now + timedelta(minutes=int(match[1]) * _MINUTES[match[2].lower()])


def _rotate(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    name, expires = arguments.name, _end(arguments.expires)
    file = _editable_file(arguments, settings)
    entry = {entry.name: entry for entry in _entries(file)}.get(name)
    if entry and not expires and entry.is_expired(SystemClock().utc()):
        raise ConfigError(f"{name} has expired; add --expires, such as --expires 90d.")
    token = tokens.mint()
    tokens.rotate(file, name, tokens.digest(token), expires)
    _show(name, token, file, expires or (entry.expires if entry else None), as_json=arguments.json)
    print(f"dowse: the previous token of {name} is not accepted any more", file=sys.stderr)
    return DONE


def _list(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    file = _file(arguments, settings)
    given = [TokenEntry(name, tokens.digest(token.get_secret_value())) for name, token in settings.tokens.items()]
    entries = [*given, *(_entries(file) if file else ())]
    sources = ["DOWSE_TOKENS"] * len(given) + [str(file)] * (len(entries) - len(given))
    uses = asyncio.run(_last_uses(settings, entries)) if entries else []
    listed = list(zip(entries, uses, sources, strict=True))
    if arguments.json:
        print(json.dumps([_describe(*each) for each in listed], indent=2))
        return DONE
    if not listed:
        print("dowse: there are no tokens; `dowse token new NAME` creates one", file=sys.stderr)
    for entry, used, _ in listed:
        print(_line(entry, used))
    return DONE


def _line(entry: TokenEntry, used: datetime | None) -> str:
    limits = ", ".join(f"{tool} {rate}" for tool, rate in entry.limits.items())
    parts = [entry.name, ", ".join(_contracts(entry)), limits or "the limits of the settings"]
    parts += _restrictions(entry)
    parts.append(f"last used {_minute(used)}" if used else "not used yet")
    return "  ".join(parts)


def _restrictions(entry: TokenEntry) -> list[str]:
    parts = []
    if entry.scopes is not None:
        parts.append(f"scopes {', '.join(sorted(entry.scopes))}")
    if entry.expires:
        is_over = entry.is_expired(SystemClock().utc())
        parts.append(f"{'expired' if is_over else 'expires'} {_minute(entry.expires)}")
    return parts


def _minute(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


async def _last_uses(settings: Settings, entries: Sequence[TokenEntry]) -> list[datetime | None]:
    """The last use of each token; none is known to a store that does not exist or fails."""
    address = state_address(settings)
    path = file_of(address)
    if address.startswith("memory:") or (path and not path.exists()):
        return [None] * len(entries)
    from dowse.auth.authenticator import read_last_use  # Heavy; the other actions do without.

    store = open_store(address, SystemClock(), max_bytes=settings.cache_size)
    try:
        return [await read_last_use(store, entry) for entry in entries]
    except StoreFailed as error:
        reason = Redactor(settings.secrets()).message(one_line(str(error)))
        print(f"dowse: warning: the last uses are not known, because the store failed: {reason}", file=sys.stderr)
        return [None] * len(entries)
    finally:
        await store.close()


def _revoke(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    name, file = arguments.name, _editable_file(arguments, settings)
    tokens.remove(file, name)
    if arguments.json:
        print(json.dumps({"revoked": name}, indent=2), flush=True)
    print(f"dowse: {name} is removed from {file}; a running server reloads the file within a second", file=sys.stderr)
    return DONE


def _editable_file(arguments: argparse.Namespace, settings: Settings) -> Path:
    """The tokens file, unless the token is not in it."""
    if arguments.name in settings.tokens:
        raise ConfigError("That token is in DOWSE_TOKENS; change it there and restart the server.")
    file = _file(arguments, settings)
    if not file:
        raise ConfigError("There is no tokens file; name it with --file or DOWSE_TOKENS_FILE.")
    return file


def _file(arguments: argparse.Namespace, settings: Settings) -> Path | None:
    named = arguments.file or settings.tokens_file
    return Path(named).expanduser() if named else None


def _entries(file: Path) -> tuple[TokenEntry, ...]:
    """The entries of the file; none if it does not exist yet."""
    return tokens.read_tokens_file(file) if file.exists() else ()


def _describe(entry: TokenEntry, used: datetime | None, source: str) -> dict[str, object]:
    return {
        "name": entry.name,
        "contracts": _contracts(entry),
        "limits": {tool: str(rate) for tool, rate in entry.limits.items()},
        "scopes": sorted(entry.scopes) if entry.scopes is not None else None,
        "expires": _iso(entry.expires),
        "expired": entry.is_expired(SystemClock().utc()),
        "last_used": used.isoformat() if used else None,
        "source": source,
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None


def _contracts(entry: TokenEntry) -> list[str]:
    return sorted(entry.contracts) if entry.contracts is not None else list(CONTRACTS)
