"""Authentication before any work, for all doors, and the protected-resource metadata (RFC 9728) for OAuth clients."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import IPv6Address

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from dowse.contracts.endpoint import HttpRequest, TokenPlace
from dowse.core.errors import RequestRefused, Unauthorized
from dowse.core.models import Principal
from dowse.core.protocols import Authenticator
from dowse.core.runtime import ANONYMOUS
from dowse.net.guard import parse_address
from dowse.settings import Settings
from dowse.surfaces.http import credentials
from dowse.surfaces.http.body import read_body, replay
from dowse.surfaces.http.console.door import ConsoleDoor
from dowse.surfaces.http.credentials import LONGEST_TOKEN_BYTES, MAX_KEYED_BODY_BYTES, BadCredential
from dowse.surfaces.http.doors import MATCH, DoorMatch, Doors
from dowse.surfaces.http.replies import (
    CONSOLE_PAGES,
    HEALTH_PATHS,
    MCP_PATHS,
    METRICS_PATH,
    WELL_KNOWN,
    log_refusal,
    refusal,
    respond,
    wants_details,
)

__all__ = ["LONGEST_TOKEN_BYTES", "AuthMiddleware", "anonymous", "metadata_routes", "metadata_url", "origin"]

CREDENTIAL = "credential"
"""Key of the hash of the token in the state of a request, with which a token in the body has to agree."""
_HOST_BITS = 64
_REMEMBERED_CLIENTS = 1024
# For orchestrators and load balancers, and for clients that have no token yet.
_OPEN = (*HEALTH_PATHS, WELL_KNOWN)
_BODY_METHODS = ("POST", "PUT", "PATCH")
_TOOLS = frozenset({"tools"})
_SCOPES_OF_PATHS = {
    METRICS_PATH: frozenset({"metrics"}),
    **dict.fromkeys(CONSOLE_PAGES, frozenset({"tools", "console"})),
}


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why a caller is refused: status and reason for the log, sentence and error code for the caller."""

    status: int
    reason: str
    sentence: str
    error: str = ""
    caller: str = ""


class AuthMiddleware:
    """Admits callers with a valid token and sets the principal; without `authenticator` every caller is anonymous.

    A token comes in a header, in the prefix of the path or, where clients of a wire send it so, in the query or the
    body. It is removed here. Several that differ are refused.
    """

    def __init__(
        self,
        app: ASGIApp,
        authenticator: Authenticator | None,
        contract: str,
        *,
        takes_jwt: bool,
        doors: Doors | None = None,
        console: ConsoleDoor | None = None,
    ) -> None:
        self._app = app
        self._authenticator = authenticator
        self._contract = contract
        self._takes_jwt = takes_jwt
        self._doors = doors or Doors(())
        self._console = console

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        in_path = credentials.take_path_token(scope)
        if self._is_open(scope):
            return await self._app(scope, receive, send)
        state = scope.setdefault("state", {})
        match = state[MATCH] = self._doors.find(scope["path"])
        try:
            presented = self._present(scope, match, in_path) or await self._find_session(scope, match)
            if not presented and self._may_be_in_body(scope, match):
                receive, presented = await _read_token(scope, receive)
            principal = await self._authenticate(scope, presented)
        except BadCredential as bad:
            return await self._refuse(scope, match, _unknown(str(bad)))(scope, receive, send)
        if refused := self._objection(principal, scope["path"], match):
            return await self._refuse(scope, match, refused)(scope, receive, send)
        state["principal"] = principal
        state[CREDENTIAL] = digest(presented)
        credentials.drop_headers(scope)
        return await self._app(scope, receive, send)

    def _is_open(self, scope: Scope) -> bool:
        return _is_open(scope) or (self._console is not None and self._console.is_open(scope))

    def _present(self, scope: Scope, match: DoorMatch | None, in_path: str) -> str:
        """The token in front of the body; empty without one. Raises `BadCredential`."""
        return credentials.only_one(_find(scope, match, in_path)) if self._authenticator else ""

    async def _find_session(self, scope: Scope, match: DoorMatch | None) -> str:
        """The token of a session of the console; empty where sessions do not count."""
        return await self._console.find_token(scope, match) if self._authenticator and self._console else ""

    def _may_be_in_body(self, scope: Scope, match: DoorMatch | None) -> bool:
        takes_it = match is not None and match.takes_token(TokenPlace.BODY) and bool(match.endpoints)
        return self._authenticator is not None and takes_it and scope["method"] in _BODY_METHODS

    async def _authenticate(self, scope: Scope, presented: str) -> Principal:
        """The caller; raises `BadCredential` with the reason why it is not known."""
        if self._authenticator is None:
            return anonymous(scope["client"][0] if scope.get("client") else "")
        if not presented:
            raise BadCredential("missing")
        principal = await self._authenticator.authenticate(presented)
        if principal is None:
            raise BadCredential("wrong")
        return principal

    def _objection(self, principal: Principal, path: str, match: DoorMatch | None) -> _Refusal | None:
        """Why a caller may not use a path; `None` if it may."""
        is_page = path in CONSOLE_PAGES
        needed = match.scopes if match else _SCOPES_OF_PATHS.get(path, _TOOLS)
        if principal.scopes is not None and not needed & principal.scopes:
            sentence = f"this token does not have the scope {' or '.join(sorted(needed))}"
            return _Refusal(403, "scope", sentence, "insufficient_scope", principal.name)
        contract = "dowse" if match or is_page else self._contract
        if principal.contracts is not None and contract not in principal.contracts:
            sentence = f"this token is not for the tools of the contract {contract}"
            return _Refusal(403, "contract", sentence, "insufficient_scope", principal.name)
        return None

    def _refuse(self, scope: Scope, match: DoorMatch | None, refused: _Refusal) -> Response:
        caller = {"caller": refused.caller} if refused.caller else {}
        log_refusal(scope, refused.status, refused.reason, **caller)
        if refused.status == 401 and self._console and self._console.is_page(scope):
            return self._console.redirect()
        headers = {"WWW-Authenticate": self._challenge(scope, refused.error)}
        if match is None:
            return refusal(refused.status, refused.sentence, headers)
        error = Unauthorized(refused.sentence) if refused.status == 401 else RequestRefused(403, refused.sentence)
        request = HttpRequest(scope["method"], match.params, base_url=origin(scope) + match.mount)
        return respond(match.fail(error, request), {**headers, "Connection": "close"})

    def _challenge(self, scope: Scope, error: str) -> str:
        parts = {
            "realm": "dowse",
            "error": error,
            "resource_metadata": metadata_url(scope) if self._takes_jwt else "",
        }
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)


def digest(token: str) -> bytes:
    """A hash of a token that was presented, to compare it with another place of the same request."""
    return hashlib.sha256(token.encode()).digest() if token else b""


def check_body(scope: Scope, body: bytes, match: DoorMatch) -> None:
    """Raise `Unauthorized` for a body with a token that differs from the admitted one."""
    admitted: bytes = scope["state"].get(CREDENTIAL, b"")
    if not admitted or not match.takes_token(TokenPlace.BODY):
        return
    for token in credentials.find_in_body(body, Headers(scope=scope).get("content-type", "")):
        if not hmac.compare_digest(digest(token.decode("utf-8", "replace")), admitted):
            log_refusal(scope, 401, "different")
            raise Unauthorized(_unknown("different").sentence)


def _find(scope: Scope, match: DoorMatch | None, in_path: str) -> Iterator[bytes]:
    yield from credentials.find_in_headers(scope)
    if in_path:
        yield in_path.encode("utf-8", "replace")
    if match and match.takes_token(TokenPlace.QUERY):
        yield from credentials.find_in_query(scope)


async def _read_token(scope: Scope, receive: Receive) -> tuple[Receive, str]:
    """The token in a short body, and the body once more. Raises `BadCredential`."""
    headers = Headers(scope=scope)
    try:
        body = await read_body(headers, receive, MAX_KEYED_BODY_BYTES)
    except RequestRefused:
        raise BadCredential("missing") from None
    if body is None:
        raise BadCredential("missing")
    token = credentials.only_one(credentials.find_in_body(body, headers.get("content-type", "")))
    return replay(body, receive), token


def _unknown(reason: str) -> _Refusal:
    if reason == "missing":
        return _Refusal(401, reason, "a bearer token is needed")
    if reason == "different":
        return _Refusal(401, reason, "the request has several tokens, and they differ", "invalid_token")
    return _Refusal(401, reason, "the bearer token is invalid or expired", "invalid_token")


def metadata_routes(settings: Settings) -> list[Route]:
    """The protected-resource document at its well-known places; none without an issuer."""
    if not settings.takes_jwt:
        return []

    async def document(request: Request) -> JSONResponse:
        path = request.url.path.removeprefix(WELL_KNOWN) or MCP_PATHS[0]
        return JSONResponse(
            {
                "resource": _resource(settings, request.scope, path),
                "authorization_servers": [settings.jwt_issuer],
                "bearer_methods_supported": ["header"],
                "resource_name": "dowse",
            }
        )

    return [Route(WELL_KNOWN + path, document, methods=["GET"]) for path in ("", *MCP_PATHS)]


def metadata_url(scope: Scope) -> str:
    """The address of the document for a request's path, as the caller can reach it."""
    asked = scope["path"].rstrip("/")
    path = asked if asked in MCP_PATHS else MCP_PATHS[0]
    return f"{origin(scope)}{WELL_KNOWN}{path}"


@lru_cache(_REMEMBERED_CLIENTS)
def anonymous(host: str) -> Principal:
    """The caller without a token at an address; of IPv6 the /64 that one client has."""
    address = parse_address(host)
    if isinstance(address, IPv6Address):
        host = str(address.ipv4_mapped or IPv6Address(int(address) >> _HOST_BITS << _HOST_BITS))
    return replace(ANONYMOUS, client=host)


def _is_open(scope: Scope) -> bool:
    path = scope["path"]
    if path in HEALTH_PATHS:
        return not wants_details(scope)
    return path in _OPEN or path.startswith(f"{WELL_KNOWN}/")


def _resource(settings: Settings, scope: Scope, path: str) -> str:
    """The audience of tokens, or the requested address if the audience is no URL."""
    audience = settings.jwt_audience
    return audience if audience.startswith(("https://", "http://")) else origin(scope) + path


def origin(scope: Scope) -> str:
    """Scheme and host of the server as the caller reached it."""
    # `HostCheckMiddleware` has accepted it, so it can be repeated.
    host: bytes = next(value for name, value in scope["headers"] if name == b"host")
    return f"{scope['scheme']}://{host.decode('ascii')}"
