"""Remarks about queues in a hedged request: both attempts may cause one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from dowse.core.models import Deadline
from dowse.routing.hedging import LEAST, Hedging
from dowse.routing.router import Router
from tests.fakes import FakeClock, RecordingObserver

CALLS_PER_EXTRA = 20
SHARED = "the call waited behind others"


@dataclass
class Provider:
    name: str
    answer: Callable[[], Awaitable[str]]
    timeout_s: float = 15.0


class Queues:
    """Remarks with every turn: on a queue that both providers share, or on the provider's own."""

    def turn(self, provider: str, operation: str, patience_s: float, caller: str) -> AbstractAsyncContextManager[str]:
        return nullcontext(SHARED if provider in ("a", "b") else f"the call waited for {provider}")

    def hold(self, provider: str, for_s: float) -> None: ...


async def hang() -> str:
    await asyncio.Event().wait()
    return "never"


async def answer() -> str:
    return "found"


async def hedged_warnings(first: str, second: str) -> tuple[str, ...]:
    """The warnings of an answer that the second provider gave, since the first was slower than usual."""
    clock, hedging = FakeClock(), Hedging()
    for _ in range(LEAST):
        hedging.record_answer(first, 0.5)
    for _ in range(CALLS_PER_EXTRA):
        hedging.count_call()
    providers = [Provider(first, hang), Provider(second, answer)]
    router = Router[Provider](
        "search",
        clock=clock,
        observer=RecordingObserver(),
        pacing=Queues(),
        hedging=hedging,
    )
    routed = await router.first(providers, lambda provider, _: provider.answer(), Deadline.after(clock, 50.0))
    assert (routed.answer, routed.provider) == ("found", second)
    return routed.warnings


async def test_a_hedged_answer_carries_the_warnings_of_both_attempts() -> None:
    assert await hedged_warnings("c", "d") == ("the call waited for c", "the call waited for d")


async def test_a_warning_that_both_attempts_caused_is_given_once() -> None:
    assert await hedged_warnings("a", "b") == (SHARED,)
