"""`/healthz` and `/readyz`: open and bare, for whoever keeps the process alive and routes to it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from dowse.surfaces.http.drain import Drain


def health_routes(drain: Drain) -> list[Route]:
    """Neither is ever refused.

    Nor does overload make a server unready: it would get no calls at all, the others would get them instead and be
    overloaded in turn. It answers what it can, and refusing the rest is the quickest thing that it does.
    """

    async def alive(_request: Request) -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    async def ready(_request: Request) -> PlainTextResponse:
        return PlainTextResponse("draining\n", 503) if drain.started else PlainTextResponse("ready\n")

    return [Route("/healthz", alive), Route("/readyz", ready)]
