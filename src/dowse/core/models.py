"""Models of the domain: queries, hits, pages, attempts, results, and the deadline of a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from dowse.core.allowances import Rate
from dowse.core.digests import Digest, Timing
from dowse.core.reasons import FailureReason

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R")

OK = "ok"
"""Outcome of an attempt that answered; every other outcome is an error's `code`."""


def fields_of(value: DataclassInstance) -> dict[str, object]:
    """The public fields of a dataclass by name; much faster than `asdict`, which copies the values."""
    return {each.name: getattr(value, each.name) for each in fields(value) if not each.metadata.get("internal")}


class Clock(Protocol):
    """The only source of time, replaced in tests."""

    def now(self) -> float:
        """Monotonic seconds."""
        ...

    def utc(self) -> datetime:
        """The wall clock, for display and for calendar periods; never for durations."""
        ...

    def today(self) -> date: ...

    async def sleep(self, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Deadline:
    """Deadline propagation: the absolute deadline of a call is passed down to every step."""

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

    def cap(self, seconds: float) -> Deadline:
        """The earlier one of this deadline and `seconds` from now."""
        return Deadline(self.clock, min(self.at, self.clock.now() + seconds))


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller. Its own `limits` override the settings; `contracts` and `scopes` are `None` if all are allowed."""

    name: str
    limits: Mapping[str, Rate] = field(default_factory=dict)
    contracts: frozenset[str] | None = None
    scopes: frozenset[str] | None = None
    is_owner: bool = False  # whether it has started the process, and knows its settings
    client: str = ""  # the network address of a caller without a token, whose `name` is the same for all


LOCAL = Principal("local", is_owner=True)
"""The owner of the process: the caller over stdio or in a shell."""


class TimeRange(StrEnum):
    ANY = ""
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class Depth(StrEnum):
    """Search breadth: the first provider that answers, or several at once."""

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
    """A search request, which each provider translates into its own parameters."""

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
        """The number of results on earlier pages."""
        return (self.page - 1) * self.num_results


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result. An image or video has URLs of its own, and no page to read."""

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
    """The answer of one provider; the last of its `instances` gave it. `spare` are hits beyond the wanted ones."""

    hits: tuple[Hit, ...]
    answers: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    spare: tuple[Hit, ...] = ()


class Onward(Enum):
    """The readers that may still be tried for a page that one reader could not read."""

    NONE = "none"
    """None: there is no page, or reading it is not allowed."""
    SCRAPE_APIS = "scrape_apis"
    """Scrape APIs: no body came, but one from elsewhere may."""
    ANY_READER = "any_reader"
    """A browser and scrape APIs: the body that came is not the page."""


class Status(StrEnum):
    """The status of a page; all but `OK` and `TRUNCATED` have a note instead of text."""

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
        """The default of `PageUnreadable.onward` for this status."""
        if self is Status.BLOCKED:
            return Onward.ANY_READER
        return Onward.SCRAPE_APIS if self in (Status.TIMEOUT, Status.ERROR) else Onward.NONE


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a provider or reader, also the successful one; `has_warning` if a warning tells of its failure."""

    provider: str
    operation: str
    outcome: str
    ms: int
    detail: str = ""
    has_warning: bool = field(default=False, compare=False, metadata={"internal": True})


@dataclass(frozen=True, slots=True)
class Validators:
    """Validators for a conditional request (RFC 9110)."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """The decompressed bytes behind a URL; empty if `is_unchanged`. Not `may_be_kept` if the server forbids caching."""

    url: str
    data: bytes
    media_type: str
    charset: str = ""
    validators: Validators = Validators()
    is_unchanged: bool = False
    may_be_kept: bool = True
    sheets: tuple[str, ...] = ()


class CacheState(StrEnum):
    """Whether an answer comes from the cache; a stale one is past its TTL and was served nevertheless."""

    HIT = "hit"
    STALE = "stale"
    MISS = "miss"


@dataclass(frozen=True, slots=True)
class Freshness:
    """The cache state of an answer, and its age."""

    state: CacheState = CacheState.MISS
    age_s: float = 0.0

    def combine(self, other: Freshness) -> Freshness:
        """The freshness of two parts together: the worse state, and the higher age."""
        states = {self.state, other.state}
        state = next(state for state in (CacheState.STALE, CacheState.HIT, CacheState.MISS) if state in states)
        return Freshness(state, max(self.age_s, other.age_s))


LIVE = Freshness()
"""Not from the cache."""


@dataclass(frozen=True, slots=True)
class Routed(Generic[R]):
    """An answer, the provider that gave it, the attempts that led to it, and whether it comes from the cache."""

    answer: R
    provider: str
    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...] = ()
    freshness: Freshness = LIVE


@dataclass(frozen=True, slots=True)
class Facts:
    """Metadata of a page; empty if unknown. The confidence of a date is `high`, `medium` or `low`.

    `is_whole` if content could not be told from boilerplate. Hidden words are counted only. `targets` has a line for
    each target of a fragment: its name, a tab, and the first words there.
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
    targets: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """The Markdown of a page and its title; `is_cut` if the page has more.

    `is_thin` is little text for a page with scripts: a browser may show more. `plain` is the plain text, if a reader
    gave it; `url` the final URL; `is_allowed_by_robots` only if robots.txt was read and allows it; `body_hash` is of
    its bytes.
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
    is_allowed_by_robots: bool = False
    facts: Facts = Facts()
    body_hash: str = ""
    sheets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A read page, or the reason of the failure: `text` is empty unless `status.readable`.

    `http_status` is the error status that the site answered with, if it did.
    """

    url: str
    status: Status
    text: str = ""
    title: str = ""
    final_url: str = ""
    engine: str = ""
    reason: FailureReason | None = None
    http_status: int | None = None
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
        """The engine of the text; empty without a text."""
        return self.engine if self.status.readable else ""


@dataclass(frozen=True, slots=True)
class Result:
    """A hit with its page and the digest of that, if it was read.

    `found_by` are the providers that returned it, `indexes` the independent indexes behind them. `duplicates` are the
    URLs of near-duplicate hits. `remarks` explain its rank.
    """

    hit: Hit
    page: Page
    score: float
    digest: Digest | None = None
    found_by: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    timing: Timing = Timing.ANY


@dataclass(frozen=True, slots=True)
class Stats:
    """Durations of the parts of a search, and counts of pages."""

    search_ms: int = 0
    total_ms: int = 0
    pages_read: int = 0
    pages_failed: int = 0


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """A finished search; `engine` is the first of the `providers` that answered, the last of its `instances` did."""

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
