"""`python -m dowse.pocketweb` is usable by hand: it prints its settings and stops cleanly."""

import asyncio
import signal
import sys

import aiohttp
import pytest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_prints_the_environment_serves_and_exits_with_zero(number):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "dowse.pocketweb", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        lines = [(await asyncio.wait_for(process.stdout.readline(), 20)).decode().strip() for _ in range(11)]
        settings = dict(line.removeprefix("export ").split("=", 1) for line in lines)
        async with aiohttp.ClientSession() as http, http.get(settings["SEARXNG_URL"] + "/healthz") as response:
            assert response.status == 200
    finally:
        process.send_signal(number)
    _, errors = await asyncio.wait_for(process.communicate(), 10)
    assert process.returncode == 0
    assert b"Traceback" not in errors
