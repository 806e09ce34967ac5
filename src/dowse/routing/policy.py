"""Which failure leads to the next provider, which to one retry, and how time is divided."""

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

# Tried once more when nobody else is left: these pass by themselves within moments. A timeout has
# already cost its time, and a broken body or a spent quota stays what it is.
_RETRYABLE = (Unavailable, NetworkFailed, RateLimited)
RETRY_DELAY_S = (0.1, 0.4)
# Somebody in a hurry may leave a provider less time than it needs; that says nothing about its health.
FAIR_TIME_S = 5.0
# Within this most answers come. Who waits for a turn until less is left would most likely wait in vain.
ANSWER_S = 2.0
# Whoever can be asked elsewhere waits no longer than this.
ELSEWHERE_S = 3.0


@dataclass(frozen=True, slots=True)
class FallbackPolicy:
    """What a failure leads to.

    The default lets the user see a rejected key; `after_rejected_key` moves on. `after_everything` is for
    a chain that goes on behind its last provider: it moves on whatever happened, says so, and retries nobody.
    """

    after_rejected_key: bool = False
    after_everything: bool = False
    # Readers of many sites: that five pages were slow says nothing about the sixth.
    never_blamed: frozenset[str] = frozenset()
    # Whom nobody has chosen: there is no key of theirs to mend, and what they refuse another one may take.
    keyless: frozenset[str] = frozenset()

    def moves_on(self, error: ProviderError) -> bool:
        rejected = self.after_rejected_key and isinstance(error, KeyRejected)
        is_keyless = error.provider in self.keyless
        return self.after_everything or rejected or is_keyless or isinstance(error, Transient)

    def warns(self, error: ProviderError) -> bool:
        """Whether the user should know although somebody else may answer."""
        if isinstance(error, Unread):
            # What became of a page is its status, and the attempts tell it.
            return False
        if error.provider in self.keyless:
            # There is nothing to mend, and the attempts tell it.
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
    """Whether an error tells nothing of the provider's health, good or bad: it was hurried, or not asked at all."""
    return was_hurried(error, given_s, timeout_s) or not error.was_asked


def was_hurried(error: ProviderError, given_s: float, timeout_s: float) -> bool:
    """Whether a timeout is the caller's doing: the provider had less time than is fair."""
    return isinstance(error, TimedOut) and given_s < min(timeout_s, FAIR_TIME_S)


def worth_retrying(error: ProviderError) -> bool:
    # Who has several servers has asked as many of them as one query may reach.
    return isinstance(error, _RETRYABLE) and error.retry_after_s is None and not error.instances


def share_of(remaining_s: float, timeouts_s: list[float]) -> float:
    """How long the first of these providers may take so that each of the others can still run.

    It gets its own timeout when there is time for everybody's; otherwise at least an equal share.
    """
    own, others = timeouts_s[0], timeouts_s[1:]
    return min(own, max(remaining_s / len(timeouts_s), remaining_s - sum(others)))


def patience_of(remaining_s: float, timeouts_s: list[float]) -> float:
    """How long the first of these providers may be waited for before it is asked.

    After that it still has the time that most answers take, or a quarter of what there was. Where others are left,
    they have their time too, and asking them is better than waiting long.
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
