"""Directories of SearXNG instances: the public list of searx.space, graded, or the user's settings.

The public list is untrusted data: every field is optional and may be of any type. A missing field counts in favour of
an instance, except its version and its grade. The fields are those of searx.space's generator.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from dowse.cache.entries import CacheEntries, Codec
from dowse.core import urls
from dowse.core.errors import BadAnswer, NoInstance, ProviderError, Skipped
from dowse.core.models import Clock, Deadline
from dowse.core.text import one_line
from dowse.net.json_api import Api
from dowse.net.json_fields import DOCUMENT_PARTS, as_mapping, first_known, mapping
from dowse.providers.searxng.instance import KIND, TIERS

_MAX_BYTES = 20_000_000
# The search that waits for the list needs the rest of the time.
_TIME_SHARE = 0.6
_DAY_S = 86_400.0
FRESH_S = _DAY_S
USABLE_S = 7 * _DAY_S
# Pause after a failed download.
_AGAIN_AFTER_S = 60.0
_SAME_S = 5.0
_PROBLEM_CHARS = 120
_OWN = "set SEARXNG_URL to an instance of your own"

_MOST_ENTRIES = 2000
_URL_CHARS = 200
_LEAST_UPTIME = 90.0
_LONGEST_RESPONSE_S = 5.0
_GRADES = {"A+": "A+", "A": "A", "A-": "A", "B+": "B", "B": "B", "B-": "B"}
# Marks of CryptCheck: not valid, not trusted, and for another name.
_BAD_TLS = frozenset("VTM")
# searx.space marks pages that track their visitors with an eye.
_WATCHED = "\U0001f441"

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ListedInstance:
    """A listed instance that is good enough."""

    url: str
    grade: str = ""
    uptime: float | None = None
    response_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Excluded:
    """A listed instance that is not good enough, and why."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class Entries:
    """The whole list, graded."""

    usable: tuple[ListedInstance, ...] = ()
    excluded: tuple[Excluded, ...] = ()


@dataclass(frozen=True, slots=True)
class Edition:
    """The list at a time of the monotonic clock."""

    entries: Entries
    made_at: float


class Directory(Protocol):
    """A source of addresses."""

    @property
    def advice(self) -> str:
        """Advice to the user where no instance can be asked."""
        ...

    async def edition(self) -> Edition:
        """The known list; the same object until it changes. Raises `NoInstance` if there is none."""
        ...

    async def fetch(self) -> Edition:
        """The current list. Raises `NoInstance`, and keeps the known one."""
        ...

    def warnings(self) -> tuple[str, ...]:
        """Warnings about the known list, for the user."""
        ...

    async def close(self) -> None: ...


class FixedDirectory:
    """The configured instances, in the order of the setting."""

    advice = "check that the instances in SEARXNG_URL are running and reachable"

    def __init__(self, urls: Sequence[str]) -> None:
        self._edition = Edition(Entries(tuple(ListedInstance(url.rstrip("/")) for url in urls)), made_at=-math.inf)

    async def edition(self) -> Edition:
        return self._edition

    async def fetch(self) -> Edition:
        return self._edition

    def warnings(self) -> tuple[str, ...]:
        return ()

    async def close(self) -> None:
        """Nothing is open."""


class SearxSpace:
    """The public list: downloaded once a day and stored; an older one outlives an outage of a week."""

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
        """`allowed` are `host:port` pairs for plain http. Without `waits` an old list is served while it is renewed."""
        self._provider = provider
        self._api = replace(api, provider="searx.space", max_bytes=_MAX_BYTES, most_parts=DOCUMENT_PARTS)
        self._url = url
        self._cache = cache
        self._clock = clock
        self._allowed = frozenset(map(str.lower, allowed))
        self._is_offline = is_offline
        self._waits = waits
        # Another list, or other rules for it, are another entry.
        self._name = " ".join(["list", url, *sorted(self._allowed)])
        self._codec = Codec(Entries)
        self._known: Edition | None = None
        self._download: asyncio.Task[Edition] | None = None
        self._problem = ""
        self._tried_at = -_AGAIN_AFTER_S

    async def edition(self) -> Edition:
        known = await self._recall()
        if known and self._age_s(known) < FRESH_S:
            return known
        try:
            return await self._revalidate(known)
        except NoInstance:
            if known is None:
                raise
            return known

    async def _revalidate(self, known: Edition | None) -> Edition:
        """A newer list, or the known one while it is fetched in the background. Raises `NoInstance`."""
        if self._problem and self._clock.now() - self._tried_at < _AGAIN_AFTER_S:
            raise self._unavailable()
        if known and not self._waits:
            self._begin()
            return known
        return await self.fetch()

    async def fetch(self) -> Edition:
        # The download is shared: a caller that gives up does not cancel it.
        return await asyncio.shield(self._begin())

    def warnings(self) -> tuple[str, ...]:
        days = int(self._age_s(self._known) // _DAY_S) if self._known else 0
        if not days or not self._problem:
            return ()
        age = "a day" if days == 1 else f"{days} days"
        return (f"the list of public instances is {age} old, because a new one could not be fetched: {self._problem}",)

    async def close(self) -> None:
        if self._download:
            self._download.cancel()
            await asyncio.gather(self._download, return_exceptions=True)

    async def _recall(self) -> Edition | None:
        """The known list if it is usable; where it is old, another process may have stored a newer one."""
        if self._known is None or self._age_s(self._known) >= FRESH_S:
            stored = await self._read_stored()
            # The clock is read twice, so the known list may seem a little newer in the store.
            if stored and (self._known is None or stored.made_at > self._known.made_at + _SAME_S):
                self._known = stored
        return self._known if self._known and self._age_s(self._known) < USABLE_S else None

    async def _read_stored(self) -> Edition | None:
        kept = await self._cache.get(KIND, self._name)
        found = self._codec.decode(kept.value) if kept else None
        return Edition(found, self._clock.now() - kept.age_s) if kept and found else None

    def _begin(self) -> asyncio.Task[Edition]:
        """The running download, or a new one (single-flight)."""
        if self._download is None or self._download.done():
            self._download = asyncio.create_task(self._renew())
            # Marks the exception as retrieved; without a waiting caller it shows in `warnings`.
            self._download.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._download

    async def _renew(self) -> Edition:
        try:
            found = await self._get()
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

    async def _get(self) -> Entries:
        if self._is_offline:
            raise Skipped(self._api.provider, "offline mode is on")
        deadline = Deadline.after(self._clock, _TIME_SHARE * self._api.timeout_s)
        reply = await self._api.get_reply(self._url, deadline, headers={"Accept": "application/json"}, params={})
        # In a thread: parsing megabytes of JSON would block the event loop.
        found = await asyncio.to_thread(grade_list, reply.body, self._allowed)
        if found is None:
            raise BadAnswer(self._api.provider, "the answer is not a list of instances")
        return found

    def _unavailable(self) -> NoInstance:
        detail = f"the list of public instances could not be fetched: {self._problem}; {_OWN}"
        return NoInstance(self._provider, detail, retry_after_s=_AGAIN_AFTER_S)

    def _age_s(self, edition: Edition) -> float:
        return self._clock.now() - edition.made_at


def grade_list(body: bytes, allowed: Collection[str] = ()) -> Entries | None:
    """Grade the published list; `None` for any other body. `allowed` are `host:port` pairs for plain http."""
    entries = _read_entries(body)
    if not entries:
        return None
    default = _default_grade(entries.values())
    graded = [_grade(url, entry, default, allowed) for url, entry in entries.items()]
    return Entries(
        tuple(each for each in graded if isinstance(each, ListedInstance)),
        tuple(each for each in graded if isinstance(each, Excluded)),
    )


def _read_entries(body: bytes) -> dict[str, Fields]:
    """The entries by URL; none of a body that is no list of instances."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    listed = mapping(as_mapping(document), "instances")
    return {url: as_mapping(entry) for url, entry in islice(listed.items(), _MOST_ENTRIES)}


def _default_grade(entries: Iterable[Fields]) -> str:
    """Grade of ungraded instances: without any grade in the list, the grading service was out of order."""
    return "" if any(_text(as_mapping(entry.get("http")), "grade") for entry in entries) else TIERS[-1]


def _grade(url: str, entry: Fields, default_grade: str, allowed: Collection[str]) -> ListedInstance | Excluded:
    address = _parse_base(url)
    if address is None:
        return Excluded(ascii(url[:_URL_CHARS])[1:-1][:_URL_CHARS], "its address is not valid")
    http = as_mapping(entry.get("http"))
    published, uptime, response_s = _text(http, "grade") or default_grade, _uptime(entry), _response_s(entry)
    grade = _GRADES.get(published, "")
    reason = _unsafe(address, allowed) or _unwell(entry, http) or _unfit(grade, published, uptime, response_s)
    base = address.href.rstrip("/")
    if reason:
        return Excluded(base, reason)
    return ListedInstance(base, grade, uptime, None if response_s is None else round(1000 * response_s))


def _parse_base(url: str) -> urls.Url | None:
    """The base address of an instance; an address with credentials or a query is none."""
    address = urls.parse_web(url) if len(url) <= _URL_CHARS else None
    if address is None or address.has_userinfo or address.query or "#" in address.href:
        return None
    return address


def _unsafe(address: urls.Url, allowed: Collection[str]) -> str:
    is_allowed = f"{address.host}:{address.port}" in allowed
    return "" if address.scheme == "https" or is_allowed else "it is not on https"


def _unwell(entry: Fields, http: Fields) -> str:
    """The first problem of the server itself; empty if there is none."""
    tls, html = as_mapping(entry.get("tls")), as_mapping(entry.get("html"))
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


def _unfit(grade: str, published: str, uptime: float | None, response_s: float | None) -> str:
    """Why its service is not good enough; empty if it is."""
    if not grade:
        return "its grade is below B" if published else "it has no grade"
    if uptime is not None and uptime < _LEAST_UPTIME:
        return f"it is up {uptime:.0f} % of the time"
    if response_s is not None and response_s > _LONGEST_RESPONSE_S:
        return f"it takes {response_s:.1f} s to answer"
    return ""


def _uptime(entry: Fields) -> float | None:
    """Percentage of the last month, or of the nearest span that is known."""
    published = as_mapping(entry.get("uptime"))
    spans = (_number(published.get(name)) for name in ("uptimeMonth", "uptimeWeek", "uptimeDay", "uptimeYear"))
    return first_known(spans)


def _response_s(entry: Fields) -> float | None:
    """Duration of a search, or else of the front page."""
    timing = as_mapping(entry.get("timing"))
    measured = (as_mapping(as_mapping(timing.get(name)).get("all")) for name in ("search", "initial"))
    values = (_number(times.get(name)) for times in measured for name in ("median", "mean", "value"))
    return first_known(values)


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    return value.strip() if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    """A finite number; `true` is none, and Python's JSON reads `Infinity`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e12 and math.isfinite(value) else None
