"""A queue that is fair to callers: they take turns, and the calls of each go in the order in which they came."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from dowse.core.errors import Busy


@dataclass(eq=False, slots=True)
class Waiter:
    """One call that waits until it is called to the head of the queue, or told that its turn would come too late."""

    caller: str
    ticket: str
    until: float
    called: asyncio.Future[Busy | None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def call(self, refusal: Busy | None = None) -> None:
        # Who was cancelled a moment ago may still stand in the queue.
        if not self.called.done():
            self.called.set_result(refusal)


class FairQueue:
    """Round robin between callers: who asks for twenty things delays somebody who asks for one by one turn, not twenty.

    Whoever comes anew stands behind all others, so that nobody is passed for ever.
    """

    def __init__(self) -> None:
        # By caller, in the order of their next turns.
        self._waiting: dict[str, deque[Waiter]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, waiter: Waiter) -> None:
        self._waiting.setdefault(waiter.caller, deque()).append(waiter)

    def first(self) -> Waiter | None:
        return next((waiting[0] for waiting in self._waiting.values()), None)

    def serve(self, waiter: Waiter) -> None:
        """Its turn has come: the next one is another caller's."""
        self.drop(waiter)
        if waiter.caller in self._waiting:
            self._waiting[waiter.caller] = self._waiting.pop(waiter.caller)

    def drop(self, waiter: Waiter) -> None:
        """It has gone, or was told to; the others of its caller keep their place."""
        waiting = self._waiting.get(waiter.caller)
        if waiting is None or waiter not in waiting:
            return
        waiting.remove(waiter)
        if not waiting:
            del self._waiting[waiter.caller]

    def late(self, fits: Callable[[Waiter, int], bool]) -> list[tuple[Waiter, int]]:
        """Who would be served too late, each with the number of those before it; the next of its caller moves up.

        `fits` says whether a waiter can be served in time behind so many others.
        """
        rounds = deque(deque(waiting) for waiting in self._waiting.values())
        late, ahead = [], 0
        while rounds:
            waiting = rounds.popleft()
            while waiting:
                waiter = waiting.popleft()
                if fits(waiter, ahead):
                    ahead += 1
                    break
                late.append((waiter, ahead))
            if waiting:
                rounds.append(waiting)
        return late
