"""The HTTP server from its start to a signal, in this process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import aiohttp
import pytest

from dowse.app import App
from dowse.settings.sources import load
from dowse.surfaces.http.replies import HEALTH_PATHS
from dowse.surfaces.http.serve import serve_http
from dowse.telemetry.log import configure

STOP = (signal.SIGINT, signal.SIGTERM)
PATIENCE_S = 60


@pytest.fixture
def handlers_as_before() -> Iterator[None]:
    """Signal handlers belong to the process."""
    before = {number: signal.getsignal(number) for number in STOP}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers_as_before")
@pytest.mark.parametrize("number", STOP)
def test_the_server_answers_where_its_log_says_until_a_signal(number: signal.Signals) -> None:
    reading, writing = os.pipe()

    def visit() -> tuple[int, list[str]]:
        """Wait for the event that names the address, look at the server's health, and stop it."""
        with os.fdopen(reading) as log:
            listening = json.loads(log.readline())
            try:
                status = asyncio.run(status_of(listening["url"].removesuffix("/mcp") + HEALTH_PATHS[0]))
            finally:
                os.kill(os.getpid(), number)
            return status, [listening["event"], *(json.loads(line)["event"] for line in log)]

    with ThreadPoolExecutor(1) as visitor:
        visiting = visitor.submit(visit)
        with os.fdopen(writing, "w") as stream:
            app = App(load({"DOWSE_PORT": "0"}, {}).settings)
            configure("info", app.redactor, stream)
            code = serve_http(app)
        status, events = visiting.result(PATIENCE_S)

    assert (code, status) == (0, 200)
    assert events == ["listening", "shutting down"]


async def status_of(url: str) -> int:
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return response.status
