"""Backend of the Python API on a running server: REST, with its problem details as the errors that they were."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
    ProviderError,
    Redirected,
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

NAME = "server"
"""The name of the server in errors about it."""
_API = "/api/v1"
_TOKEN = re.compile(r"[!-~]{1,4096}", re.ASCII)
# The server answers at its own deadline; what takes longer is the network.
_MARGIN_S = 10.0
_MAX_BYTES = 32 * 1024 * 1024
_DETAIL_CHARS = 2000
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


class RemoteBackend:
    """Implements `Backend` by the REST API of a server."""

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
        return _read(reply)

    async def close(self) -> None:
        await self._client.close()


def _check_address(base_url: str) -> str:
    parsed = urls.parse_web(base_url)
    if parsed is None or "@" in base_url:
        # It may hold a password, so it is not repeated.
        raise ConfigError("base_url must be the address of a dowse server, such as http://127.0.0.1:8000.")
    return base_url.rstrip("/").removesuffix(_API) + _API


def _read(reply: Reply) -> object:
    """The body of a success; raises the error that any other answer is."""
    if 300 <= reply.status < 400:
        raise Redirected(NAME, f"HTTP {reply.status}; base_url must be the final address")
    try:
        body = parse_json(reply.body, _MAX_BYTES)
    except ValueError:
        body = None
    if reply.status == 200 and isinstance(body, dict):
        return body
    if reply.status >= 400 and isinstance(body, dict) and isinstance(body.get("code"), str):
        raise restore_error(body, reply.status)
    if reply.status >= 500:
        raise Unavailable(NAME, f"HTTP {reply.status}", http_status=reply.status)
    said = f"HTTP {reply.status}, which is no answer of the REST API of dowse; check base_url"
    raise BadAnswer(NAME, said, http_status=reply.status)


def restore_error(problem: Mapping[str, object], status: int) -> DowseError:
    """The error that a server has described in problem details."""
    code, detail = str(problem.get("code")), one_line(str(problem.get("detail", "")), _DETAIL_CHARS)
    wait_s = problem.get("retry_after")
    retry_after_s = float(wait_s) if isinstance(wait_s, int) else None
    attempts = _attempts(problem)
    if attempts:
        # Their errors stay on the server; what each of them was is in the attempts.
        failed = _revive(AllProvidersFailed, _lines(problem))
        failed.errors, failed.attempts, failed.warnings, failed.retry_after_s = (), attempts, (), _whole(wait_s)
        return failed
    kind = _KINDS.get(code)
    if kind is not None and issubclass(kind, ProviderError):
        return kind(NAME, detail, retry_after_s=retry_after_s, http_status=status)
    if kind in (LimitReached, Overloaded):
        limited = _revive(Overloaded if kind is Overloaded else LimitReached, detail)
        limited.retry_after_s = _whole(wait_s) or 0
        return limited
    return _simple(kind, detail, status)


def _simple(kind: type[DowseError] | None, detail: str, status: int) -> DowseError:
    """An error whose text is all of it."""
    if kind is InvalidRequest:
        return InvalidRequest(detail)
    if kind is not None:
        return _revive(kind, detail)
    if status in (401, 403):
        return Unauthorized(detail)
    return InvalidRequest(detail) if status < 500 else Unavailable(NAME, detail, http_status=status)


def _revive(kind: type[E], text: str) -> E:
    """An error with this text: its own constructor would compose another."""
    return kind.__new__(kind, text)


def _attempts(problem: Mapping[str, object]) -> tuple[Attempt, ...]:
    given = problem.get("attempts")
    try:
        return tuple(decode(Attempt, each) for each in given) if isinstance(given, list) else ()
    except ValueError:
        raise BadAnswer(NAME, "the attempts of an error have another shape") from None


def _lines(problem: Mapping[str, object]) -> str:
    """The detail of an error of several providers, which has a line for each."""
    lines = str(problem.get("detail", ""))[:_DETAIL_CHARS].splitlines()
    return "\n".join(map(one_line, lines))


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _codes(kind: type[DowseError]) -> Iterator[tuple[str, type[DowseError]]]:
    """The code of each class of errors: a provider's own, else its name in lower case."""
    own = kind.code if issubclass(kind, ProviderError) else _WORD.sub("_", kind.__name__).lower()
    yield own, kind
    for below in kind.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from _codes(below)


# Of several classes with one code the most general is meant, which comes first.
_KINDS: Mapping[str, type[DowseError]] = dict(reversed(list(_codes(DowseError))))
