"""Texts that calls hold: small ones are whole, and the memory for large ones is bounded and shared by callers."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack

import pytest

from dowse.core.models import Page, Status
from dowse.flows.read import HeldTexts, Hold

CAPACITY = 2_000_000
LEAST = 10_000


def page(size: int, line: str = "otters eat fish\n") -> Page:
    return Page("https://example.org/", Status.OK, text=line * (size // len(line)))


async def sizes(hold: Hold, *pages: Page) -> list[int]:
    return [sys.getsizeof((await hold(each)).text) for each in pages]


async def test_pages_of_usual_size_are_held_as_they_are() -> None:
    with HeldTexts().of_call("ana") as hold:
        usual = [page(300_000) for _ in range(20)]
        assert [await hold(each) for each in usual] == usual


@pytest.mark.promise("bound-server-memory")
@pytest.mark.parametrize("line", ["otters eat fish\n", "\N{OTTER}\n"], ids=["narrow", "wide"])
async def test_however_many_large_pages_calls_hold_their_memory_is_bounded(line: str) -> None:
    held, total = HeldTexts(CAPACITY), 0
    with ExitStack() as calls:
        for _ in range(10):
            hold = calls.enter_context(held.of_call("ana"))
            total += sum(await sizes(hold, *(page(400_000, line) for _ in range(20))))
    assert total < CAPACITY + 200 * sys.getsizeof(line * (LEAST // len(line)))
    # Control: with room for all of them they are held as they are.
    with HeldTexts(1 << 40).of_call("ana") as hold:
        assert 10 * sum(await sizes(hold, *(page(400_000, line) for _ in range(20)))) > 40 * CAPACITY


async def test_a_cut_page_ends_with_a_line_and_is_truncated() -> None:
    with HeldTexts(CAPACITY).of_call("ana") as hold:
        cut = await hold(page(2_000_000))
    assert (cut.status, cut.text[-15:]) == (Status.TRUNCATED, "otters eat fish")
    assert len(cut.text) == pytest.approx(CAPACITY / 4, rel=0.01)


@pytest.mark.promise("bound-server-memory")
async def test_a_caller_that_holds_all_does_not_take_the_room_of_another() -> None:
    held = HeldTexts(CAPACITY)
    with held.of_call("ana") as hold, held.of_call("ben") as other:
        await asyncio.gather(*(hold(page(400_000)) for _ in range(30)))
        assert (await other(page(200_000))).status is Status.OK
        assert (await hold(page(200_000))).status is Status.TRUNCATED, "control"


async def test_room_comes_back_with_the_end_of_a_call() -> None:
    held = HeldTexts(CAPACITY)
    with held.of_call("ana") as hold:
        await sizes(hold, *(page(400_000) for _ in range(100)))
    with held.of_call("ana") as hold:
        assert (await hold(page(400_000))).status is Status.OK
        assert (await hold(Page("https://example.org/", Status.TIMEOUT))).text == ""
