"""How long providers usually take to answer."""

from __future__ import annotations

import math
from collections import deque

REMEMBERED = 100
# Of fewer answers the slowest twentieth says nothing.
LEAST = 20
_SHARE = 0.95


class Latency:
    """The newest answers of one provider."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=REMEMBERED)

    def add(self, seconds: float) -> None:
        self._seconds.append(seconds)

    def p95_s(self) -> float | None:
        """Within what time 95 of 100 answers came; `None` while too few are known."""
        if len(self._seconds) < LEAST:
            return None
        return sorted(self._seconds)[math.ceil(_SHARE * len(self._seconds)) - 1]
