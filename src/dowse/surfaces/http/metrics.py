"""`/metrics`: what the server has done since it started, for Prometheus."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dowse.app import App
from dowse.telemetry.metrics import CONTENT_TYPE, MetricsObserver


def metrics_routes(app: App) -> list[Route]:
    """From here on everything that happens is counted."""
    metrics = MetricsObserver(tools=[tool.name for tool in app.contract.tools], engines=app.engines)
    app.observer.add(metrics)

    async def scrape(_request: Request) -> Response:
        await app.spending.report()
        return Response(metrics.exposition(), headers={"Content-Type": CONTENT_TYPE})

    return [Route("/metrics", scrape)]
