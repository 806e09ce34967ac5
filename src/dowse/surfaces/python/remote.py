"""Backend of the Python API on a running server: REST, with its problem details as the errors that they were."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from dowse.core import errors, urls
from dowse.core.errors import (
    AllProvidersFailed,
    BadAnswer,
    ConfigError,
    DowseError,
    InvalidRequest,
    LimitReached,
    NetworkFailed,
    Overloaded,
    PageUnreadable,
    ProviderError,
    Redirected,
    RequestRefused,
    TimedOut,
    Unauthorized,
    Unavailable,
    Unreachable,
)
from dowse.core.models import Attempt
from dowse.core.text import one_line
from dowse.core.wire_errors import WireError, WireTimeout, WireUnreached
from dowse.net.clients import ConfiguredClient, Reply
from dowse.net.json_fields import parse_json
from dowse.net.upstream import UpstreamProxy
from dowse.settings import Settings
from dowse.surfaces.python.decoding import decode

E = TypeVar("E", bound=DowseError)
L = TypeVar("L", LimitReached, Overloaded)

NAME = "server"
"""The name of the server in errors about it."""
_API = "/api/v1"
_TOKEN = re.compile(r"[!-~]{1,4096}", re.ASCII)
# The server answers at its own deadline; the rest is for the network.
_MARGIN_S = 10.0
_MAX_BYTES = 32 * 1024 * 1024
_DETAIL_CHARS = 2000


class RemoteBackend:
    """Implements `client.Backend` by the REST API of a server."""

    def __init__(self, base_url: str, token: str, settings: Settings, user_agent: str) -> None:
        """Raises `ConfigError` for an address or a token that cannot be one."""
        self._root = _check_address(base_url)
        if token and not _TOKEN.fullmatch(token):
            raise ConfigError("token must be visible ASCII characters without blanks.")
        self._headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._deadline_s = settings.deadline_s
        proxy = UpstreamProxy(settings.proxy) if settings.proxy else None
        self._client = ConfiguredClient(user_agent, proxy=proxy)

    async def call(self, operation: str, given: Mapping[str, object]) -> object:
        timeout_s = self._deadline_s + _MARGIN_S
        try:
            reply = await self._client.send(
                "POST",
                f"{self._root}/{operation}",
                headers=self._headers,
                json=given,
                timeout_s=timeout_s,
                max_bytes=_MAX_BYTES,
            )
        except WireTimeout:
            raise TimedOut(NAME, f"no answer within {timeout_s:g} s") from None
        except WireError as error:
            kind = Unreachable if isinstance(error, WireUnreached) else NetworkFailed
            raise kind(NAME, str(error)) from None
        return read(reply)

    async def close(self) -> None:
        await self._client.close()


def _check_address(base_url: str) -> str:
    parsed = urls.parse_web(base_url)
    if parsed is None or "@" in base_url:
        # It may hold a password, so it is not repeated.
        raise ConfigError("base_url must be the address of a dowse server, such as http://127.0.0.1:8000.")
    return base_url.rstrip("/").removesuffix(_API) + _API


def read(reply: Reply) -> object:
    """The body of a success; raises the error that any other answer is."""
    if 300 <= reply.status < 400:
        raise Redirected(NAME, f"HTTP {reply.status}; base_url must be the final address")
    try:
        body = parse_json(reply.body, _MAX_BYTES)
    except ValueError:
        body = None
    if reply.status == 200 and isinstance(body, dict):
        return body
    if reply.status >= 400 and isinstance(body, dict) and "problem+json" in reply.headers.get("content-type", ""):
        raise restore_error(body, reply.status)
    if reply.status >= 500:
        raise Unavailable(NAME, f"HTTP {reply.status}", http_status=reply.status)
    said = f"HTTP {reply.status}, which is no answer of the REST API of dowse; check base_url"
    raise BadAnswer(NAME, said, http_status=reply.status)


def restore_error(problem: Mapping[str, object], status: int) -> DowseError:
    """The error that a server has described in problem details; its class is at the end of their `type`."""
    kind = _KINDS.get(str(problem.get("type", "")).rpartition(":")[2])
    detail = "\n".join(map(one_line, str(problem.get("detail", ""))[:_DETAIL_CHARS].splitlines()))
    given = problem.get("retry_after")
    retry_after_s = given if isinstance(given, int) else None
    if kind is AllProvidersFailed:
        # Their errors stay on the server; the attempts name the outcome of each.
        failed = _revive(AllProvidersFailed, detail)
        failed.errors, failed.attempts, failed.warnings = (), _attempts(problem), ()
        failed.retry_after_s = retry_after_s
        return failed
    if kind is LimitReached:
        return _limit(LimitReached, detail, retry_after_s)
    if kind is Overloaded:
        return _limit(Overloaded, detail, retry_after_s)
    if kind is not None and issubclass(kind, ProviderError):
        return kind(NAME, detail, retry_after_s=retry_after_s, http_status=status)
    if kind in (None, RequestRefused, PageUnreadable):
        return _from_status(detail, status)
    return InvalidRequest(detail) if kind is InvalidRequest else _revive(kind, detail)


def _from_status(detail: str, status: int) -> DowseError:
    """The error of a server that does not tell its class."""
    if status in (401, 403):
        return Unauthorized(detail)
    if status in (404, 405):
        return BadAnswer(NAME, f"HTTP {status}", said=detail, advice="check base_url", http_status=status)
    return InvalidRequest(detail) if status < 500 else Unavailable(NAME, detail, http_status=status)


def _revive(kind: type[E], text: str) -> E:
    """An error with this text: its own constructor would compose another."""
    return kind.__new__(kind, text)


def _limit(kind: type[L], text: str, retry_after_s: int | None) -> L:
    error = _revive(kind, text)
    error.retry_after_s = retry_after_s or 0
    return error


def _attempts(problem: Mapping[str, object]) -> tuple[Attempt, ...]:
    given = problem.get("attempts", [])
    try:
        return tuple(decode(Attempt, each) for each in given) if isinstance(given, list) else ()
    except ValueError:
        raise BadAnswer(NAME, "the attempts of an error have another shape") from None


_KINDS: Mapping[str, type[DowseError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, DowseError)
}
