"""Checks of the server: its tools, their rate limits, and the callers that may use them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from dowse.auth.authenticator import SHORTEST_TOKEN, find_short
from dowse.auth.tokens import TokenEntry
from dowse.core import urls
from dowse.core.allowances import Rate
from dowse.core.errors import ConfigError
from dowse.core.text import count_noun
from dowse.flows.doctor.check import OFF, OK, PROBLEM, WARNING, Check
from dowse.net.sockets import is_loopback
from dowse.settings import Settings
from dowse.settings.contracts import TOOL_LIMITS

_OTHERS = 0o077
_NEW_TOKEN = "Run `dowse token new NAME`"

_limits = partial(Check, "limits", "server")
_tokens = partial(Check, "tokens", "callers")

ReadTokens = Callable[[], Sequence[TokenEntry]]
"""Raises `ConfigError` for a file that is not in order."""


def check_tools(settings: Settings, tools: Sequence[str]) -> Iterator[Check]:
    """The contract, the rate limits of its tools, and limits of tools that are not served."""
    summary = f"MCP clients are offered the contract {settings.contract}: {', '.join(tools)}."
    yield Check("contract", "server", OK, summary, "", {"contract": settings.contract, "tools": list(tools)})
    limits = {name: rate for name, rate in settings.limits.items() if rate}
    served = {name: _spell(rate) for name, rate in limits.items() if name in tools}
    yield _check_limits(served, tools)
    # A default for a tool of another contract is no mistake of the user's.
    idle = sorted(name for name in limits.keys() - served.keys() if str(limits[name]) != TOOL_LIMITS[name])
    yield from (_check_idle_limit(name, settings.contract, tools) for name in idle)


def _check_idle_limit(name: str, contract: str, tools: Sequence[str]) -> Check:
    variable = f"DOWSE_LIMIT_{name.upper()}"
    summary = f"{variable} has no effect: the contract {contract} has no tool {name}."
    return _limits(WARNING, summary, f"Remove {variable}, or limit one of {', '.join(tools)}.")


def _check_limits(served: Mapping[str, str], tools: Sequence[str]) -> Check:
    if not served:
        fix = f"Set DOWSE_LIMIT_{tools[0].upper()}=20/10m, for instance, to limit each caller."
        return _limits(OFF, "Tools have no rate limit.", fix)
    listed = ", ".join(f"{name} {limit}" for name, limit in served.items())
    return _limits(OK, f"Each caller may use {listed}.", "", served)


def check_callers(settings: Settings, read_tokens: ReadTokens, tools: Sequence[str]) -> Iterator[Check]:
    """Tokens, their file, and JSON Web Tokens."""
    if not settings.needs_token:
        yield _check_absence(settings)
        return
    try:
        entries = read_tokens()
    except ConfigError as error:
        fix = "Correct the file; `dowse token new NAME` writes valid entries."
        if _mode(settings.tokens_file) is None:
            fix = f"{_NEW_TOKEN}, which creates the file, or correct DOWSE_TOKENS_FILE."
        yield _tokens(PROBLEM, str(error), fix)
    else:
        yield _check_entries(settings, entries)
        yield from _check_restrictions(settings, entries, tools)
    yield from _check_secrecy(settings)
    if settings.takes_jwt:
        yield _check_jwt(settings)


def _check_absence(settings: Settings) -> Check:
    make = f"{_NEW_TOKEN} and set DOWSE_TOKENS_FILE"
    details: dict[str, object] = {"callers": []}
    if not is_loopback(settings.host):
        summary = f"`dowse serve --http` refuses to listen on {settings.host}, because there are no tokens."
        fix = f"{make} (or DOWSE_TOKENS), or listen on 127.0.0.1 (DOWSE_HOST)."
        return _tokens(PROBLEM, summary, fix, {**details, "host": settings.host})
    if settings.allowed_hosts or settings.trusted_proxies:
        summary = "There are no tokens, and a reverse proxy is configured, so every client of the proxy has access."
        return _tokens(WARNING, summary, f"{make}.", details)
    summary = "There are no tokens, so the HTTP server answers this machine only."
    return _tokens(OFF, summary, f"{make} to serve other machines.", details)


def _check_entries(settings: Settings, entries: Sequence[TokenEntry]) -> Check:
    details = {"callers": list(map(_details, entries))}
    if entries:
        count = count_noun(len(entries), "caller")
        return _tokens(OK, f"{count} with a token: {'; '.join(map(_describe, entries))}.", "", details)
    if settings.takes_jwt:
        summary = "No caller has a token of its own; JSON Web Tokens are accepted."
        return _tokens(OFF, summary, "No action is needed; `dowse token new NAME` adds one.", details)
    summary = f"{settings.tokens_file} has no entry, so every call over HTTP is refused."
    return _tokens(PROBLEM, summary, f"{_NEW_TOKEN}.", details)


def _check_restrictions(settings: Settings, entries: Sequence[TokenEntry], tools: Sequence[str]) -> Iterator[Check]:
    """Entries that do not go with the contract."""
    contract, file = settings.contract, settings.tokens_file
    for entry in entries:
        if entry.contracts is not None and contract not in entry.contracts:
            allowed = ", ".join(sorted(entry.contracts))
            summary = f"{entry.name} may not call this server: it serves the contract {contract}, "
            fix = f"Add {contract} to its contracts in {file}, or change DOWSE_CONTRACT."
            yield _tokens(WARNING, f"{summary}and the token is for {allowed}.", fix)
        for tool in sorted(entry.limits.keys() - set(tools)):
            summary = f"The limit of {entry.name} has no effect: the contract {contract} has no tool {tool}."
            yield _tokens(WARNING, summary, f"Remove it in {file}, or limit one of {', '.join(tools)}.")


def _check_secrecy(settings: Settings) -> Iterator[Check]:
    """Tokens that can be guessed, and a file that other users can read."""
    for name in find_short(settings.tokens):
        short = f"has less than {SHORTEST_TOKEN} characters and can be guessed."
        fix = f"Run `dowse token new {name}` and use that one."
        yield _tokens(WARNING, f"The token of {name} in DOWSE_TOKENS {short}", fix)
    # Windows has no such bits.
    if settings.tokens_file and os.name == "posix" and (_mode(settings.tokens_file) or 0) & _OTHERS:
        path = str(Path(settings.tokens_file).expanduser())
        summary = f"{path} can be read or changed by other users of this machine."
        yield Check("tokens_file", "callers", WARNING, summary, f"chmod 600 {shlex.quote(path)}")


def _mode(file: str) -> int | None:
    """The mode of a file; `None` if it is missing or unreadable."""
    try:
        return Path(file).expanduser().stat().st_mode
    except OSError:
        return None


def _check_jwt(settings: Settings) -> Check:
    parsed = urls.parse(settings.jwks_url or "")
    keys = urls.without_userinfo(parsed.href).partition("?")[0] if parsed else ""
    details = {"issuer": settings.jwt_issuer, "audience": settings.jwt_audience, "keys": keys}
    summary = f"JSON Web Tokens of {settings.jwt_issuer} for {settings.jwt_audience} are accepted; keys from {keys}."
    return Check("jwt", "callers", OK, summary, "", details)


def _details(entry: TokenEntry) -> dict[str, object]:
    limits = {tool: _spell(rate) for tool, rate in entry.limits.items()}
    contracts = None if entry.contracts is None else sorted(entry.contracts)
    scopes = None if entry.scopes is None else sorted(entry.scopes)
    expires = entry.expires and entry.expires.isoformat()
    return {"name": entry.name, "limits": limits, "contracts": contracts, "scopes": scopes, "expires": expires}


def _describe(entry: TokenEntry) -> str:
    parts = [f"{tool} {_spell(rate)}" for tool, rate in entry.limits.items()]
    parts += [f"contracts {', '.join(sorted(entry.contracts))}"] if entry.contracts is not None else []
    parts += [f"scopes {', '.join(sorted(entry.scopes))}"] if entry.scopes is not None else []
    parts += [f"until {entry.expires:%Y-%m-%d %H:%M}"] if entry.expires else []
    return f"{entry.name} ({', '.join(parts)})" if parts else entry.name


def _spell(rate: Rate) -> str:
    return f"{rate.calls} times in {rate.period_s:g} seconds"
