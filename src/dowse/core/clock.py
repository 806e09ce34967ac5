"""The real clock; tests bring their own."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, date, datetime


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def utc(self) -> datetime:
        return datetime.now(UTC)

    def today(self) -> date:
        return self.utc().date()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
