"""A clock that moves when a test says so."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, time, timedelta

_START_S = 1000.0


class FakeClock:
    def __init__(self) -> None:
        self.time = _START_S
        self.date = date(2026, 11, 15)
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def utc(self) -> datetime:
        return datetime.combine(self.date, time(12), UTC) + timedelta(seconds=self.time - _START_S)

    def today(self) -> date:
        return self.date

    def advance(self, seconds: float) -> None:
        self.time += seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.advance(seconds)
        await asyncio.sleep(0)
