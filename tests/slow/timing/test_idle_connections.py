"""Beside 2,000 idle or slow connections, callers are answered within three times of alone, and `/healthz` always."""

from __future__ import annotations

import asyncio
import resource
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.conftest import Server
from tests.http import HTTP, HttpServer, listening

TOKEN = "a-token-of-forty-characters-for-the-test"
CONNECTIONS = 2000
CALLS = 500
RUNS = 3
MOST = 3.0
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
HEADERS = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {TOKEN}"}
# A process of its own, as attackers have. Each connection is idle, or slow with its head or its body, and is opened
# again a second after it was closed.
ATTACK = """
import asyncio, sys

PORT, COUNT, TOKEN = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode()
HEAD = b"POST /mcp HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Type: application/json\\r\\n"
BODY = HEAD + b"Authorization: Bearer " + TOKEN + b"\\r\\nContent-Length: 9999\\r\\n\\r\\n{"
opened = 0

async def attack(number):
    global opened
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
            opened += 1
            writer.write((b"", HEAD, BODY)[number % 3])
            await reader.read()
            writer.close()
        except OSError:
            pass
        await asyncio.sleep(1)

async def main():
    attacks = [asyncio.create_task(attack(number)) for number in range(COUNT)]
    while opened < COUNT:
        await asyncio.sleep(0.01)
    print("ready", flush=True)
    await asyncio.wait(attacks)

asyncio.run(main())
"""


@asynccontextmanager
async def attacked(port: str) -> AsyncIterator[None]:
    command = (sys.executable, "-c", ATTACK, port, str(CONNECTIONS), TOKEN)
    attack = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert attack.stdout
    assert await attack.stdout.readline() == b"ready\n"
    try:
        yield
        assert attack.returncode is None
    finally:
        attack.kill()
        await attack.wait()


async def median_s(http: HttpServer) -> float:
    """Of calls that each open a connection; a check of the health follows each of them."""
    times: list[float] = []
    fresh = aiohttp.TCPConnector(force_close=True)
    async with aiohttp.ClientSession(connector=fresh, timeout=aiohttp.ClientTimeout(total=30)) as session:
        for _ in range(CALLS):
            began = time.perf_counter()
            async with session.post(http.url, json=LIST, headers=HEADERS) as response:
                assert b'"web_search"' in await response.read()
            times.append(time.perf_counter() - began)
            async with session.get(f"{http.origin}/healthz") as response:
                assert await response.read() == b"ok\n"
    return statistics.median(times)


@pytest.mark.promise("bound-connections")
@pytest.mark.skipif(resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 2 * CONNECTIONS, reason="too few open files")
async def test_two_thousand_idle_and_slow_connections_slow_callers_down_by_three_at_most(
    server: Server, tmp_path: Path
) -> None:
    ratios: list[float] = []
    async with listening(server.environment({"DOWSE_TOKENS": f"alice:{TOKEN}"}), tmp_path / "log", HTTP) as http:
        await median_s(http)
        for _ in range(RUNS):
            alone_s = await median_s(http)
            async with attacked(http.origin.rpartition(":")[2]):
                ratios.append(await median_s(http) / alone_s)
            if ratios[-1] <= MOST:
                break
    assert min(ratios) <= MOST
