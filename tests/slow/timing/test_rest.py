"""REST in time: hits that do not wait for pages, and a ceiling on the CPU of a search."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from benchmarks.rest import CEILING, JUDGED, compare
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpServer
from tests.tries import ratio

PAGE_S, SOON_S = 3.0, 0.3


@pytest.mark.promise("rest-stream")
async def test_slow_pages_do_not_delay_the_hits(server: Server, web: PocketWeb) -> None:
    """The best of three counts: a busy machine may delay anything."""
    async with server.http(web.environment("serper")) as http:
        delays = []
        for number in range(3):
            web.reset()
            web.pages.delays(PAGE_S)
            first_s, hits_s, result_s = await time_events(http, web, number)
            assert result_s >= PAGE_S
            delays.append((first_s, hits_s))
    assert min(first for first, _ in delays) <= SOON_S
    assert min(hits for _, hits in delays) <= SOON_S


async def time_events(http: HttpServer, web: PocketWeb, number: int) -> tuple[float, float, float]:
    """Seconds from the moment in which the provider was asked, which answers at once, to three events."""
    asked = asyncio.create_task(arrive(web))
    headers, query = {"Accept": "text/event-stream"}, {"query": f"python release {number}", "num_results": 2}
    times: dict[str, float] = {}
    async with http.session.post(f"{http.origin}/api/v1/search", json=query, headers=headers) as response:
        async for line in response.content:
            if line.startswith(b"event: "):
                times.setdefault("first", time.monotonic())
                times.setdefault(line[7:].strip().decode(), time.monotonic())
    began = await asked
    return times["first"] - began, times["hits"] - began, times["result"] - began


async def arrive(web: PocketWeb) -> float:
    await web.serper.arrived()
    return time.monotonic()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc, which only Linux has")
def test_a_search_costs_no_more_than_it_did() -> None:
    """A ceiling against regressions. The target, 1.6 times a bare route, is not reached: see benchmarks/rest.py."""

    def costs() -> tuple[float, float]:
        found = compare(rounds=3, calls=100)
        return found[JUDGED], found["REST"]

    assert ratio(costs, CEILING) <= CEILING
