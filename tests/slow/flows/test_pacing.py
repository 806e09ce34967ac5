"""A provider that allows one call in a second, and an agent or two that ask for twenty things at once."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpServer

TOKENS = {"DOWSE_TOKENS": "ana:token-of-ana,otter42:token-of-otter42"}
# The time for an answer is part of it: the turn itself has to come before that.
TIMEOUT_S = 6
IN_TIME_S = TIMEOUT_S * 3 / 4
AT_ONCE_S = 0.5


@dataclass(frozen=True)
class Told:
    """What a call brought, and after how long."""

    caller: str
    result: dict[str, Any]
    seconds: float

    @property
    def text(self) -> str:
        return str(self.result["content"][0]["text"])


async def search(http: HttpServer, caller: str, number: int) -> Told:
    arguments = {"query": f"{caller} python {number}", "fetch_content": False, "timeout_s": TIMEOUT_S}
    headers = {"Authorization": f"Bearer token-of-{caller}"}
    began = time.monotonic()
    async with http.post("web_search", arguments, headers=headers) as response:
        return Told(caller, (await response.json())["result"], time.monotonic() - began)


async def test_of_twenty_calls_at_once_all_are_served_at_the_pace_or_told_at_once(
    server: Server, web: PocketWeb
) -> None:
    settings = {**web.environment("serper"), **TOKENS, "DOWSE_PACE_SERPER": "1/s"}
    async with server.here(settings) as http:
        await search(http, "ana", 0)  # so that nothing has to be imported any more
    web.reset()
    limit = web.serper.takes(1, 1.0)
    async with server.here(settings) as http:
        calls = [search(http, caller, number) for caller in ("ana", "otter42") for number in range(10)]
        told = await asyncio.gather(*calls)
    served = [each for each in told if not each.result.get("isError")]
    refused = [each for each in told if each.result.get("isError")]

    assert limit.refused == 0, "no call was one too many"
    assert len(web.serper.requests) == len(served) == 4
    assert max(each.seconds for each in served) < IN_TIME_S + AT_ONCE_S

    order = [str(seen.json["q"]).split()[0] for seen in web.serper.requests if seen.json]
    assert set(order) == {"ana", "otter42"}
    assert all(one != next_one for one, next_one in pairwise(order[1:])), "they take turns"

    assert max(each.seconds for each in refused) < AT_ONCE_S
    for each in refused:
        assert each.text == (
            "serper could not be asked in time: it takes 1 call per second, and 3 are waiting: "
            "a turn would come in about 5 s, too late for this call; try again in 5 s"
        )
        assert each.result["_meta"] == {"dowse/retry_after": 5}
