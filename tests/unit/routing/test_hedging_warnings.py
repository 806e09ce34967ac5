"""Warnings about budgets in a hedged request: both attempts may cause one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dowse.core.models import Deadline
from dowse.routing.hedging import LEAST, Hedging
from dowse.routing.router import Router
from tests.fakes import FakeClock, RecordingObserver

CALLS_PER_EXTRA = 20
SHARED = "80 % of the budget of this month are spent"


@dataclass
class Provider:
    name: str
    answer: Callable[[], Awaitable[str]]
    timeout_s: float = 15.0


class Budgets:
    """Warns with every charge: of a budget that both providers share, and of the provider's own."""

    @asynccontextmanager
    async def charge(self, provider: str, operation: str, caller: str = "local") -> AsyncIterator[str]:
        yield SHARED if provider in ("a", "b") else f"the budget of {provider} is nearly spent"


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
        spending=Budgets(),
        hedging=hedging,
    )
    routed = await router.first(providers, lambda provider, _: provider.answer(), Deadline.after(clock, 50.0))
    assert (routed.answer, routed.provider) == ("found", second)
    return routed.warnings


async def test_a_hedged_answer_carries_the_warnings_of_both_attempts() -> None:
    """Both were paid for, so that both budgets have become smaller."""
    assert await hedged_warnings("c", "d") == ("the budget of c is nearly spent", "the budget of d is nearly spent")


async def test_a_warning_that_both_attempts_caused_is_given_once() -> None:
    assert await hedged_warnings("a", "b") == (SHARED,)
