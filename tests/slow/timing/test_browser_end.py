"""A browser ends with its server, whatever it was doing: within two seconds, as the issue of the design says.

By the rule for timing tests the bound is twice the figure, which is one second, and the best of three runs counts.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests import realparts
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.processes import below
from tests.stdio import SERVE, BareServer, serving

BOUND_S = 2.0
RUNS = 3

Occupy = Callable[[BareServer, PocketWeb], Awaitable[None]]


async def idle(bare: BareServer, web: PocketWeb) -> None:
    answer = await bare.call("get_content", url=web.page("/app"))
    assert answer["result"]["structuredContent"]["engine"] == "browser", answer


async def rendering(bare: BareServer, web: PocketWeb) -> None:
    """In the middle of a page whose script waits for an answer that never comes."""
    await idle(bare, web)
    page = "<div id=root></div><script src=/runtime.js></script><script>fetch('/never')</script>"
    web.pages.serves("/waiting", page).fails("/never", "hang")
    await bare.start("tools/call", {"name": "get_content", "arguments": {"url": web.page("/waiting")}})
    async with asyncio.timeout(20):
        while "/never" not in [request.path for request in web.pages.requests]:
            await web.pages.arrived(len(web.pages.requests) + 1)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="watches processes as only Linux can")
@pytest.mark.parametrize("occupy", [idle, rendering])
@pytest.mark.parametrize("how", ["stdin", "SIGTERM"])
async def test_the_browser_ends_with_its_server(
    server: Server, web: PocketWeb, tmp_path: Path, occupy: Occupy, how: str
) -> None:
    realparts.require("chromium")
    settings = web.environment() | {"DOWSE_BROWSER": "auto"}
    times = []
    for _ in range(RUNS):
        web.reset()
        async with serving(server.environment(settings), tmp_path / "log", SERVE) as bare:
            await occupy(bare, web)
            times.append(await _time_to_end(bare, how))
        if times[-1] <= BOUND_S:
            break
    assert min(times) <= BOUND_S, times


async def _time_to_end(bare: BareServer, how: str) -> float:
    """Seconds until the server and everything below it is gone."""
    processes = [process for process in below(bare.process.pid) if not process.is_zombie]
    assert any(process.is_chromium for process in processes)
    watched = []
    for process in processes:
        with contextlib.suppress(ProcessLookupError):  # a short-lived helper of Chromium may end meanwhile
            watched.append(os.pidfd_open(process.pid))
    started = time.monotonic()
    if how == "stdin":
        bare.stdin.close()
    else:
        bare.process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(bare.process.wait(), 10 * BOUND_S)
    for descriptor in watched:
        ended, _, _ = select.select([descriptor], [], [], 10 * BOUND_S)
        os.close(descriptor)
        assert ended, "a process outlived the server"
    return time.monotonic() - started
