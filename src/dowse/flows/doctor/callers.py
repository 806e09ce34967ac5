"""Who may call the HTTP server: tokens, the file they are in, and JSON Web Tokens."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from dowse.auth.authenticator import SHORTEST_TOKEN
from dowse.auth.tokens import TokenEntry
from dowse.core import urls
from dowse.core.errors import ConfigError
from dowse.flows.doctor.check import Check, State
from dowse.flows.doctor.server import spoken
from dowse.net.sockets import is_loopback
from dowse.settings import Settings

_GROUP = "callers"
_OTHERS = 0o077


class Roll(Protocol):
    """Reads who has a token. Raises `ConfigError` for a file that is not in order."""

    def __call__(self) -> Sequence[TokenEntry]: ...


def callers(settings: Settings, roll: Roll, tools: Sequence[str]) -> Iterator[Check]:
    """Everything about who may call, in the order in which somebody would set it up."""
    if not settings.needs_token:
        yield _nobody(settings)
        return
    try:
        entries = roll()
    except ConfigError as error:
        yield _unusable(settings, str(error))
    else:
        yield _named(settings, entries)
        yield from _restricted(settings, entries, tools)
    yield from _short(settings)
    yield from _open_to_others(settings)
    if settings.takes_jwt:
        yield _jwt(settings)


def _nobody(settings: Settings) -> Check:
    make = "Run `dowse token new NAME` and set DOWSE_TOKENS_FILE"
    if is_loopback(settings.host) and (settings.allowed_hosts or settings.trusted_proxies):
        summary = "There are no tokens, and a proxy comes from this machine, so it would let anybody in."
        return Check("tokens", _GROUP, State.WARNING, summary, f"{make}.", {"callers": []})
    if is_loopback(settings.host):
        summary = "There are no tokens, so the HTTP server answers this machine only."
        return Check("tokens", _GROUP, State.OFF, summary, f"{make} to serve others.", {"callers": []})
    return Check(
        "tokens",
        _GROUP,
        State.PROBLEM,
        f"`dowse serve --http` refuses to listen on {settings.host}, because there are no tokens.",
        f"{make} (or DOWSE_TOKENS), or listen on 127.0.0.1 (DOWSE_HOST).",
        {"callers": [], "host": settings.host},
    )


def _unusable(settings: Settings, sentence: str) -> Check:
    made = _mode(settings.tokens_file) is not None
    fix = (
        "Correct the file; `dowse token new NAME` writes entries as they should be."
        if made
        else "Run `dowse token new NAME`, which makes it, or correct DOWSE_TOKENS_FILE."
    )
    return Check("tokens", _GROUP, State.PROBLEM, sentence, fix)


def _named(settings: Settings, entries: Sequence[TokenEntry]) -> Check:
    details = {"callers": [_details(entry) for entry in entries]}
    if entries:
        told = "; ".join(map(_told, entries))
        return Check("tokens", _GROUP, State.OK, f"{_count(len(entries), 'caller')} with a token: {told}.", "", details)
    if settings.takes_jwt:
        summary = "No caller has a token of its own; JSON Web Tokens are accepted."
        return Check("tokens", _GROUP, State.OFF, summary, "Nothing to do, or run `dowse token new NAME`.", details)
    summary = f"{settings.tokens_file} has no entry, so nobody may call the HTTP server."
    return Check("tokens", _GROUP, State.PROBLEM, summary, "Run `dowse token new NAME`.", details)


def _restricted(settings: Settings, entries: Iterable[TokenEntry], tools: Sequence[str]) -> Iterator[Check]:
    """Entries that do not go with what is served."""
    for entry in entries:
        if entry.contracts is not None and settings.contract not in entry.contracts:
            yield Check(
                "tokens",
                _GROUP,
                State.WARNING,
                f"{entry.name} may not call this server: it serves the contract {settings.contract}, "
                f"and the token is for {', '.join(sorted(entry.contracts))}.",
                f"Add {settings.contract} to its contracts in {settings.tokens_file}, or change DOWSE_CONTRACT.",
            )
        for tool in sorted(entry.limits.keys() - set(tools)):
            yield Check(
                "tokens",
                _GROUP,
                State.WARNING,
                f"The limit of {entry.name} limits nothing: the contract {settings.contract} has no tool {tool}.",
                f"Remove it in {settings.tokens_file}, or limit one of {', '.join(tools)}.",
            )


def _short(settings: Settings) -> Iterator[Check]:
    for name, token in settings.tokens.items():
        if len(token.get_secret_value()) < SHORTEST_TOKEN:
            summary = (
                f"The token of {name} in DOWSE_TOKENS has less than {SHORTEST_TOKEN} characters and can be guessed."
            )
            yield Check("tokens", _GROUP, State.WARNING, summary, f"Run `dowse token new {name}` and use that one.")


def _open_to_others(settings: Settings) -> Iterator[Check]:
    # Windows has no such bits.
    if settings.tokens_file and os.name == "posix" and (_mode(settings.tokens_file) or 0) & _OTHERS:
        path = str(Path(settings.tokens_file).expanduser())
        summary = f"{path} can be read or changed by other users of this machine."
        yield Check("tokens_file", _GROUP, State.WARNING, summary, f"chmod 600 {shlex.quote(path)}")


def _mode(file: str) -> int | None:
    """Who may do what with a file; `None` for one that is not there or cannot be looked at."""
    try:
        return Path(file).expanduser().stat().st_mode
    except OSError:
        return None


def _jwt(settings: Settings) -> Check:
    parsed = urls.parse(settings.jwks_url or "")
    keys = urls.without_userinfo(parsed.href).partition("?")[0] if parsed else ""
    details = {"issuer": settings.jwt_issuer, "audience": settings.jwt_audience, "keys": keys}
    summary = f"JSON Web Tokens of {settings.jwt_issuer} for {settings.jwt_audience} are accepted; keys from {keys}."
    return Check("jwt", _GROUP, State.OK, summary, "", details)


def _details(entry: TokenEntry) -> dict[str, object]:
    return {
        "name": entry.name,
        "limits": {tool: spoken(rate) for tool, rate in entry.limits.items()},
        "contracts": None if entry.contracts is None else sorted(entry.contracts),
    }


def _told(entry: TokenEntry) -> str:
    parts = [f"{tool} {spoken(rate)}" for tool, rate in entry.limits.items()]
    parts += [f"contracts {', '.join(sorted(entry.contracts))}"] if entry.contracts is not None else []
    return f"{entry.name} ({', '.join(parts)})" if parts else entry.name


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
