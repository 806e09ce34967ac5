"""The protected-resource document (RFC 9728): tells a client without a token where tokens come from."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Scope

from dowse.settings import Settings
from dowse.surfaces.http.paths import MCP_PATHS, WELL_KNOWN


def metadata_routes(settings: Settings) -> list[Route]:
    """The document at its well-known places; nowhere without an issuer to tell of."""
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
    """Where the document for a request's path is, as the caller can reach it."""
    asked = scope["path"].rstrip("/")
    path = asked if asked in MCP_PATHS else MCP_PATHS[0]
    return f"{_origin(scope)}{WELL_KNOWN}{path}"


def _resource(settings: Settings, scope: Scope, path: str) -> str:
    """What tokens are issued for; an audience that is no address leaves the address that was asked."""
    audience = settings.jwt_audience
    return audience if audience.startswith(("https://", "http://")) else _origin(scope) + path


def _origin(scope: Scope) -> str:
    # Checked before anything comes here, so it can be repeated.
    host: bytes = next(value for name, value in scope["headers"] if name == b"host")
    return f"{scope['scheme']}://{host.decode('ascii')}"
