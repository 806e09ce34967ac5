"""Calls with eighty large pages at once: the server stays within the memory that the plan leaves it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import aiohttp
import pytest

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HTTP, SERVE, HttpServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")

MOST_MIB = 224
CALLS, PAGES = 4, 20
SOON_S = 120.0
# One character that takes four bytes makes all of a text take as much.
LINE = "\N{OTTER} " + 15 * "an otter swims in the river and eats fish every day in the water " + "\n\n"
WITHOUT_BOUND = """
import runpy
from dowse.flows.read import HeldTexts
HeldTexts.__init__.__defaults__ = (1 << 40,)
runpy.run_module("dowse", run_name="__main__", alter_sys=True)
"""


def peak_mib(pid: int) -> float:
    return int(Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024


async def peak_of(server: Server, web: PocketWeb, command: Sequence[str]) -> float:
    """The peak of the server's own memory while calls read their pages."""
    timeout = aiohttp.ClientTimeout(total=SOON_S)
    async with (
        server.http(web.environment(), command=command) as process,
        aiohttp.ClientSession(timeout=timeout) as own,
    ):
        http = HttpServer(process.url, own)

        async def call(number: int) -> str:
            urls = [web.page(f"/large/{number}/{page}") for page in range(PAGES)]
            async with http.post("get_content", {"urls": urls}) as response:
                return await response.text()

        answers = await asyncio.gather(*map(call, range(CALLS)))
        assert all(f"{PAGES} of {PAGES} pages were read" in answer for answer in answers)
        return peak_mib(process.process.pid)


@pytest.mark.promise("bound-server-memory")
async def test_eighty_large_pages_at_once_fit_into_the_memory_of_the_server(server: Server, web: PocketWeb) -> None:
    body = LINE * (1_960_000 // len(LINE))
    for number in range(CALLS * PAGES):
        web.pages.serves(f"/large/{number // PAGES}/{number % PAGES}", body, content_type="text/plain; charset=utf-8")
    assert await peak_of(server, web, HTTP) < MOST_MIB
    # Positive control: held as they are, the texts alone take more.
    assert await peak_of(server, web, (sys.executable, "-c", WITHOUT_BOUND, *SERVE)) > MOST_MIB
