"""`/metrics`: what the server has done since it started, for Prometheus."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dowse.app import App
from dowse.telemetry.metrics import CONTENT_TYPE, MetricsObserver


def observing(app: App) -> MetricsObserver:
    """From here on everything that happens is counted."""
    metrics = MetricsObserver(tools=[tool.name for tool in app.contract.tools], engines=app.engines)
    app.observer.add(metrics)
    return metrics


def metrics_routes(app: App, metrics: MetricsObserver) -> list[Route]:
    async def scrape(_request: Request) -> Response:
        await app.spending.report()
        metrics.tasks_counted(len(asyncio.all_tasks()))
        return Response(metrics.exposition(), headers={"Content-Type": CONTENT_TYPE})

    return [Route("/metrics", scrape)]
