"""Health of one SearXNG instance, and how answers and failures change it.

Times are seconds of the calendar (UTC), because the state outlives the process; 0 stands for never. Routing's circuit
breaker guards a provider in one process; instances need more: shared records, grades, and pauses shown to the user.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from dowse.core import urls
from dowse.core.errors import BadAnswer, ProviderError, RateLimited, Redirected
from dowse.core.text import one_line
from dowse.core.wire_errors import WireInsecure

KIND = "instances"
"""Cache kind of the health of instances, and of the public directory."""

TIERS = ("A+", "A", "B")
"""Grades that are good enough, the best first."""

_DAY_S = 86_400.0
BLOCKED_S = _DAY_S
# Upper bound for `Retry-After`: no instance stays away for ever.
_LONGEST_RETRY_S = _DAY_S
_MOST_UNPARSED = 5
_REASON_CHARS = 80
# Weight of the newest measurement in the moving average.
_NEWEST = 0.2

# New in each process and never stored: the hashes cannot be searched for queries.
_SALT = secrets.token_bytes(32)
_WORD = re.compile(r"\w+")
# From here on scripts are written without blanks; two characters say as much as three letters.
_DENSE = "\u2e80"
_FEWEST_RESULTS = 3
_REMEMBERED = 5
_REMEMBERED_URLS = 500
_RELATED_SHARE = 0.2


class Misbehaviour(StrEnum):
    """Why an instance is not asked for a day."""

    BAD_CERTIFICATE = "its certificate is not good"
    FOREIGN_REDIRECT = "it redirects to another host"
    SAME_RESULTS = "it has the same results for unrelated queries"
    STRANGE_LINKS = "its results have links that are not http"
    UNPARSEABLE = f"{_MOST_UNPARSED} of its answers could not be parsed"


class Misbehaved(BadAnswer):
    """The instance behaves as no honest server does."""

    summary = "misbehaves"

    def __init__(self, provider: str, reason: Misbehaviour) -> None:
        super().__init__(provider, reason)
        self.reason = reason


class InstanceState(StrEnum):
    """Whether an instance may be asked; only a `READY` one is."""

    READY = "ready"
    RATE_LIMITED = "rate limited"
    RESTING = "resting"
    OUT = "out"
    """It failed too often: a health check has to succeed before it is asked again."""
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class HealthRules:
    """Back-off of a failing instance, and how often it may fail."""

    backoff_base_s: float = 60.0
    longest_rest_s: float = 3600.0
    max_failures: int = 3
    blocks: bool = True
    """Whether misbehaviour is more than a failure; not among configured instances."""

    def rest_s(self, failures: int) -> float:
        """Exponential back-off; the exponent is bounded, so that the float does not overflow."""
        return min(self.backoff_base_s * 2.0 ** min(failures - 1, 30), self.longest_rest_s)


@dataclass(frozen=True, slots=True)
class Instance:
    """One server with its directory entry and its history. Configured instances have no grade."""

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

    def state(self, now: float) -> InstanceState:
        if self.blocked_until > now:
            return InstanceState.BLOCKED
        if self.is_out:
            return InstanceState.OUT
        if self.rate_limited_until > now:
            return InstanceState.RATE_LIMITED
        return InstanceState.RESTING if self.resting_until > now else InstanceState.READY

    def until(self, now: float) -> float:
        """When it may be asked or checked again; 0 if that is now."""
        latest = max(self.blocked_until, self.rate_limited_until, self.resting_until)
        return latest if latest > now else 0.0


def record_success(instance: Instance, now: float, ms: int) -> Instance:
    """Apply an answered search. Blocks and rate limits stay: the search had begun before they were imposed."""
    is_kept = max(instance.blocked_until, instance.rate_limited_until) > now
    return replace(
        instance,
        response_ms=_average_ms(instance.response_ms, ms),
        last_checked=now,
        rate_limited_until=instance.rate_limited_until if instance.rate_limited_until > now else 0.0,
        resting_until=0.0,
        consecutive_failures=0,
        is_out=False,
        unparsed=0,
        reason=instance.reason if is_kept else "",
    )


def record_healthy(instance: Instance, now: float) -> Instance:
    """Apply a passed health check. The server is up, but may still fail searches: failures stay counted."""
    return replace(instance, last_checked=now, is_out=False)


def record_failure(instance: Instance, now: float, error: ProviderError, rules: HealthRules) -> Instance:
    """Apply a failed search or health check: back-off, longer each time; too often, and the instance is out."""
    if not error.was_asked:
        return instance
    misbehaviour = _misbehaviour(error)
    if misbehaviour and rules.blocks:
        return block(instance, now, misbehaviour, rules)
    retry_s = _retry_s(error)
    if instance.until(now):
        # Asked before it began to rest: one outage counts once, however many searches meet it.
        return _extend_pause(instance, now, retry_s)
    unparsed = instance.unparsed + isinstance(error, BadAnswer)
    if unparsed >= _MOST_UNPARSED and rules.blocks:
        return block(instance, now, Misbehaviour.UNPARSEABLE, rules)
    # Never the text of the instance, which may repeat the query.
    reason = one_line(error.logged_detail or error.summary, _REASON_CHARS)
    resting = _rest(replace(instance, unparsed=unparsed), now, reason, rules)
    if not isinstance(error, RateLimited):
        return resting
    until = now + retry_s if retry_s else resting.resting_until
    return replace(resting, rate_limited_until=until, resting_until=instance.resting_until)


def block(instance: Instance, now: float, reason: str, rules: HealthRules) -> Instance:
    """Apply misbehaviour: the instance is not asked for a day. A configured one only backs off."""
    if not rules.blocks:
        return _rest(instance, now, reason, rules)
    return replace(instance, last_checked=now, blocked_until=now + BLOCKED_S, unparsed=0, reason=reason)


def readmit(instance: Instance) -> Instance:
    """Apply a new directory that lists the instance again: it is no longer out. Pauses and blocks stay."""
    return replace(instance, is_out=False, consecutive_failures=0) if instance.is_out else instance


def merge(one: Instance, other: Instance) -> Instance:
    """Merge the records of two processes: the newer history, the first of equal ones, and the longest pauses."""
    newer = max(one, other, key=lambda each: each.last_checked)
    limited_until = max(one.rate_limited_until, other.rate_limited_until)
    blocked = max(newer, one, other, key=lambda each: each.blocked_until)
    return replace(newer, rate_limited_until=limited_until, blocked_until=blocked.blocked_until, reason=blocked.reason)


def is_ahead(one: Instance, other: Instance) -> bool:
    """Whether a record has news for another record."""
    return (
        one.last_checked > other.last_checked
        or one.rate_limited_until > other.rate_limited_until
        or one.blocked_until > other.blocked_until
    )


def name_of(url: str) -> str:
    """The address without credentials, as shown to users and stored."""
    return urls.without_userinfo(url)


def _rest(instance: Instance, now: float, reason: str, rules: HealthRules) -> Instance:
    failures = instance.consecutive_failures + 1
    return replace(
        instance,
        last_checked=now,
        resting_until=now + rules.rest_s(failures),
        consecutive_failures=failures,
        is_out=failures >= rules.max_failures,
        reason=reason,
    )


def _extend_pause(instance: Instance, now: float, retry_s: float) -> Instance:
    longer = max(instance.rate_limited_until, now + retry_s)
    return replace(instance, rate_limited_until=longer) if retry_s else instance


def _retry_s(error: ProviderError) -> float:
    """The bounded `Retry-After` of a rate limit; 0 without one."""
    return min(error.retry_after_s or 0.0, _LONGEST_RETRY_S) if isinstance(error, RateLimited) else 0.0


def _misbehaviour(error: ProviderError) -> Misbehaviour | None:
    if isinstance(error.__cause__, WireInsecure):
        return Misbehaviour.BAD_CERTIFICATE
    return Misbehaviour.FOREIGN_REDIRECT if isinstance(error, Redirected) else None


def _average_ms(before: int | None, ms: int) -> int:
    return ms if before is None else round((1 - _NEWEST) * before + _NEWEST * ms)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Salted hashes of a query's word pieces and of its results."""

    pieces: frozenset[bytes]
    results: bytes

    @classmethod
    def of(cls, query: str, urls: Iterable[str]) -> Fingerprint:
        """The results count as a set."""
        distinct = sorted(set(urls))
        results = _hash("\n".join(distinct)) if len(distinct) >= _FEWEST_RESULTS else b""
        return cls(frozenset(map(_hash, _pieces(query))), results)

    def contradicts(self, other: Fingerprint) -> bool:
        """Whether the same results were given for queries with next to nothing in common."""
        if not self.results or self.results != other.results:
            return False
        fewer = min(len(self.pieces), len(other.pieces))
        return len(self.pieces & other.pieces) < _RELATED_SHARE * fewer


class Fingerprints:
    """The last fingerprints of each instance, in memory only: they are no history of searches."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, deque[Fingerprint]] = OrderedDict()

    def contradict(self, url: str, fingerprint: Fingerprint) -> bool:
        """Add a fingerprint; returns whether the instance gave the same results for an unrelated query."""
        seen = self._seen.setdefault(url, deque(maxlen=_REMEMBERED))
        found = any(map(fingerprint.contradicts, seen))
        seen.append(fingerprint)
        self._seen.move_to_end(url)
        while len(self._seen) > _REMEMBERED_URLS:
            self._seen.popitem(last=False)
        return found


def _pieces(query: str) -> Iterable[str]:
    """Pieces of three letters, so that `otter` and `otters` have some in common."""
    for word in _WORD.findall(query.casefold()):
        size = 2 if word[0] >= _DENSE else 3
        yield from (word[start : start + size] for start in range(max(1, len(word) - size + 1)))


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8, key=_SALT).digest()
