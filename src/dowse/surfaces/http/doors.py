"""Routing table of REST and the wires: which endpoint a path belongs to, known before the caller is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from starlette.routing import compile_path
from starlette.types import Scope

from dowse.contracts.endpoint import (
    API_KEY,
    HttpEndpoint,
    HttpReply,
    HttpRequest,
    TokenPlace,
    Wire,
    parse_fields,
)
from dowse.core.errors import DowseError, RequestRefused

MATCH = "door"
"""Key of the match in the state of a request."""
NOT_FOUND = "there is nothing at this path"


@dataclass(frozen=True, slots=True)
class DoorMatch:
    """The endpoints of one path, by method; none where only the mount is known."""

    wire: Wire
    mount: str
    endpoints: Mapping[str, HttpEndpoint] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)

    def endpoint(self, method: str) -> HttpEndpoint:
        """The endpoint of a method, `HEAD` as `GET`; raises `RequestRefused`."""
        if not self.endpoints:
            raise RequestRefused(404, NOT_FOUND)
        found = self.endpoints.get("GET" if method == "HEAD" else method)
        if found is None:
            raise RequestRefused(405, f"only {' and '.join(self.endpoints)} {'is' if self.is_single else 'are'} here")
        return found

    @property
    def is_single(self) -> bool:
        return len(self.endpoints) == 1

    @property
    def scopes(self) -> frozenset[str]:
        """The scopes of which a token needs one."""
        scopes = {scope for each in self.endpoints.values() for scope in each.scopes}
        return frozenset(scopes or {self.wire.scope})

    def takes_token(self, place: TokenPlace) -> bool:
        return place in self.wire.token_places

    def request(self, scope: Scope, origin: str, body: bytes = b"") -> HttpRequest:
        """The request as endpoints see it; raises `RequestRefused` for a query with too many fields."""
        return HttpRequest(
            scope["method"],
            self.params,
            _read_query(scope["query_string"]) if scope["query_string"] else {},
            _join_headers(scope["headers"]),
            body,
            origin + self.mount,
        )

    def fail(self, error: DowseError, request: HttpRequest) -> HttpReply:
        """An error in the shape that clients of this path know."""
        endpoints = self.endpoints or {each.path: each for each in self.wire.endpoints}
        return next(iter(endpoints.values())).fail(error, request)


@dataclass(frozen=True, slots=True)
class _Pattern:
    regex: re.Pattern[str]
    match: DoorMatch


class Doors:
    """Finds the endpoints of a path. Literal paths come first, then patterns in their order, then bare mounts."""

    def __init__(self, wires: Sequence[Wire]) -> None:
        self._literal: dict[str, DoorMatch] = {}
        self._patterns: list[_Pattern] = []
        self._mounts: dict[str, DoorMatch] = {}
        for wire in wires:
            for mount in wire.mounts:
                self._add(wire, mount)

    def find(self, path: str) -> DoorMatch | None:
        """The endpoints of a path, with or without a slash at its end."""
        found = self._literal.get(path) or self._literal.get(path.rstrip("/"))
        return found or self._find_pattern(path) or self._find_mount(path)

    def _add(self, wire: Wire, mount: str) -> None:
        for path, endpoints in _by_path(wire.endpoints).items():
            full = mount + path
            match = DoorMatch(wire, mount, endpoints)
            if "{" in path:
                # At the root of the server, a parameter in the first place would take every path.
                assert full.startswith("/") and not full.startswith("/{"), full
                self._patterns.append(_Pattern(compile_path(full)[0], match))
            else:
                self._literal.setdefault(full, match)
        if mount and wire.endpoints:
            self._mounts[mount] = DoorMatch(wire, mount)

    def _find_pattern(self, path: str) -> DoorMatch | None:
        for pattern in self._patterns:
            if matched := pattern.regex.match(path):
                found = pattern.match
                return DoorMatch(found.wire, found.mount, found.endpoints, matched.groupdict())
        return None

    def _find_mount(self, path: str) -> DoorMatch | None:
        return next((match for mount, match in self._mounts.items() if f"{path}/".startswith(f"{mount}/")), None)


def _by_path(endpoints: Iterable[HttpEndpoint]) -> dict[str, dict[str, HttpEndpoint]]:
    paths: dict[str, dict[str, HttpEndpoint]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {}).update(dict.fromkeys(endpoint.methods, endpoint))
    return paths


def _read_query(query: bytes) -> dict[str, tuple[str, ...]]:
    try:
        fields = parse_fields(query.decode("latin-1"))
    except ValueError:
        raise RequestRefused(400, "the query has too many fields") from None
    fields.pop(API_KEY, None)
    return fields


def _join_headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined
