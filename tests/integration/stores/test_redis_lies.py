"""A Redis that answers anything but what was asked: the store fails, and no call fails with it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import date

import pytest

from dowse.core.allowances import Pace, Rate
from dowse.core.errors import StoreFailed, StoreSilent
from dowse.stores.fail_soft import FailSoftLedger, FailSoftStore, Outage
from dowse.stores.ledger import CallCount, Days, Tally
from dowse.stores.redis import RedisCoordinator, RedisStore
from dowse.stores.store import Key
from tests.fakes import FakeClock

pytestmark = pytest.mark.promise("hardened-redis-lies")

KEY = Key("search", "ab" * 32)
TODAY = Days(date(2026, 11, 15), date(2026, 11, 15))
HUGE = b":" + b"9" * 400 + b"\r\n"
Use = Callable[[RedisStore, RedisCoordinator], Awaitable[object]]

USES: dict[str, Use] = {
    "get": lambda store, _: store.get(KEY),
    "put": lambda store, _: store.put(KEY, b"text", 60.0),
    "drop": lambda store, _: store.drop(KEY),
    "claim": lambda store, _: store.claim(KEY, "ours", 60.0),
    "release": lambda store, _: store.release(KEY, "ours"),
    "add": lambda store, _: store.add("serper", TODAY, Tally(1, 300)),
    "total": lambda store, _: store.total("serper", TODAY),
    "count_calls": lambda store, _: store.count_calls([CallCount(TODAY.today, "serper", "ana", Tally(1, 1))]),
    "call_counts": lambda store, _: store.call_counts(TODAY),
    "usage": lambda store, _: store.usage(),
    "clear": lambda store, _: store.clear(),
    "admit": lambda _, board: board.admit("ana", Rate(1, 1.0)),
    "enter": lambda _, board: board.enter("serper", Pace(Rate(1, 1.0), 1), "ticket", 1.0),
    "leave": lambda _, board: board.leave("serper", "ticket"),
    "consult": lambda _, board: board.consult("serper", "ours", 1.0),
    "failure": lambda _, board: board.record_failure("serper", "ours", 1.0, at_once=True, is_limited=False),
    "success": lambda _, board: board.record_success("serper", "ours"),
    "release_probe": lambda _, board: board.release_probe("serper", "ours"),
}


def nested(depth: int, inner: bytes = b":1\r\n") -> bytes:
    return b"*1\r\n" * depth + inner


def made_up(seed: int) -> bytes:
    """A random answer of lists in lists."""
    chance = random.Random(seed)

    def any_value(depth: int) -> bytes:
        scalars = (
            b":1\r\n",
            b"$-1\r\n",
            b"*-1\r\n",
            b"+OK\r\n",
            b"-ERR no\r\n",
            b"$2\r\n\xff\x00\r\n",
            HUGE,
            b"*0\r\n",
        )
        if depth == 0 or chance.random() < 0.5:
            return chance.choice(scalars)
        length = chance.randint(0, 5)
        return b"*%d\r\n" % length + b"".join(any_value(depth - 1) for _ in range(length))

    length = chance.randint(1, 5)
    return b"*%d\r\n" % length + b"".join(any_value(4) for _ in range(length))


LIES: dict[str, bytes] = {
    "a list in a list": nested(2),
    "lists ten deep": nested(10),
    "lists 5,000 deep": nested(5_000),
    "lists of five": b"*5\r\n" + nested(2) * 5,
    "five numbers out of range": b"*5\r\n" + HUGE * 5,
    "three numbers out of range": b"*3\r\n" + HUGE * 3,
    "a number out of range": HUGE,
    "a negative number": b":-1\r\n",
    "five numbers that are negative": b"*5\r\n" + b":-1\r\n" * 5,
    "a number that is none": b":many\r\n",
    "an error inside a list": b"*1\r\n-ERR no\r\n",
    "no bulk": b"$-1\r\n",
    "no list": b"*-1\r\n",
    "an empty list": b"*0\r\n",
    "words that are no text": b"*2\r\n$2\r\n\xff\xfe\r\n$2\r\n\xff\xfe\r\n",
    "three words": b"*3\r\n" + b"$1\r\na\r\n" * 3,
    "words of a ledger that is none": b"*2\r\n$10\r\na b calls c\r\n$4\r\nmany\r\n",
    "a date that is none": b"*2\r\n$22\r\n2026-99-99 x calls ana\r\n\r\n$1\r\n1\r\n",
    "a negative length": b"$-7\r\n",
    "a negative count": b"*-7\r\n",
    "a length that is none": b"$x\r\n",
    "another protocol": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "a map": b"%1\r\n+a\r\n:1\r\n",
    "a set of lists": b"~1\r\n*1\r\n:1\r\n",
    "a push": b">2\r\n+message\r\n+x\r\n",
    "a double": b",inf\r\n",
    "a scan of lists": b"*2\r\n$1\r\n0\r\n*1\r\n*1\r\n:1\r\n",
    "a scan of numbers": b"*2\r\n$1\r\n0\r\n*1\r\n:1\r\n",
    **{f"random {seed}": made_up(seed) for seed in range(25)},
}


@asynccontextmanager
async def lying(answer: bytes) -> AsyncIterator[str]:
    """A server that gives the same answer to everything; its address."""
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with_commands = b"\r\n*"
        while data := await reader.read(65_536):
            writer.write(answer * (data.count(with_commands) + 1))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for writer in writers:
            writer.close()


async def outcome(use: Use, address: str) -> BaseException | None:
    store = RedisStore(address, FakeClock())
    try:
        async with asyncio.timeout(3):
            await use(store, RedisCoordinator(store))
    except StoreFailed:
        return None
    except Exception as error:
        return error
    finally:
        await store.close()
    return None


@pytest.mark.parametrize("lie", LIES)
async def test_any_answer_is_a_value_or_a_failure_of_the_store(lie: str) -> None:
    async with lying(LIES[lie]) as address:
        wrong = {name: error for name, use in USES.items() if (error := await outcome(use, address))}
    assert wrong == {}


async def test_a_call_goes_on_without_a_store_that_answers_lists_in_lists() -> None:
    async with lying(nested(5_000)) as address:
        store = RedisStore(address, FakeClock())
        outage = Outage(FakeClock())
        soft, ledger = FailSoftStore(store, outage), FailSoftLedger(store, outage)
        assert await soft.get(KEY) is None
        assert await soft.claim(KEY, "ours", 1.0)
        assert (await ledger.add("serper", TODAY, Tally(1, 1))).admitted
        await store.close()


@pytest.mark.promise("hardened-silent-store")
async def test_a_server_that_never_answers_is_told_from_one_that_is_not_there() -> None:
    async with lying(b"") as address:
        silent = RedisStore(address, FakeClock())
        with pytest.raises(StoreSilent):
            await silent.get(KEY)
        await silent.close()
    gone = RedisStore(address, FakeClock())
    with pytest.raises(StoreFailed) as failed:
        await gone.get(KEY)
    assert not isinstance(failed.value, StoreSilent)
    await gone.close()
