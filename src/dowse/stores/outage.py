"""One voice for a store that is down, whoever notices it first."""

from __future__ import annotations

import logging

from dowse.core.models import Clock
from dowse.telemetry.log import event

REST_S = 60.0


class Outage:
    """Which uses of a store fail at the moment: the first is told once, and each is left alone for a while."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rests_until: dict[str, float] = {}
        self._untold: list[str] = []

    def rests(self, use: str) -> bool:
        """Whether this use has failed a moment ago, so that it is not worth another try."""
        return self._clock.now() < self._rests_until.get(use, 0.0)

    def failed(self, use: str, detail: str) -> None:
        if not self._rests_until:
            event(logging.WARNING, "store failed, calls go on without it", detail=detail)
            self._untold.append(f"the store failed, so less is remembered: {detail}")
        self._rests_until[use] = self._clock.now() + REST_S

    def worked(self, use: str) -> None:
        if self._rests_until.pop(use, None) is not None and not self._rests_until:
            event(logging.INFO, "store works again")

    def hurry(self, use: str) -> None:
        """One more try right now, whatever has failed before."""
        if use in self._rests_until:
            self._rests_until[use] = 0.0

    def complaints(self) -> tuple[str, ...]:
        """What users have not been told yet."""
        untold, self._untold = tuple(self._untold), []
        return untold
