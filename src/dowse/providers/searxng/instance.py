"""The state of one SearXNG instance, and what an answer or a failure makes of it.

Times are seconds of the calendar (UTC), because the state outlives the process; 0 stands for never.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from dowse.core import urls
from dowse.core.errors import BadAnswer, ProviderError, RateLimited, Redirected, WireInsecure
from dowse.core.text import one_line

KIND = "instances"
"""Under which a cache knows the state of instances, and the list of the public ones."""

TIERS = ("A+", "A", "B")
"""Grades that are good enough, the best first."""

_DAY_S = 86_400.0
BLOCKED_S = _DAY_S
# Whatever a server says: nobody is told to stay away for ever.
_LONGEST_RETRY_S = _DAY_S
_MOST_UNPARSED = 5
_REASON_CHARS = 80
# So much of the newest measurement goes into the mean.
_NEWEST = 0.2


class Misbehaviour(StrEnum):
    """Why an instance is not asked for a day."""

    BAD_CERTIFICATE = "its certificate is not good"
    FOREIGN_REDIRECT = "it redirects to another host"
    SAME_RESULTS = "it has the same results for unrelated queries"
    STRANGE_LINKS = "its results have links that are not http"
    UNPARSEABLE = f"{_MOST_UNPARSED} of its answers could not be parsed"


class State(StrEnum):
    """Whether an instance may be asked; only one that is `READY` is."""

    READY = "ready"
    RATE_LIMITED = "rate limited"
    RESTING = "resting"
    OUT = "out"
    """It failed too often: a check has to find it well before it is asked again."""
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Rules:
    """How long an instance that fails is left alone, and how often it may fail."""

    backoff_base_s: float = 60.0
    longest_rest_s: float = 3600.0
    max_failures: int = 3
    blocks: bool = True
    """Whether misbehaviour is more than a failure; not among one's own instances."""

    def rest_s(self, failures: int) -> float:
        """The first rest, doubled with each further failure; the exponent is kept from growing beyond floats."""
        return min(self.backoff_base_s * 2.0 ** min(failures - 1, 30), self.longest_rest_s)


@dataclass(frozen=True, slots=True)
class Instance:
    """One server: what the list says of it, and how it treated us. One's own have no grade."""

    url: str
    grade: str = ""
    uptime: float | None = None
    response_ms: int | None = None
    last_checked: float = 0.0
    rate_limited_until: float = 0.0
    resting_until: float = 0.0
    consecutive_failures: int = 0
    is_out: bool = False
    unparsed: int = 0
    blocked_until: float = 0.0
    reason: str = ""
    json: bool | None = None
    """Whether it answers in JSON; `None` until it was tried."""

    @property
    def tier(self) -> int:
        return TIERS.index(self.grade) if self.grade in TIERS else len(TIERS)

    def state(self, now: float) -> State:
        if self.blocked_until > now:
            return State.BLOCKED
        if self.is_out:
            return State.OUT
        if self.rate_limited_until > now:
            return State.RATE_LIMITED
        return State.RESTING if self.resting_until > now else State.READY

    def until(self, now: float) -> float:
        """When it may be asked or checked again; 0 if that is now."""
        latest = max(self.blocked_until, self.rate_limited_until, self.resting_until)
        return latest if latest > now else 0.0


def succeeded(instance: Instance, now: float, ms: int) -> Instance:
    """After a search that it answered. A block stays, as it is not about answering; so does the wish for a pause.

    Who is limited is not asked, so this search had begun before the limiter spoke to another one.
    """
    is_kept = max(instance.blocked_until, instance.rate_limited_until) > now
    return replace(
        instance,
        response_ms=_mean_ms(instance.response_ms, ms),
        last_checked=now,
        rate_limited_until=instance.rate_limited_until if instance.rate_limited_until > now else 0.0,
        resting_until=0.0,
        consecutive_failures=0,
        is_out=False,
        unparsed=0,
        reason=instance.reason if is_kept else "",
    )


def found_well(instance: Instance, now: float) -> Instance:
    """After a check. It says that the server is there, not that it answers searches: failures stay counted."""
    return replace(instance, last_checked=now, is_out=False)


def failed(instance: Instance, now: float, error: ProviderError, rules: Rules) -> Instance:
    """After a search or a check that came to nothing: it rests, longer each time; too often, and it is out."""
    if not error.was_asked:
        return instance
    misbehaviour = _misbehaviour(error)
    if misbehaviour and rules.blocks:
        return misbehaved(instance, now, misbehaviour, rules)
    is_limited = isinstance(error, RateLimited)
    told_s = min(error.retry_after_s or 0.0, _LONGEST_RETRY_S) if is_limited else 0.0
    if instance.until(now):
        # Asked before it began to rest: one outage that several searches ran into counts once.
        longer = max(instance.rate_limited_until, now + told_s)
        return replace(instance, rate_limited_until=longer) if told_s else instance
    unparsed = instance.unparsed + isinstance(error, BadAnswer)
    if unparsed >= _MOST_UNPARSED and rules.blocks:
        return misbehaved(instance, now, Misbehaviour.UNPARSEABLE, rules)
    # Never its own words: they may repeat the query.
    reason = one_line(error.logged_detail or error.summary, _REASON_CHARS)
    tired = _rested(replace(instance, unparsed=unparsed), now, reason, rules)
    if not is_limited:
        return tired
    until = now + told_s if told_s else tired.resting_until
    return replace(tired, rate_limited_until=until, resting_until=instance.resting_until)


def misbehaved(instance: Instance, now: float, reason: str, rules: Rules) -> Instance:
    """After something that no honest server does: it is not asked for a day. Of one's own it is a failure."""
    if not rules.blocks:
        return _rested(instance, now, reason, rules)
    return replace(instance, last_checked=now, blocked_until=now + BLOCKED_S, unparsed=0, reason=reason)


def readmitted(instance: Instance) -> Instance:
    """After a new list has named it again: nobody is out for ever. Rests and blocks stay."""
    return replace(instance, is_out=False, consecutive_failures=0) if instance.is_out else instance


def joined(one: Instance, other: Instance) -> Instance:
    """What two processes know of the same instance: the newer history, or the first; and no pause is forgotten."""
    newer = max(one, other, key=lambda each: each.last_checked)
    limited_until = max(one.rate_limited_until, other.rate_limited_until)
    blocked = max(newer, one, other, key=lambda each: each.blocked_until)
    return replace(newer, rate_limited_until=limited_until, blocked_until=blocked.blocked_until, reason=blocked.reason)


def knows_more(one: Instance, other: Instance) -> bool:
    """Whether one process knows something of an instance that another has not heard of."""
    return (
        one.last_checked > other.last_checked
        or one.rate_limited_until > other.rate_limited_until
        or one.blocked_until > other.blocked_until
    )


def _rested(instance: Instance, now: float, reason: str, rules: Rules) -> Instance:
    failures = instance.consecutive_failures + 1
    return replace(
        instance,
        last_checked=now,
        resting_until=now + rules.rest_s(failures),
        consecutive_failures=failures,
        is_out=failures >= rules.max_failures,
        reason=reason,
    )


def _misbehaviour(error: ProviderError) -> Misbehaviour | None:
    if isinstance(error.__cause__, WireInsecure):
        return Misbehaviour.BAD_CERTIFICATE
    return Misbehaviour.FOREIGN_REDIRECT if isinstance(error, Redirected) else None


def _mean_ms(before: int | None, ms: int) -> int:
    return ms if before is None else round((1 - _NEWEST) * before + _NEWEST * ms)


def name_of(url: str) -> str:
    """How an instance is called where people may see it, and in the store."""
    return urls.without_userinfo(url)
