"""A provider's rate limit, kept as strictly as one can be: by arrival, on its own clock, in a window that slides."""

from __future__ import annotations

import time
from collections import deque


class Limit:
    """So many calls in any stretch of time as long as this; what is refused does not count."""

    def __init__(self, calls: int, period_s: float) -> None:
        self._calls = calls
        self._period_s = period_s
        self._taken: deque[float] = deque(maxlen=calls)
        self.refused = 0

    def refuses(self) -> bool:
        now = time.monotonic()
        if len(self._taken) == self._calls and now - self._taken[0] < self._period_s:
            self.refused += 1
            return True
        self._taken.append(now)
        return False
