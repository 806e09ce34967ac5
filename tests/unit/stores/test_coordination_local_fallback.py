"""A coordinator that is down: callers wait a moment, then no longer, and it is used again once it is back."""

import asyncio

import pytest

from dowse.core.errors import StoreFailed
from dowse.stores.coordination import PATIENCE_S, LocalFallback
from dowse.stores.fail_soft import Outage
from dowse.telemetry.log import LOGGER
from tests.fakes import FakeClock


class Server:
    """What is asked: down until some moment, or for good."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.down_until = 0.0
        self.tries = 0
        self.answers = asyncio.Event()
        self.answers.set()

    async def answer(self) -> str:
        self.tries += 1
        await self.answers.wait()
        if self.clock.now() < self.down_until:
            raise StoreFailed("it is down")
        return "yes"

    async def look(self) -> None:
        await self.answer()


@pytest.fixture
def server(clock: FakeClock) -> Server:
    return Server(clock)


@pytest.fixture
def fallback(clock: FakeClock, server: Server) -> LocalFallback:
    return LocalFallback(server.look, Outage(clock), clock)


async def lost(fallback: LocalFallback, server: Server, for_s: float = 1e6) -> None:
    server.down_until = server.clock.now() + for_s
    assert await fallback.ask(server.answer) is None
    server.tries = 0


async def test_what_restarts_in_a_moment_is_waited_for(
    fallback: LocalFallback, server: Server, clock: FakeClock
) -> None:
    began = clock.now()
    server.down_until = began + PATIENCE_S - 0.2
    assert await asyncio.gather(*[fallback.ask(server.answer) for _ in range(20)]) == ["yes"] * 20
    assert not fallback.is_lost
    assert clock.now() >= server.down_until


async def test_while_it_is_waited_for_one_at_a_time_asks_whether_it_is_back(fallback: LocalFallback) -> None:
    tries, answers = 0, asyncio.Event()

    async def fails_at_once_and_then_late() -> str:
        nonlocal tries
        tries += 1
        if tries > 1:
            await answers.wait()
        raise StoreFailed("it is down")

    looking = asyncio.create_task(fallback.ask(fails_at_once_and_then_late))
    while tries < 2:  # noqa: ASYNC110
        await asyncio.sleep(0)
    assert await asyncio.gather(*[fallback.ask(fails_at_once_and_then_late) for _ in range(50)]) == [None] * 50
    assert tries == 2
    answers.set()
    assert await looking is None


async def test_no_call_waits_longer_than_the_patience(
    fallback: LocalFallback, server: Server, clock: FakeClock
) -> None:
    began = clock.now()
    server.down_until = began + 1e6
    assert await fallback.ask(server.answer) is None
    assert fallback.is_lost
    assert PATIENCE_S <= clock.now() - began <= PATIENCE_S + 0.2


async def test_who_comes_later_decides_alone_at_once(fallback: LocalFallback, server: Server, clock: FakeClock) -> None:
    await lost(fallback, server)
    clock.slept.clear()
    assert await asyncio.gather(*[fallback.ask(server.answer) for _ in range(20)]) == [None] * 20
    assert (server.tries, clock.slept) == (0, [])


async def test_every_half_second_one_caller_looks_for_it(
    fallback: LocalFallback, server: Server, clock: FakeClock
) -> None:
    await lost(fallback, server)
    for _ in range(100):
        clock.advance(0.1)
        assert await fallback.ask(server.answer) is None
    assert 18 <= server.tries <= 20


async def test_while_it_says_nothing_at_all_no_call_waits_for_it(
    fallback: LocalFallback, server: Server, clock: FakeClock
) -> None:
    """Neither who looks for it, for more than a moment, nor anybody else."""
    await lost(fallback, server)
    clock.advance(0.5)
    server.answers.clear()
    async with asyncio.timeout(30):
        assert [await fallback.ask(server.answer) for _ in range(20)] == [None] * 20
    assert server.tries == 1
    server.answers.set()
    await fallback.close()
    assert fallback.is_lost


async def test_the_look_for_it_goes_on_if_who_began_it_is_cancelled(
    fallback: LocalFallback, server: Server, clock: FakeClock
) -> None:
    await lost(fallback, server, for_s=2.0)
    clock.advance(1.0)
    server.answers.clear()
    looking = asyncio.create_task(fallback.ask(server.answer))
    while not server.tries:  # noqa: ASYNC110
        await asyncio.sleep(0)
    looking.cancel()
    await asyncio.wait([looking])
    server.answers.set()
    await fallback.close()
    assert await fallback.ask(server.answer) == "yes"


async def test_what_is_back_is_found_within_half_a_second(
    fallback: LocalFallback, server: Server, clock: FakeClock
) -> None:
    await lost(fallback, server, for_s=60.0)
    clock.time = server.down_until - 0.01
    assert await fallback.ask(server.answer) is None
    clock.advance(0.5)
    assert await fallback.ask(server.answer) == "yes"
    assert not fallback.is_lost
    assert await asyncio.gather(*[fallback.ask(server.answer) for _ in range(20)]) == ["yes"] * 20


async def test_what_is_back_is_found_without_a_call(
    fallback: LocalFallback, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dowse.stores.coordination._RETRY_S", 0.01)
    await lost(fallback, server)
    server.down_until = 0.0
    async with asyncio.timeout(30):
        while fallback.is_lost:  # noqa: ASYNC110
            await asyncio.sleep(0)
    assert await asyncio.gather(*[fallback.ask(server.answer) for _ in range(20)]) == ["yes"] * 20


async def test_it_is_not_looked_for_after_the_end(fallback: LocalFallback, server: Server, clock: FakeClock) -> None:
    before = asyncio.all_tasks()
    await lost(fallback, server)
    clock.advance(0.5)
    server.answers.clear()
    looking = asyncio.create_task(fallback.ask(server.answer))
    while not server.tries:  # noqa: ASYNC110
        await asyncio.sleep(0)
    asyncio.get_running_loop().call_soon(server.answers.set)
    await fallback.close()
    assert await looking is None
    await asyncio.sleep(0)
    assert asyncio.all_tasks() <= before


async def test_one_whose_question_alone_fails_does_not_wait_for_ever(fallback: LocalFallback, server: Server) -> None:
    """The others are answered all the time, so that the coordinator is never lost."""

    async def refused() -> str:
        raise StoreFailed("it answered with the error WRONGTYPE")

    asking = asyncio.create_task(fallback.ask(refused))
    while not asking.done():
        assert await fallback.ask(server.answer) == "yes"
        await server.clock.sleep(0.01)
    assert await asking is None


async def test_without_patience_the_first_failure_is_enough(server: Server, clock: FakeClock) -> None:
    impatient = LocalFallback(server.look, Outage(clock), clock, patience_s=0.0)
    server.down_until = clock.now() + 0.5
    assert await asyncio.gather(*[impatient.ask(server.answer) for _ in range(3)]) == [None] * 3
    assert clock.slept == []
    clock.advance(0.5)
    assert await impatient.ask(server.answer) == "yes"


async def test_an_outage_and_its_end_are_told_once(
    fallback: LocalFallback, server: Server, clock: FakeClock, logged: pytest.LogCaptureFixture
) -> None:
    with logged.at_level("INFO", LOGGER.name):
        await lost(fallback, server, for_s=60.0)
        for _ in range(70):
            clock.advance(1.0)
            await fallback.ask(server.answer)
    assert [record.message for record in logged.records] == [
        "store failed, calls go on without it",
        "store works again",
    ]


async def test_an_unnoticed_moment_is_not_reported(
    fallback: LocalFallback, server: Server, clock: FakeClock, logged: pytest.LogCaptureFixture
) -> None:
    with logged.at_level("INFO", LOGGER.name):
        server.down_until = clock.now() + 0.5
        assert await fallback.ask(server.answer) == "yes"
    assert not logged.records
