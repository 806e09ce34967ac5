"""Bearer authentication before the body is read, and the protected-resource metadata (RFC 9728) for OAuth clients."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from ipaddress import IPv6Address

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from dowse.core.models import Principal
from dowse.core.protocols import Authenticator
from dowse.core.runtime import ANONYMOUS
from dowse.net.guard import parse_address
from dowse.settings import Settings
from dowse.surfaces.http.replies import (
    HEALTH_PATHS,
    MCP_PATHS,
    METRICS_PATH,
    WELL_KNOWN,
    log_refusal,
    refusal,
    wants_details,
)

LONGEST_TOKEN_BYTES = 4096
_HOST_BITS = 64
_REMEMBERED_CLIENTS = 1024
# For orchestrators and load balancers, and for clients that have no token yet.
_OPEN = (*HEALTH_PATHS, WELL_KNOWN)
# The characters that DOWSE_TOKENS takes: visible ASCII without a comma.
_BEARER = re.compile(rb"bearer ([!-+\--~]+)", re.IGNORECASE)


class BearerAuthMiddleware:
    """Admits callers with a valid token and sets the principal; without `authenticator` every caller is anonymous."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator | None, contract: str, *, takes_jwt: bool) -> None:
        self._app = app
        self._authenticator = authenticator
        self._contract = contract
        self._takes_jwt = takes_jwt

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _is_open(scope):
            return await self._app(scope, receive, send)
        principal = await self._authenticate(scope)
        if not isinstance(principal, Principal):
            return await self._refuse_unknown(scope, principal)(scope, receive, send)
        if objection := self._objection(principal, scope["path"]):
            return await self._refuse_scope(scope, principal, *objection)(scope, receive, send)
        scope.setdefault("state", {})["principal"] = principal
        # Dropped here, so that nothing behind can pass it on.
        scope["headers"] = [header for header in scope["headers"] if header[0] != b"authorization"]
        return await self._app(scope, receive, send)

    async def _authenticate(self, scope: Scope) -> Principal | str:
        """The caller, or the reason why it is not known."""
        if self._authenticator is None:
            return anonymous(scope["client"][0] if scope.get("client") else "")
        presented = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(presented) != 1:
            return "duplicated" if presented else "missing"
        bearer = _BEARER.fullmatch(presented[0])
        if not bearer:
            return "malformed"
        if len(bearer[1]) > LONGEST_TOKEN_BYTES:
            return "oversized"
        return await self._authenticator.authenticate(bearer[1].decode("ascii")) or "wrong"

    def _refuse_unknown(self, scope: Scope, reason: str) -> Response:
        log_refusal(scope, 401, reason)
        error = "" if reason == "missing" else "invalid_token"
        sentence = "a bearer token is needed" if reason == "missing" else "the bearer token is invalid or expired"
        return refusal(401, sentence, {"WWW-Authenticate": self._challenge(scope, error)})

    def _objection(self, principal: Principal, path: str) -> tuple[str, str] | None:
        """Why a caller may not use a path, for the log and as a sentence; `None` if it may."""
        needed = "metrics" if path == METRICS_PATH else "tools"
        if principal.scopes is not None and needed not in principal.scopes:
            return "scope", f"this token does not have the scope {needed}"
        if principal.contracts is not None and self._contract not in principal.contracts:
            return "contract", f"this token is not for the tools of the contract {self._contract}"
        return None

    def _refuse_scope(self, scope: Scope, principal: Principal, reason: str, sentence: str) -> Response:
        log_refusal(scope, 403, reason, caller=principal.name)
        return refusal(403, sentence, {"WWW-Authenticate": self._challenge(scope, "insufficient_scope")})

    def _challenge(self, scope: Scope, error: str) -> str:
        parts = {
            "realm": "dowse",
            "error": error,
            "resource_metadata": metadata_url(scope) if self._takes_jwt else "",
        }
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)


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
    return f"{_origin(scope)}{WELL_KNOWN}{path}"


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
    return audience if audience.startswith(("https://", "http://")) else _origin(scope) + path


def _origin(scope: Scope) -> str:
    # `HostCheckMiddleware` has accepted it, so it can be repeated.
    host: bytes = next(value for name, value in scope["headers"] if name == b"host")
    return f"{scope['scheme']}://{host.decode('ascii')}"
