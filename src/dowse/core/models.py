"""The nouns: what is asked for, what comes back, how it was tried, and how long there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from dowse.core.allowances import Rate
from dowse.core.digests import Digest

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

OK = "ok"
"""Outcome of an attempt that answered; every other outcome is an error's `code`."""

NO_READABLE_CONTENT = "no readable content"
"""Reason of a page that was fetched and converted, and then held no text."""

NEEDS_BROWSER = (
    f"{NO_READABLE_CONTENT}: the page needs a browser, and none could be started; "
    "install Chromium or set DOWSE_BROWSER_PATH"
)
"""The same where a browser might have shown some."""


def fields_of(value: DataclassInstance) -> dict[str, Any]:
    """The fields of a dataclass by name. Unlike `asdict` it copies nothing, which is most of the time it takes."""
    return {each.name: getattr(value, each.name) for each in fields(value)}


class Clock(Protocol):
    """Time as a seam: tests move it, nothing else reads it."""

    def now(self) -> float:
        """Seconds on a clock that never goes back."""
        ...

    def utc(self) -> datetime:
        """The time of day, for people and for calendars; never for measuring."""
        ...

    def today(self) -> date: ...

    async def sleep(self, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Deadline:
    """One absolute end for a whole call, passed down to every step."""

    clock: Clock
    at: float

    @classmethod
    def after(cls, clock: Clock, seconds: float) -> Deadline:
        return cls(clock, clock.now() + seconds)

    def remaining_s(self) -> float:
        return max(0.0, self.at - self.clock.now())

    @property
    def passed(self) -> bool:
        return self.remaining_s() <= 0

    def capped(self, seconds: float) -> Deadline:
        """The same deadline, or an earlier one `seconds` from now."""
        return Deadline(self.clock, min(self.at, self.clock.now() + seconds))


@dataclass(frozen=True, slots=True)
class Principal:
    """Who calls. `limits` of their own beat the settings'; `contracts` is `None` where all are open to them."""

    name: str
    limits: Mapping[str, Rate] = field(default_factory=dict)
    contracts: frozenset[str] | None = None


LOCAL = Principal("local")
"""The owner of the process: whoever speaks over stdio, at a shell, or to a server without tokens."""


class TimeRange(StrEnum):
    ANY = ""
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class Depth(StrEnum):
    """How widely is searched: the first provider that answers, or several at once."""

    NORMAL = "normal"
    WIDE = "wide"


class Category(StrEnum):
    GENERAL = "general"
    IMAGES = "images"
    VIDEOS = "videos"
    NEWS = "news"
    MAP = "map"
    MUSIC = "music"
    IT = "it"
    SCIENCE = "science"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class Query:
    """A search as the caller means it; each provider translates it into its own words."""

    text: str
    num_results: int = 3
    category: Category = Category.GENERAL
    language: str = ""
    safe_search: int | None = None
    time_range: TimeRange = TimeRange.ANY
    start_date: str = ""
    end_date: str = ""
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    country: str = ""
    location: str = ""
    autocorrect: bool = True
    page: int = 1

    @property
    def earlier(self) -> int:
        """How many results are on the pages before this one."""
        return (self.page - 1) * self.num_results


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result before its page is read; a picture or a film has addresses of its own, and no page to read."""

    title: str
    url: str
    snippet: str = ""
    engine: str = ""
    published: str = ""
    image_url: str = ""
    thumbnail: str = ""
    duration: str = ""

    @property
    def is_media(self) -> bool:
        return bool(self.image_url or self.thumbnail or self.duration)


@dataclass(frozen=True, slots=True)
class Found:
    """What one provider answered; of several `instances` that it asked, the last one answered."""

    hits: tuple[Hit, ...]
    answers: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()


class Onward(Enum):
    """Who may still be asked for a page that one reader could not read."""

    NOBODY = "nobody"
    """There is nothing to read, or it is not ours to read."""
    APIS = "apis"
    """Nothing came; somebody elsewhere may be luckier."""
    ANYBODY = "anybody"
    """Something came that is not the page; a browser may get further, and so may somebody elsewhere."""


class Status(StrEnum):
    """What became of a page; everything but `OK` and `TRUNCATED` carries a note instead of text."""

    OK = "ok"
    TRUNCATED = "truncated"
    NOT_FETCHED = "not_fetched"
    BLOCKED = "blocked"
    NOT_FOUND = "not_found"
    LOGIN_REQUIRED = "login_required"
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"
    UNSUPPORTED = "unsupported"
    DENIED = "denied"
    ROBOTS = "robots"
    OFFLINE = "offline"
    ERROR = "error"

    @property
    def readable(self) -> bool:
        return self in (Status.OK, Status.TRUNCATED)

    @property
    def onward(self) -> Onward:
        """Who else may read a page that ended like this, unless its failure says otherwise."""
        return {
            Status.BLOCKED: Onward.ANYBODY,
            Status.TIMEOUT: Onward.APIS,
            Status.ERROR: Onward.APIS,
        }.get(self, Onward.NOBODY)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at one provider or reader, the winner included."""

    provider: str
    operation: str
    outcome: str
    ms: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server gave to ask later whether its page has changed."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes behind a URL, after redirects and decompression; none where the page `is_unchanged`.

    Some servers ask for no copy of a page: it may not be kept.
    """

    url: str
    data: bytes
    media_type: str
    charset: str = ""
    validators: Validators = Validators()
    is_unchanged: bool = False
    may_be_kept: bool = True


class CacheState(StrEnum):
    """Where an answer comes from; a stale one is older than it should be, and was served all the same."""

    HIT = "hit"
    STALE = "stale"
    MISS = "miss"


@dataclass(frozen=True, slots=True)
class Freshness:
    """Whether something was remembered, and for how long."""

    state: CacheState = CacheState.MISS
    age_s: float = 0.0

    def joined(self, other: Freshness) -> Freshness:
        """Of two parts together: stale or remembered if either is, and as old as the older one."""
        states = {self.state, other.state}
        state = next(state for state in (CacheState.STALE, CacheState.HIT, CacheState.MISS) if state in states)
        return Freshness(state, max(self.age_s, other.age_s))


LIVE = Freshness()
"""Found out just now."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found out about a page beside its text; empty where that is not known.

    Dates are as in ISO 8601, with a time where the page tells one, and their confidence is `high`, `medium` or `low`.
    `is_whole` where content could not be told from the rest, so that all of the page was taken. Hidden
    words are counted because they were left out.
    """

    kind: str = ""
    author: str = ""
    published: str = ""
    published_confidence: str = ""
    modified: str = ""
    modified_confidence: str = ""
    language: str = ""
    site: str = ""
    canonical_url: str = ""
    description: str = ""
    is_whole: bool = False
    hidden_words: int = 0


MOST_TEXT_CHARS = 2_000_000
"""The longest text of a page; the rest is cut off."""


@dataclass(frozen=True, slots=True)
class Text:
    """Markdown made from a page, and what the page calls itself; `is_cut` where there was more of it.

    `is_thin` is little text for a page with scripts: a browser may show more of it. `plain` is the page as plain text,
    where a reader gave that too; `url` is where it was found in the end. `heeded_robots` where robots.txt was asked.
    """

    markdown: str
    title: str = ""
    word_count: int = 0
    is_cut: bool = False
    is_thin: bool = False
    plain: str = ""
    url: str = ""
    warnings: tuple[str, ...] = ()
    validators: Validators = Validators()
    may_be_kept: bool = True
    heeded_robots: bool = False
    facts: Facts = Facts()


@dataclass(frozen=True, slots=True)
class Page:
    """A read page, or the reason why there is none: `text` is empty unless `status.readable`."""

    url: str
    status: Status
    text: str = ""
    title: str = ""
    final_url: str = ""
    engine: str = ""
    reason: str = ""
    fetch_ms: int = 0
    word_count: int = 0
    plain: str = ""
    attempts: tuple[Attempt, ...] = ()
    warnings: tuple[str, ...] = ()
    freshness: Freshness = LIVE
    may_be_kept: bool = True
    facts: Facts = Facts()

    @property
    def answered_by(self) -> str:
        """The engine whose text it is; nobody where there is none."""
        return self.engine if self.status.readable else ""


@dataclass(frozen=True, slots=True)
class Result:
    """A hit together with its page, and what is shown of that, if it was read.

    `found_by` are the providers that have it, `indexes` the independent collections behind them. `duplicates` are
    addresses of other hits that say the same. `remarks` are about its place among the others.
    """

    hit: Hit
    page: Page
    score: float
    digest: Digest | None = None
    found_by: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stats:
    """How long the parts of a search took, and how many pages were read."""

    search_ms: int = 0
    total_ms: int = 0
    pages_read: int = 0
    pages_failed: int = 0


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """A finished search, ready for a contract to shape; `engine` is the first of the `providers` that answered.

    Of several `instances` that it asked, the last one answered.
    """

    query: Query
    engine: str
    results: tuple[Result, ...]
    attempts: tuple[Attempt, ...]
    answers: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    stats: Stats = field(default_factory=Stats)
    freshness: Freshness = LIVE
    providers: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
