"""Work that is done at the same time."""

from __future__ import annotations

import asyncio

import pytest

from dowse.core.runtime import Background, first_of


async def test_the_others_have_ended_when_the_first_is_done() -> None:
    ended: list[str] = []

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("slow")

    async def quick() -> None:
        await asyncio.sleep(0)

    async def wrong() -> None:
        await asyncio.sleep(0)
        raise ConnectionResetError

    await first_of(slow(), quick())
    with pytest.raises(ConnectionResetError):
        await first_of(slow(), wrong())
    whole = asyncio.create_task(first_of(slow(), slow()))
    await asyncio.sleep(0)
    whole.cancel()
    with pytest.raises(asyncio.CancelledError):
        await whole

    assert ended == ["slow"] * 4


async def test_work_in_the_background_is_done_before_the_end() -> None:
    background, done = Background(), asyncio.Event()

    async def work() -> None:
        await asyncio.sleep(0)
        done.set()

    background.start(work())
    assert not done.is_set()
    await background.finish()
    assert done.is_set()
    assert background.tasks == set()


async def test_work_in_the_background_that_does_not_end_is_cancelled() -> None:
    background = Background()

    async def work() -> None:
        await asyncio.Event().wait()

    background.start(work())
    (task,) = background.tasks
    await background.finish(0.01)
    assert task.cancelled()
