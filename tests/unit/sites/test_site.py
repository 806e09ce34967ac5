"""Two requests at the same time: one of them is needed, and the other one is not worth waiting for without it."""

from __future__ import annotations

import asyncio

import pytest

from dowse.sites.site import gather_both


async def value(number: int) -> int:
    await asyncio.sleep(0)
    return number


async def test_both_answers_come_back() -> None:
    assert await gather_both(value(1), value(2)) == (1, 2)


async def test_when_the_needed_one_fails_the_other_is_given_up() -> None:
    ended = asyncio.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def failing() -> None:
        await asyncio.sleep(0)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await gather_both(failing(), endless())
    assert ended.is_set()
