"""Scripting: what to do instead of the honest answer, and for how many requests."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import web

Step = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class _Entry:
    step: Step
    left: int | None


class Script:
    """Steps in order. One that ends (`times=N`) is followed by the next; one that does not is replaced by it."""

    def __init__(self) -> None:
        self._entries: deque[_Entry] = deque()

    def add(self, step: Step, times: int | None) -> None:
        if times is not None and times < 1:
            raise ValueError(f"times is {times}, but a step is taken at least once")
        if self._entries and self._entries[-1].left is None:
            self._entries.pop()
        self._entries.append(_Entry(step, times))

    def take(self) -> Step | None:
        """The step for the request that just came in; `None` when the script is over."""
        if not self._entries:
            return None
        entry = self._entries[0]
        if entry.left is not None:
            entry.left -= 1
            if not entry.left:
                self._entries.popleft()
        return entry.step

    def clear(self) -> None:
        self._entries.clear()
