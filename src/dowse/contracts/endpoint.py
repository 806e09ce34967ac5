"""HTTP endpoints as REST and the wires declare them, free of any web framework: request, reply, endpoint, wire.

A wire is a set of endpoints in the shape of another vendor's API. `surfaces/http/endpoints.py` serves them.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import parse_qsl

from dowse.core.errors import (
    AllProvidersFailed,
    DowseError,
    InternalError,
    InvalidRequest,
    LimitReached,
    Offline,
    Overloaded,
    ProviderError,
    RequestRefused,
    TimedOut,
    Unauthorized,
)
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext

API_KEY = "api_key"
"""The field of a body or a query that older clients send their token in; no endpoint sees it."""
JSON = "application/json"
MAX_BODY_BYTES = 1024 * 1024
WARNINGS_HEADER = "X-Dowse-Warnings"
"""What a shape has no field for: parameters without effect, and remarks on limits."""
_DEEPEST = 64
_MOST_FIELDS = 500


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request without its credentials; names of headers are in lower case.

    `path` holds the parameters of the path, `base_url` the address of the mount as the caller reached it, without a
    token in it.
    """

    method: str = "GET"
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    base_url: str = ""

    def first(self, name: str) -> str:
        """The first value of a parameter of the query, or an empty string."""
        return next(iter(self.query.get(name, ())), "")

    def json(self) -> object:
        """The body as JSON, without the token in it; an empty object without a body. Raises `InvalidRequest`."""
        if not self.body.strip():
            return {}
        try:
            value: object = json.loads(self.body, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            raise InvalidRequest("The body must be valid JSON.") from None
        if _is_deep(self.body, value):
            raise InvalidRequest(f"The body must be nested at most {_DEEPEST} levels deep.")
        return {name: each for name, each in value.items() if name != API_KEY} if isinstance(value, dict) else value

    def json_object(self) -> dict[str, object]:
        """The body as a JSON object; raises `InvalidRequest` for any other value."""
        value = self.json()
        if not isinstance(value, dict):
            raise InvalidRequest("The body must be a JSON object.")
        return value

    def form(self) -> dict[str, tuple[str, ...]]:
        """The fields of a body that is a URL-encoded form, without the token in it. Raises `InvalidRequest`."""
        try:
            fields = parse_fields(self.body.decode())
        except ValueError:
            raise InvalidRequest("The body must be a URL-encoded form in UTF-8.") from None
        return {name: values for name, values in fields.items() if name != API_KEY}


@dataclass(frozen=True, slots=True)
class HttpReply:
    """The answer to a request: a JSON value, text or bytes. `engine` is the provider behind it, for metrics.

    The dispatcher encodes JSON, so that the surface sends text or bytes.
    """

    data: object = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = ""
    engine: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """A server-sent event: its name, and its data as a JSON value."""

    name: str
    data: object


Emit = Callable[[Event], Awaitable[None]]
Call = Callable[[HttpRequest, CallContext], Awaitable[HttpReply]]
Fail = Callable[[DowseError, HttpRequest], HttpReply]
Stream = Callable[[HttpRequest, CallContext, Emit], Awaitable[HttpReply]]


@dataclass(frozen=True, slots=True)
class HttpEndpoint:
    """One operation below a mount. `call` raises `DowseError`; `fail` gives any error the shape that clients know.

    `path` is in the syntax of Starlette and may be empty. `name` is the tool that a call counts as. `stream` is a call
    that also emits events, for clients that ask for server-sent events; its reply is the last event. A token needs
    one of the `scopes`, or else that of the wire. A monitor takes no place of a call and counts as none.
    """

    methods: tuple[str, ...]
    path: str
    name: str
    call: Call
    fail: Fail
    stream: Stream | None = None
    max_body_bytes: int = MAX_BODY_BYTES
    scopes: tuple[str, ...] = ()
    is_monitor: bool = False


class TokenPlace(StrEnum):
    """An unusual place of a token, besides the headers and the prefix of the path, which every door accepts."""

    BODY = "body"
    """`api_key` in a JSON object or a form."""
    QUERY = "query"
    """`api_key` in the query."""


@dataclass(frozen=True, slots=True)
class Wire:
    """Endpoints below one or several mounts, as the clients of one API expect them."""

    name: str
    door: Door
    mounts: tuple[str, ...]
    endpoints: tuple[HttpEndpoint, ...]
    token_places: frozenset[TokenPlace] = frozenset({TokenPlace.BODY})
    scope: str = "wires"


def parse_fields(text: str) -> dict[str, tuple[str, ...]]:
    """The fields of a query or a form, each with all of its values; raises `ValueError` for too many."""
    fields: dict[str, list[str]] = {}
    for name, value in parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS):
        fields.setdefault(name, []).append(value)
    return {name: tuple(values) for name, values in fields.items()}


_STATUSES: tuple[tuple[type[DowseError], int], ...] = (
    (InvalidRequest, 400),
    (Unauthorized, 401),
    # Asked for by the caller or set by the owner: it will not pass by itself.
    (Offline, 409),
    (LimitReached, 429),
    (TimedOut, 504),
    (ProviderError, 502),
    (InternalError, 500),
)
_UNAVAILABLE = 503


def status_of(error: DowseError) -> int:
    """The HTTP status of an error: 4xx for the caller to correct, 502 and 504 for providers, else 503."""
    if isinstance(error, RequestRefused):
        return error.status
    if isinstance(error, AllProvidersFailed):
        return _status_of_providers(error)
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), _UNAVAILABLE)


def retry_after_s(error: DowseError) -> int | None:
    """When the caller may come back, if that is known."""
    if isinstance(error, LimitReached | Overloaded | AllProvidersFailed):
        return error.retry_after_s
    return None


def _status_of_providers(failed: AllProvidersFailed) -> int:
    if all(isinstance(error, TimedOut) for error in failed.errors):
        return 504
    return 502 if failed.retry_after_s is None else _UNAVAILABLE


def _refuse_constant(name: str) -> object:
    """JSON has no NaN and no infinity; Python would read them, and no reply could repeat them."""
    raise ValueError(name)


def _is_deep(body: bytes, value: object) -> bool:
    """Whether a value is nested too deep; looked at only where the body has brackets enough."""
    if body.count(b"[") + body.count(b"{") <= _DEEPEST:
        return False
    level: list[object] = [value]
    for _ in range(_DEEPEST):
        level = [inner for each in level for inner in _children(each)]
    return bool(level)


def _children(value: object) -> Sequence[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()
