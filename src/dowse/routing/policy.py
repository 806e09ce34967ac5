"""Which failure leads to the next provider, which to one retry, and how time is divided."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.errors import (
    KeyRejected,
    NetworkFailed,
    ProviderError,
    RateLimited,
    Skipped,
    TimedOut,
    Transient,
    Unavailable,
)

# Tried once more when nobody else is left: these pass by themselves within moments. A timeout has
# already cost its time, and a broken body or a spent quota stays what it is.
_RETRYABLE = (Unavailable, NetworkFailed, RateLimited)
RETRY_DELAY_S = (0.1, 0.4)
# Somebody in a hurry may leave a provider less time than it needs; that says nothing about its health.
FAIR_TIME_S = 5.0


@dataclass(frozen=True, slots=True)
class FallbackPolicy:
    """`any` also moves on after a rejected key; the default lets the user see it."""

    after_rejected_key: bool = False

    def moves_on(self, error: ProviderError) -> bool:
        return isinstance(error, Transient) or (self.after_rejected_key and isinstance(error, KeyRejected))


def counts_as_failure(error: ProviderError) -> bool:
    """Whether an error says something about the provider's health; a bad key or query does not."""
    return isinstance(error, Transient) and not isinstance(error, Skipped)


def was_hurried(error: ProviderError, given_s: float, timeout_s: float) -> bool:
    """Whether a timeout is the caller's doing: the provider had less time than is fair."""
    return isinstance(error, TimedOut) and given_s < min(timeout_s, FAIR_TIME_S)


def worth_retrying(error: ProviderError) -> bool:
    return isinstance(error, _RETRYABLE) and error.retry_after_s is None


def share_of(remaining_s: float, timeouts_s: list[float]) -> float:
    """How long the first of these providers may take so that each of the others can still run.

    It gets its own timeout when there is time for everybody's; otherwise at least an equal share.
    """
    own, others = timeouts_s[0], timeouts_s[1:]
    return min(own, max(remaining_s / len(timeouts_s), remaining_s - sum(others)))
