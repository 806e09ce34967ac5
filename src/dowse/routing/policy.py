"""Fallback policy: which failures lead to the next provider or to a retry, and how the deadline is divided."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field

from dowse.core.errors import (
    Blocked,
    Irrelevant,
    KeyRejected,
    Misconfigured,
    NetworkFailed,
    NotCovered,
    NotRead,
    ProviderError,
    RateLimited,
    TimedOut,
    Transient,
    Unavailable,
    Unread,
)
from dowse.core.models import Clock

# Retried at the last provider: these pass within moments. A timeout has already cost its time, and a broken body
# or a spent quota does not change.
_RETRYABLE = (Unavailable, NetworkFailed, RateLimited)
RETRY_DELAY_S = (0.1, 0.4)
# A timeout after less time than this says nothing about the provider's health.
FAIR_TIME_S = 5.0
# Most answers take less. A turn that leaves less time would most likely time out.
ANSWER_S = 2.0
# The longest wait for a turn while other providers are left.
ELSEWHERE_S = 3.0


@dataclass(frozen=True, slots=True)
class FallbackPolicy:
    """Decides the step after a failure: fallback, warning, retry, circuit breaker.

    The default lets the user see a rejected key; `after_rejected_key` moves on. `after_everything` is for
    a chain that goes on behind its last provider: it moves on after any failure with a warning, without retries.
    """

    after_rejected_key: bool = False
    after_everything: bool = False
    # Readers of many sites: that five pages were slow says nothing about the sixth.
    never_blamed: frozenset[str] = frozenset()
    # Providers without a key: there is nothing to fix, and another provider may take a query that one refuses.
    keyless: frozenset[str] = frozenset()

    def moves_on(self, error: ProviderError) -> bool:
        rejected = self.after_rejected_key and isinstance(error, KeyRejected)
        is_keyless = error.provider in self.keyless
        return self.after_everything or rejected or is_keyless or isinstance(error, Transient)

    def warns(self, error: ProviderError) -> bool:
        """Whether the user gets a warning although another provider may answer."""
        if isinstance(error, Unread):
            # The outcome of a page is its status, and the attempts tell it.
            return False
        if error.provider in self.keyless:
            # There is nothing to fix, and the attempts tell it.
            return False
        return self.after_everything or isinstance(error, KeyRejected | Blocked | Misconfigured | Irrelevant)

    def blames(self, error: ProviderError) -> bool:
        """Whether an error says something about the provider's health, so that its breaker should hear of it."""
        return counts_as_failure(error) and error.provider not in self.never_blamed

    def retries(self, error: ProviderError) -> bool:
        """Whether the last provider is asked once more."""
        return not self.after_everything and worth_retrying(error)


def counts_as_failure(error: ProviderError) -> bool:
    """Whether an error says something about the provider's health; a bad key, query or page does not."""
    return isinstance(error, Transient) and error.was_asked and not isinstance(error, NotRead | NotCovered)


def says_nothing(error: ProviderError, given_s: float, timeout_s: float) -> bool:
    """Whether an error is no evidence of the provider's health: it had too little time, or was not asked."""
    return lacked_time(error, given_s, timeout_s) or not error.was_asked


def lacked_time(error: ProviderError, given_s: float, timeout_s: float) -> bool:
    """Whether a timeout is due to a short deadline of the caller."""
    return isinstance(error, TimedOut) and given_s < min(timeout_s, FAIR_TIME_S)


def worth_retrying(error: ProviderError) -> bool:
    # A provider with several servers has asked as many of them as one query may reach.
    return isinstance(error, _RETRYABLE) and error.retry_after_s is None and not error.instances


def share_of(remaining_s: float, timeouts_s: list[float]) -> float:
    """How long the first of these providers may take so that each of the others can still run.

    It gets its own timeout when there is time for all timeouts; otherwise at least an equal share.
    """
    own, others = timeouts_s[0], timeouts_s[1:]
    return min(own, max(remaining_s / len(timeouts_s), remaining_s - sum(others)))


def patience_of(remaining_s: float, timeouts_s: list[float]) -> float:
    """How long to queue for the first of these providers.

    After that it still has the time that most answers take, or a quarter of its share. Where others are left, they
    have their time too, and fallback is better than a long wait.
    """
    own, others = timeouts_s[0], timeouts_s[1:]
    given_s = max(remaining_s / len(timeouts_s), remaining_s - sum(others))
    patience_s = given_s - min(own, ANSWER_S, given_s / 4)
    return min(patience_s, ELSEWHERE_S) if others else patience_s


# Of the calls to a provider in any ten seconds one in ten may be a retry; where there are few calls, three.
WINDOW_S = 10.0
SHARE = 0.1
FLOOR = 3


@dataclass(slots=True)
class _Recent:
    """Times of the recent calls and retries of one provider."""

    calls: deque[float] = field(default_factory=deque)
    retries: deque[float] = field(default_factory=deque)

    def forget(self, until: float) -> None:
        for times in (self.calls, self.retries):
            while times and times[0] <= until:
                times.popleft()


class RetryBudget:
    """Retry budget: retries of a provider are a tenth of its recent calls at most."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._recent: defaultdict[str, _Recent] = defaultdict(_Recent)

    def count_call(self, provider: str) -> None:
        """Count a call, whether first attempt or retry."""
        self._now(provider).calls.append(self._clock.now())

    def take(self, provider: str) -> bool:
        """Take one retry from the budget, if there is one."""
        recent = self._now(provider)
        if len(recent.retries) >= max(FLOOR, SHARE * len(recent.calls)):
            return False
        recent.retries.append(self._clock.now())
        return True

    def _now(self, provider: str) -> _Recent:
        recent = self._recent[provider]
        recent.forget(self._clock.now() - WINDOW_S)
        return recent
