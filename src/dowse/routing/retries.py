"""A budget for second tries: when everything fails, retrying all of it would only double the load."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field

from dowse.core.models import Clock

# Of the calls to a provider in any ten seconds one in ten may be a retry; where there are few calls, three.
WINDOW_S = 10.0
SHARE = 0.1
FLOOR = 3


@dataclass(slots=True)
class _Recent:
    """When a provider was called lately, and when one of these calls was a retry."""

    calls: deque[float] = field(default_factory=deque)
    retries: deque[float] = field(default_factory=deque)

    def forget(self, until: float) -> None:
        for times in (self.calls, self.retries):
            while times and times[0] <= until:
                times.popleft()


class RetryBudget:
    """Knows how often each provider was called for one operation, and whether it may be called once more."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._recent: defaultdict[str, _Recent] = defaultdict(_Recent)

    def called(self, provider: str) -> None:
        """It was called, for the first time or once more."""
        self._now(provider).calls.append(self._clock.now())

    def take(self, provider: str) -> bool:
        """Whether a call that failed may be made again; it counts from now on."""
        recent = self._now(provider)
        if len(recent.retries) >= max(FLOOR, SHARE * len(recent.calls)):
            return False
        recent.retries.append(self._clock.now())
        return True

    def _now(self, provider: str) -> _Recent:
        recent = self._recent[provider]
        recent.forget(self._clock.now() - WINDOW_S)
        return recent
