"""Stand-ins around the router: providers that a test scripts, a budget, and turns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from dowse.core import errors
from dowse.core.models import Deadline
from tests.fakes.clock import FakeClock

Behaviour = Callable[[], Awaitable[str]]


@dataclass
class Scripted:
    """A provider whose answer a test writes; counts how often it was asked."""

    name: str
    behaviour: Behaviour
    timeout_s: float = 15.0
    calls: int = 0
    given_s: float = 0.0

    async def call(self, deadline: Deadline) -> str:
        self.calls += 1
        self.given_s = deadline.remaining_s()
        return await self.behaviour()


def answers(text: str = "found") -> Behaviour:
    async def behave() -> str:
        return text

    return behave


def fails(error: errors.ProviderError) -> Behaviour:
    async def behave() -> str:
        raise error

    return behave


def hangs() -> Behaviour:
    async def behave() -> str:
        await asyncio.Event().wait()
        raise AssertionError

    return behave


class Purse:
    """Spending as a test writes it: who may not be asked any more."""

    def __init__(self, *spent: str) -> None:
        self.spent = set(spent)
        self.charged: list[tuple[str, str]] = []

    @asynccontextmanager
    async def charge(self, provider: str, operation: str, caller: str = "local") -> AsyncIterator[None]:
        if provider in self.spent:
            raise errors.BudgetSpent(provider, "its budget is spent", retry_after_s=1000)
        await self.enter()
        self.charged.append((provider, operation))
        yield

    async def enter(self) -> None:
        """Write the charge down."""


@dataclass
class Turns:
    """Implements `Pacing`: turns come after so long, or never in time; remembers how patient callers were."""

    clock: FakeClock
    waits_s: dict[str, float] = field(default_factory=dict)
    remark: str = ""
    patience: list[tuple[str, float]] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    paused: list[tuple[str, float]] = field(default_factory=list)
    comes: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def turn(self, provider: str, operation: str, patience_s: float, caller: str) -> AsyncIterator[str]:
        self.patience.append((provider, patience_s))
        wait_s = self.waits_s.get(provider, 0.0)
        if wait_s > patience_s:
            raise errors.Busy(provider, "no turn in time", retry_after_s=wait_s)
        if wait_s < 0:
            await self.comes.wait()
        self.clock.advance(max(0.0, wait_s))
        self.held.append(provider)
        try:
            yield self.remark
        finally:
            self.held.remove(provider)

    def hold(self, provider: str, for_s: float) -> None:
        self.paused.append((provider, for_s))
