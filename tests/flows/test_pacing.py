"""A provider with a pace: the call beyond it is refused at once when its turn would come too late.

How long calls wait for their turns, and in which order, is in `tests/slow`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpServer

CALLS = 6


async def search(http: HttpServer, number: int) -> dict[str, Any]:
    arguments = {"query": f"python {number}", "fetch_content": False}
    async with http.post("web_search", arguments) as response:
        result: dict[str, Any] = (await response.json())["result"]
        return result


async def test_of_calls_at_once_one_is_asked_and_the_others_are_told_when_to_come_back(
    server: Server, web: PocketWeb
) -> None:
    limit = web.serper.takes(1, 60.0)
    async with server.here({**web.environment("serper"), "DOWSE_PACE_SERPER": "1/10m"}) as http:
        results = await asyncio.gather(*(search(http, number) for number in range(CALLS)))
    refused = [result for result in results if result.get("isError")]
    assert limit.refused == 0, "no call was one too many"
    assert (len(web.serper.requests), len(refused)) == (1, CALLS - 1)
    for result in refused:
        assert result["content"][0]["text"].startswith("serper could not be asked in time: it takes 1 call in 600 s")
        assert 500 < result["_meta"]["dowse/retry_after"] <= 602
