"""Where the addresses of instances come from: the list of searx.space, or the user's settings."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from dowse.cache.entries import CacheEntries, Codec
from dowse.core import urls
from dowse.core.errors import BadAnswer, NoInstance, ProviderError, Skipped
from dowse.core.models import Clock, Deadline
from dowse.core.text import one_line
from dowse.net.json_api import Api
from dowse.providers.searxng.instance import KIND, TIERS

_MAX_BYTES = 20_000_000
# Who waits for the list has a search to do with it in the same time.
_TIME_SHARE = 0.6
_DAY_S = 86_400.0
FRESH_S = _DAY_S
USABLE_S = 7 * _DAY_S
# A list that could not be had is not asked for again at once.
_AGAIN_AFTER_S = 60.0
_SAME_S = 5.0
_PROBLEM_CHARS = 120
_OWN = "set SEARXNG_URL to an instance of your own"


@dataclass(frozen=True, slots=True)
class Edition:
    """The list as it was at a time, on the clock that never goes back."""

    entries: Entries
    made_at: float


class Directory(Protocol):
    """A source of addresses."""

    @property
    def advice(self) -> str:
        """What to do where none of them can be asked."""
        ...

    async def edition(self) -> Edition:
        """The list as it is known; the same object until it changes. Raises `NoInstance` if none can be had."""
        ...

    async def fetch(self) -> Edition:
        """The list as it is now. Raises `NoInstance`, and whatever was known before stays so."""
        ...

    def warnings(self) -> tuple[str, ...]:
        """What users should know of the list at hand."""
        ...

    async def close(self) -> None: ...


class FixedDirectory:
    """The user's own instances, in the order in which they were given."""

    advice = "see whether those in SEARXNG_URL are up and reachable from here"

    def __init__(self, urls: Sequence[str]) -> None:
        self._edition = Edition(Entries(tuple(Listed(url.rstrip("/")) for url in urls)), made_at=-math.inf)

    async def edition(self) -> Edition:
        return self._edition

    async def fetch(self) -> Edition:
        return self._edition

    def warnings(self) -> tuple[str, ...]:
        return ()

    async def close(self) -> None:
        """Nothing is open."""


class SearxSpace:
    """The public list: fetched once a day and kept in the store, where an older one outlives an outage of a week."""

    advice = f"try again later, or {_OWN}; `dowse instances list` shows the public ones"

    def __init__(
        self,
        provider: str,
        api: Api,
        url: str,
        cache: CacheEntries,
        clock: Clock,
        *,
        allowed: Collection[str] = (),
        is_offline: bool = False,
        waits: bool = True,
    ) -> None:
        """`allowed` are `host:port` pairs for plain http. Who does not wait gets an old list while it is renewed."""
        self._provider = provider
        self._api = replace(api, provider="searx.space", max_bytes=_MAX_BYTES)
        self._url = url
        self._cache = cache
        self._clock = clock
        self._allowed = frozenset(pair.lower() for pair in allowed)
        self._is_offline = is_offline
        self._waits = waits
        # Another list, or other rules for it, are another entry.
        self._name = " ".join(["list", url, *sorted(self._allowed)])
        self._codec = Codec(Entries)
        self._known: Edition | None = None
        self._fetching: asyncio.Task[Edition] | None = None
        self._problem = ""
        self._tried_at = -_AGAIN_AFTER_S

    async def edition(self) -> Edition:
        known = await self._usable()
        if known and self._age_s(known) < FRESH_S:
            return known
        if self._problem and self._clock.now() - self._tried_at < _AGAIN_AFTER_S:
            if known:
                return known
            raise self._unavailable()
        if known and not self._waits:
            self._begin()
            return known
        try:
            return await self.fetch()
        except NoInstance:
            if known:
                return known
            raise

    async def fetch(self) -> Edition:
        # It belongs to all who wait for it: a caller that gives up does not end it.
        return await asyncio.shield(self._begin())

    def warnings(self) -> tuple[str, ...]:
        days = int(self._age_s(self._known) // _DAY_S) if self._known else 0
        if not days or not self._problem:
            return ()
        age = "a day" if days == 1 else f"{days} days"
        return (f"the list of public instances is {age} old, because a new one could not be had: {self._problem}",)

    async def close(self) -> None:
        if self._fetching:
            self._fetching.cancel()
            await asyncio.gather(self._fetching, return_exceptions=True)

    async def _usable(self) -> Edition | None:
        """The list from before; where ours is old, another process may have kept a newer one."""
        if self._known is None or self._age_s(self._known) >= FRESH_S:
            kept = await self._cache.get(KIND, self._name)
            found = self._codec.decode(kept.value) if kept else None
            made_at = self._clock.now() - kept.age_s if kept else 0.0
            # Two clocks were read: a list that seems a little newer is the one we have.
            if found and (self._known is None or made_at > self._known.made_at + _SAME_S):
                self._known = Edition(found, made_at)
        return self._known if self._known and self._age_s(self._known) < USABLE_S else None

    def _begin(self) -> asyncio.Task[Edition]:
        """The fetch that is under way, or a new one: there is never more than one."""
        if self._fetching is None or self._fetching.done():
            self._fetching = asyncio.create_task(self._fetch())
            # Whoever waits hears of a failure; where nobody does, it is in `warnings`.
            self._fetching.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._fetching

    async def _fetch(self) -> Edition:
        try:
            found = await self._download()
        except ProviderError as error:
            self._problem = one_line(str(error), _PROBLEM_CHARS)
            raise self._unavailable() from error
        finally:
            self._tried_at = self._clock.now()
        self._problem = ""
        self._known = Edition(found, self._clock.now())
        if data := self._codec.encode(found):
            await self._cache.put(KIND, self._name, data, USABLE_S)
        return self._known

    async def _download(self) -> Entries:
        if self._is_offline:
            raise Skipped(self._api.provider, "offline mode is on")
        deadline = Deadline.after(self._clock, _TIME_SHARE * self._api.timeout_s)
        reply = await self._api.get_reply(self._url, deadline, headers={"Accept": "application/json"}, params={})
        # In a thread: some megabytes of JSON take longer than others should wait.
        found = await asyncio.to_thread(read, reply.body, self._allowed)
        if found is None:
            raise BadAnswer(self._api.provider, "the answer is no list of instances")
        return found

    def _unavailable(self) -> NoInstance:
        detail = f"the list of public instances could not be had: {self._problem}; {_OWN}"
        return NoInstance(self._provider, detail, retry_after_s=_AGAIN_AFTER_S)

    def _age_s(self, edition: Edition) -> float:
        return self._clock.now() - edition.made_at


_MOST_ENTRIES = 2000
_URL_CHARS = 200
_LEAST_UPTIME = 90.0
_LONGEST_RESPONSE_S = 5.0
_GRADES = {"A+": "A+", "A": "A", "A-": "A", "B+": "B", "B": "B", "B-": "B"}
# Of CryptCheck: not valid, not trusted, and for another name.
_BAD_TLS = frozenset("VTM")
# searx.space marks pages that watch their visitors with an eye.
_WATCHED = "\U0001f441"

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Listed:
    """An instance that is good enough, with what the list says of it."""

    url: str
    grade: str = ""
    uptime: float | None = None
    response_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Excluded:
    """An instance that is not, and why."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class Entries:
    """The whole list, judged."""

    usable: tuple[Listed, ...] = ()
    excluded: tuple[Excluded, ...] = ()


def read(body: bytes, allowed: Collection[str] = ()) -> Entries | None:
    """The list as it was published, or `None` for anything else. `allowed` are `host:port` pairs for plain http."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    listed = _fields(_fields(document).get("instances"))
    if not listed:
        return None
    entries = {url: _fields(entry) for url, entry in list(listed.items())[:_MOST_ENTRIES]}
    # Where nobody has a grade, who gives them was out of order, which says nothing about anybody.
    default = "" if any(_text(_fields(entry.get("http")), "grade") for entry in entries.values()) else TIERS[-1]
    judged = [_judged(url, entry, default, allowed) for url, entry in entries.items()]
    return Entries(
        tuple(each for each in judged if isinstance(each, Listed)),
        tuple(each for each in judged if isinstance(each, Excluded)),
    )


def _judged(url: str, entry: Fields, default_grade: str, allowed: Collection[str]) -> Listed | Excluded:
    address = _base(url)
    if address is None:
        return Excluded(ascii(url[:_URL_CHARS])[1:-1][:_URL_CHARS], "its address is not valid")
    http = _fields(entry.get("http"))
    told, uptime, response_s = _text(http, "grade") or default_grade, _uptime(entry), _response_s(entry)
    grade = _GRADES.get(told, "")
    reason = _unsafe(address, allowed) or _unwell(entry, http) or _unfit(grade, told, uptime, response_s)
    base = address.href.rstrip("/")
    if reason:
        return Excluded(base, reason)
    return Listed(base, grade, uptime, None if response_s is None else round(1000 * response_s))


def _base(url: str) -> urls.Url | None:
    """The address of an instance; what has a password or a query is none."""
    address = urls.parse(url) if len(url) <= _URL_CHARS else None
    if address is None or address.scheme not in ("http", "https") or address.has_userinfo:
        return None
    return None if address.query or "#" in address.href else address


def _unsafe(address: urls.Url, allowed: Collection[str]) -> str:
    is_allowed = f"{address.host}:{address.port}" in allowed
    return "" if address.scheme == "https" or is_allowed else "it is not on https"


def _unwell(entry: Fields, http: Fields) -> str:
    """What is wrong with the server itself."""
    tls, html = _fields(entry.get("tls")), _fields(entry.get("html"))
    status = _number(http.get("status_code"))
    network = entry.get("network_type") or "normal"
    marks = set(_text(tls, "grade").replace(",", " ").split())
    problems = {
        "it is not on the ordinary internet": network != "normal",
        "searx.space could not reach it": bool(http.get("error") or entry.get("error")),
        f"it answered with HTTP {status or 0:.0f}": status not in (None, 200.0),
        "its certificate is not good": bool(tls.get("error") or marks & _BAD_TLS),
        "its version is not known": not _text(entry, "version"),
        "it watches its users": bool(entry.get("analytics")) or _WATCHED in _text(html, "grade"),
    }
    return next((problem for problem, holds in problems.items() if holds), "")


def _unfit(grade: str, told: str, uptime: float | None, response_s: float | None) -> str:
    """What it does not do well enough."""
    if not grade:
        return "its grade is below B" if told else "it has no grade"
    if uptime is not None and uptime < _LEAST_UPTIME:
        return f"it is up {uptime:.0f} % of the time"
    if response_s is not None and response_s > _LONGEST_RESPONSE_S:
        return f"it takes {response_s:.1f} s to answer"
    return ""


def _uptime(entry: Fields) -> float | None:
    """In percent, of the last month where that is known."""
    told = _fields(entry.get("uptime"))
    spans = (_number(told.get(name)) for name in ("uptimeMonth", "uptimeWeek", "uptimeDay", "uptimeYear"))
    return next((percent for percent in spans if percent is not None), None)


def _response_s(entry: Fields) -> float | None:
    """How long a search takes, or else the front page."""
    timing = _fields(entry.get("timing"))
    measured = (_fields(_fields(timing.get(name)).get("all")) for name in ("search", "initial"))
    values = (_number(times.get(name)) for times in measured for name in ("median", "mean", "value"))
    return next((seconds for seconds in values if seconds is not None), None)


def _fields(value: object) -> Fields:
    return value if isinstance(value, dict) else {}


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    return value.strip() if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    """A number that can be compared: `true` is none, and JSON as Python reads it knows infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e12 and math.isfinite(value) else None
