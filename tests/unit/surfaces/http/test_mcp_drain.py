"""Draining: what a shutdown waits for, for how long, and what becomes of the rest."""

import asyncio

from dowse.surfaces.http.mcp import Drain


async def test_without_calls_there_is_nothing_to_wait_for() -> None:
    drain = Drain()
    assert not drain.started
    drain.start()
    assert drain.started
    assert await drain.wait(0)


async def test_it_waits_until_the_last_call_has_ended() -> None:
    drain, first, second = Drain(), asyncio.Event(), asyncio.Event()

    async def call(end: asyncio.Event) -> None:
        with drain.track():
            await end.wait()

    async with asyncio.TaskGroup() as calls:
        calls.create_task(call(first))
        last = calls.create_task(call(second))
        await asyncio.sleep(0)
        assert drain.in_flight == 2
        first.set()
        waiting = asyncio.create_task(drain.wait(60))
        assert not await drain.wait(0)
        second.set()
        assert await waiting
    assert last.done()
    assert drain.in_flight == 0


async def test_a_call_that_is_cut_short_ends_where_it_is_and_says_so() -> None:
    drain, begun = Drain(), asyncio.Event()

    async def call() -> bool:
        with drain.track() as scope:
            begun.set()
            await asyncio.Event().wait()
        return scope.cancelled_caught

    calling = asyncio.create_task(call())
    await begun.wait()
    drain.cancel_calls()
    assert await calling
    assert await drain.wait(0)


async def test_a_call_that_ends_by_itself_was_not_cancel_calls() -> None:
    drain = Drain()
    with drain.track() as scope:
        pass
    drain.cancel_calls()
    assert not scope.cancelled_caught
