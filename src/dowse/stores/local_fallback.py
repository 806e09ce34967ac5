"""Asking what processes share, and deciding alone while nobody answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from dowse.core.errors import StoreFailed
from dowse.core.models import Clock
from dowse.core.tasks import Background
from dowse.stores.outage import Outage

T = TypeVar("T")

# A store that restarts is back sooner. If every process began a count of its own meanwhile,
# all of them together would allow several times the limit for nothing.
PATIENCE_S = 1.5
# How often it is asked whether it is back: at first, while everybody waits for it, and then now and again.
_HURRIED_S = 0.1
_AGAIN_S = 0.5
# What is back answers sooner, even over a new connection and a long way; and one that says nothing at all must not cost
# every call as much time as an answer may take.
_SOON_S = 0.4
# How long the end of the application waits for one who looks for it.
_LAST_S = 1.0
_SHARING = "sharing"


class LocalFallback:
    """The way to a board. While it is gone one at a time looks for it, and no caller waits for long."""

    def __init__(
        self, look: Callable[[], Awaitable[None]], outage: Outage, clock: Clock, patience_s: float = PATIENCE_S
    ) -> None:
        """`look` finds out whether the board is back, and raises `StoreFailed` while it is not."""
        self._look = look
        self._outage = outage
        self._clock = clock
        self._patience_s = patience_s
        self._gone_since: float | None = None
        self._look_at = 0.0
        self._is_looking = False
        self._looks = Background()
        self._watching: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def is_lost(self) -> bool:
        """Whether the board has been gone for so long that everybody decides alone."""
        return self._gone_since is not None and self._clock.now() >= self._gone_since + self._patience_s

    async def ask(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """What the board says; `None` when it cannot be reached, and the caller is to decide alone."""
        until = self._clock.now() + self._patience_s
        while True:
            if self._is_somebody_elses_turn():
                if self.is_lost:
                    return None
                await self._clock.sleep(_HURRIED_S)
                continue
            if self.is_lost and not await self._is_back():
                return None
            try:
                return await self._try(work)
            except StoreFailed:
                # The board may serve others meanwhile, and only this caller not.
                if self.is_lost or self._clock.now() >= until:
                    return None

    async def close(self) -> None:
        """End what goes on in the background."""
        self._is_closed = True
        if self._watching is not None:
            self._watching.cancel()
        await self._looks.finish(_LAST_S)

    async def _is_back(self) -> bool:
        """Have it looked for. Who has begun to waits for what comes of it only for a moment."""
        self._start_looking()
        await asyncio.wait(set(self._looks.tasks), timeout=_SOON_S)
        return not self.is_lost

    def _start_looking(self) -> None:
        async def look() -> None:
            with suppress(StoreFailed):
                await self._try(self._look)

        self._is_looking = True
        self._looks.start(look())

    async def _watch(self) -> None:
        """Look for it while nobody asks, too: many who come at once after a pause would all decide alone."""
        while self.is_lost:
            # The store's time, and not that of our clock.
            await asyncio.sleep(_AGAIN_S)
            if self.is_lost and not self._is_looking:
                self._start_looking()

    def _is_somebody_elses_turn(self) -> bool:
        return self._gone_since is not None and (self._is_looking or self._clock.now() < self._look_at)

    async def _try(self, work: Callable[[], Awaitable[T]]) -> T:
        began = self._clock.now()
        looks_for_it = self._gone_since is not None
        if looks_for_it:
            self._is_looking = True
        try:
            answer = await work()
        except StoreFailed as error:
            self._failed(began, str(error))
            raise
        finally:
            if looks_for_it:
                self._is_looking = False
        self._gone_since = None
        self._outage.worked(_SHARING)
        return answer

    def _failed(self, began: float, detail: str) -> None:
        if self._gone_since is None:
            self._gone_since = began
        if self.is_lost:
            self._outage.failed(_SHARING, detail)
            if not self._is_closed and (self._watching is None or self._watching.done()):
                self._watching = asyncio.create_task(self._watch())
        self._look_at = self._clock.now() + (_AGAIN_S if self.is_lost else _HURRIED_S)
