"""Credentials: who calls is known before one byte of the body is read, and nothing behind sees the token."""

from __future__ import annotations

import re

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dowse.core.models import LOCAL, Principal
from dowse.core.protocols import Authenticator
from dowse.surfaces.http.metadata import metadata_url
from dowse.surfaces.http.paths import HEALTH_PATHS, WELL_KNOWN
from dowse.surfaces.http.replies import log_refusal, refusal

LONGEST_TOKEN_BYTES = 4096
# For whoever keeps the process alive and routes to it, and for clients that have no token yet.
_OPEN = (*HEALTH_PATHS, WELL_KNOWN)
# What a token may consist of is what DOWSE_TOKENS takes: visible ASCII without a comma.
_BEARER = re.compile(rb"bearer ([!-+\--~]+)", re.IGNORECASE)


class Credentials:
    """Lets callers with a good token through and says who they are; without `authenticator` all are the owner."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator | None, contract: str, *, takes_jwt: bool) -> None:
        self._app = app
        self._authenticator = authenticator
        self._contract = contract
        self._takes_jwt = takes_jwt

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _is_open(scope["path"]):
            return await self._app(scope, receive, send)
        principal = await self._caller(scope)
        if not isinstance(principal, Principal):
            return await self._unknown(scope, principal)(scope, receive, send)
        if principal.contracts is not None and self._contract not in principal.contracts:
            return await self._not_theirs(scope, principal)(scope, receive, send)
        scope.setdefault("state", {})["principal"] = principal
        # It has done its work: what nothing behind can see, nothing behind can pass on.
        scope["headers"] = [header for header in scope["headers"] if header[0] != b"authorization"]
        return await self._app(scope, receive, send)

    async def _caller(self, scope: Scope) -> Principal | str:
        """Who calls, or the reason why that is not known."""
        if self._authenticator is None:
            return LOCAL
        presented = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(presented) != 1:
            return "duplicated" if presented else "missing"
        bearer = _BEARER.fullmatch(presented[0])
        if not bearer:
            return "malformed"
        if len(bearer[1]) > LONGEST_TOKEN_BYTES:
            return "oversized"
        return await self._authenticator.authenticate(bearer[1].decode("ascii")) or "wrong"

    def _unknown(self, scope: Scope, reason: str) -> Response:
        log_refusal(scope, 401, reason)
        error = "" if reason == "missing" else "invalid_token"
        sentence = "a bearer token is needed" if reason == "missing" else "the bearer token is not good"
        return refusal(401, sentence, {"WWW-Authenticate": self._challenge(scope, error)})

    def _not_theirs(self, scope: Scope, principal: Principal) -> Response:
        log_refusal(scope, 403, "contract", caller=principal.name)
        sentence = f"this token is not for the tools of the contract {self._contract}"
        return refusal(403, sentence, {"WWW-Authenticate": self._challenge(scope, "insufficient_scope")})

    def _challenge(self, scope: Scope, error: str) -> str:
        parts = {
            "realm": "dowse",
            "error": error,
            "resource_metadata": metadata_url(scope) if self._takes_jwt else "",
        }
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)


def _is_open(path: str) -> bool:
    return path in _OPEN or path.startswith(f"{WELL_KNOWN}/")
