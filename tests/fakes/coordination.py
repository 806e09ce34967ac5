"""A coordinator in memory, on a clock of its own: it can be down, and it can keep its answers to itself."""

from __future__ import annotations

import asyncio

from dowse.core.allowances import Pace, Rate
from dowse.core.errors import StoreFailed
from dowse.routing.provider_slots import ProviderSlots
from tests.fakes.clock import FakeClock


class MemoryCoordinator:
    """The part of a coordinator that counts calls."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.is_down = False
        self.asked = 0
        self.answers = asyncio.Event()
        self.answers.set()
        self._counts = ProviderSlots(self.clock)

    async def look(self) -> None:
        self._check()

    async def admit(self, key: str, rate: Rate) -> float:
        return await self.enter(key, Pace(rate), "", 0.0)

    async def enter(self, provider: str, pace: Pace, ticket: str, for_s: float) -> float:
        self._check()
        admission = await self._counts.enter(provider, pace, ticket, for_s)
        await self.answers.wait()
        return admission.wait_s

    async def leave(self, provider: str, ticket: str) -> None:
        self._check()
        await self._counts.leave(provider, ticket)

    def _check(self) -> None:
        self.asked += 1
        if self.is_down:
            raise StoreFailed("it is down")
