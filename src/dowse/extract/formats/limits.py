"""How much of a document one job may read."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

# The rest is for making Markdown of it and sending it back.
_READING_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a job; a document that exceeds them is cut where that is possible, and says so."""

    pdf_pages: int = 100
    stop_at: float = math.inf
    now: Callable[[], float] = time.monotonic

    @classmethod
    def within(cls, seconds: float, *, pdf_pages: int) -> Self:
        """Those of a job that has so much time from now on."""
        return cls(pdf_pages, time.monotonic() + _READING_SHARE * seconds)

    @property
    def is_late(self) -> bool:
        """Whether to stop reading: half a document is better than a process that was killed."""
        return self.now() > self.stop_at
