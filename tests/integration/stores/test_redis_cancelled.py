"""Whoever is told to stop while they talk to a Redis stops, at whatever moment that is."""

from __future__ import annotations

import asyncio

from dowse.stores.redis.client import RedisClient, parse
from tests.faultproxy import HOST, FaultProxy, limit
from tests.valkey import Valkey

# More than a command and its answer take.
MOMENTS = 60


async def lost_cancellations(client: RedisClient) -> list[int]:
    """After how many moments of the loop a call went on though it was told to stop."""
    lost = []
    for moments in range(MOMENTS):
        asked = asyncio.create_task(client.ask("SET", "name", b"value"))
        for _ in range(moments):
            await asyncio.sleep(0)
        was_under_way = asked.cancel()
        await asyncio.wait([asked])
        if was_under_way and not asked.cancelled():
            lost.append(moments)
    await client.close()
    return lost


async def test_no_cancellation_is_lost_on_the_way(valkey_url: str) -> None:
    """Before Python 3.12, `asyncio.wait_for` forgets one that comes just when its work is done; the library sends with
    it. Who renews a lease would do so for ever."""
    client = RedisClient(parse(valkey_url))
    await client.ask("PING")
    assert await lost_cancellations(client) == []


async def test_nor_is_one_lost_in_a_failure(valkey: Valkey, patient_redis: None) -> None:
    async with FaultProxy(valkey.port) as proxy:
        client = RedisClient(parse(f"redis://{HOST}:{proxy.port}/0"))
        await client.ask("PING")
        proxy.answers = (limit(0),)
        assert await lost_cancellations(client) == []
