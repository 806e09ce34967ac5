"""Protocols between the parts: only the composition root `app` knows the classes behind them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol, runtime_checkable

from dowse.core.allowances import Admission, Rate
from dowse.core.answers import CitedAnswer, Question, TokenUsage
from dowse.core.digests import Digest, Source
from dowse.core.listings import Listing
from dowse.core.models import (
    LOCAL,
    Attempt,
    Body,
    CacheState,
    Category,
    Deadline,
    Found,
    Hit,
    Page,
    Principal,
    Query,
    Text,
)
from dowse.core.urls import Url


@runtime_checkable
class SearchProvider(Protocol):
    """One search API. Raises `ProviderError`; retry, fallback and timing are the router's."""

    @property
    def name(self) -> str: ...

    @property
    def timeout_s(self) -> float: ...

    @property
    def categories(self) -> frozenset[Category]:
        """The supported categories; another one is dropped with a warning."""
        ...

    async def search(self, query: Query, deadline: Deadline) -> Found:
        """Search within the deadline, which is the provider's share of the call's time."""
        ...


@runtime_checkable
class AnswerProvider(Protocol):
    """Writes answers with citations. Raises `ProviderError`."""

    @property
    def name(self) -> str: ...

    @property
    def timeout_s(self) -> float: ...

    async def answer(self, question: Question, deadline: Deadline) -> CitedAnswer:
        """Answer within the deadline, all attempts included; the indices refer to the returned text."""
        ...


@runtime_checkable
class PageReader(Protocol):
    """Reads a page as text. Raises `ProviderError`, or `PageUnreadable` if it saw the page itself."""

    @property
    def name(self) -> str: ...

    @property
    def timeout_s(self) -> float: ...

    async def read(self, url: str, deadline: Deadline) -> Text:
        """The page as Markdown, never empty; a page that could not be read is an error."""
        ...


class SiteLoader(PageReader, Protocol):
    """Reads the pages of one site through its API, such as whole conversations."""

    def accepts(self, url: Url) -> bool:
        """Whether it can read this page; decided by exact host rules."""
        ...


@runtime_checkable
class PrivatePages(Protocol):
    """A loader of pages that its credential shows, but that only some callers may read."""

    def private_reader(self, url: Url, caller: Principal) -> PageReader | None:
        """The only reader of this page for this caller; `None` where the page is read as for any other caller."""
        ...


class Discretion(Protocol):
    """Decides which URLs a scrape API may get."""

    async def for_others(self, url: str) -> str:
        """The URL as it may be sent; empty for a private or a denied one."""
        ...


class Secrecy(Protocol):
    """Recognises URLs with secrets, which must not be sent anywhere, not even to their own site."""

    def objection(self, url: str) -> str:
        """The reason with the remedy, in a sentence for the caller; empty for a harmless URL."""
        ...


class Robots(Protocol):
    """Checks robots.txt."""

    async def allows(self, url: str) -> bool:
        """Whether the page may be read; a site that does not answer in time allows it."""
        ...

    def is_resolved(self, url: str) -> bool:
        """Whether the site has answered, or had its time to."""
        ...


class Fetcher(Protocol):
    """Gets the bytes behind a URL. Raises `PageUnreadable`, or `NoBrowser` if it takes one and there is none."""

    @property
    def name(self) -> str: ...

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
        """`known` is the cached text of the page, for a conditional request."""
        ...


class SheetFetcher(Protocol):
    """Gets the style sheets of a page, as far as there is time; failures are left out."""

    async def fetch_sheets(self, addresses: Sequence[str], *, timeout_s: float) -> tuple[str, ...]: ...


class Extractor(Protocol):
    """The three jobs of the worker pool: extract, render and digest. Raises `PageUnreadable`."""

    async def extract(self, body: Body, *, timeout_s: float) -> Text: ...

    async def render(
        self, fragments: Sequence[str], *, url: str, timeout_s: float, without: Sequence[str] = ()
    ) -> list[str]:
        """Convert pieces of HTML that are all content to Markdown; `without` are selectors to leave out.

        Links are resolved against `url`. A piece without text becomes an empty string.
        """
        ...

    async def digest(
        self, question: str, sources: Sequence[Source], max_tokens: int, *, timeout_s: float, share: float = 1.0
    ) -> tuple[Digest, ...]:
        """Digest pages for a question, in at most `max_tokens` tokens together; 0 to cut nothing.

        With a smaller `share` only that much of what would be shown of each page is shown.
        """
        ...


class ListingReader(Protocol):
    """Parses the result page of a search engine in a worker. Raises `PageUnreadable`."""

    async def listing(self, engine: str, body: Body, query: str, *, timeout_s: float) -> Listing:
        """The query is echoed on the page of the `engine`, and must not be taken for a result."""
        ...


class DocumentScorer(Protocol):
    """Compares documents with a query in a worker. Raises `PageUnreadable`."""

    async def score(self, query: str, documents: Sequence[str], *, timeout_s: float) -> tuple[float, ...]:
        """The relevance of each document, from 0 to 1."""
        ...


class Scrubber(Protocol):
    """Removes secrets from queries to search engines."""

    def scrub(self, text: str) -> tuple[str, tuple[str, ...]]:
        """The text as it may be sent, and warnings about the difference. Raises `InvalidRequest`."""
        ...


class Disclosures(Protocol):
    """Records the third parties that got a query without being configured."""

    def news(self) -> tuple[str, ...]:
        """A sentence about them for the first caller of a run; nothing for the others."""
        ...


class Authenticator(Protocol):
    """Identifies callers by their bearer credential."""

    async def authenticate(self, token: str) -> Principal | None:
        """The owner of a token; `None` for an invalid one."""
        ...


class Limiter(Protocol):
    """Rate limiter with sliding windows, in one process or in a shared store."""

    async def admit(self, key: str, rate: Rate) -> Admission:
        """Count one call and admit it, or count nothing and return the seconds to wait."""
        ...


class Pacing(Protocol):
    """Keeps each provider to its pace, with a fair queue."""

    def turn(self, provider: str, operation: str, patience_s: float, caller: str) -> AbstractAsyncContextManager[str]:
        """Wait for a turn and hold it during the call; yields a remark for the caller, or an empty string.

        Raises `Busy` as soon as no turn can come within the caller's patience.
        """
        ...

    def hold(self, provider: str, for_s: float) -> None:
        """Give no turn for a while, because the provider asked for a pause."""
        ...


class Spending(Protocol):
    """Accounts the cost of providers."""

    def charge(self, provider: str, operation: str, caller: str = LOCAL.name) -> AbstractAsyncContextManager[None]:
        """Count one call before it is made, and give it back if it fails without having sent a request.

        Raises `QuotaSpent` when the budget is spent.
        """
        ...


class Progress(Protocol):
    """Reports the progress of a call to its surface."""

    async def __call__(self, step: str) -> None: ...


class SearchWatcher(Protocol):
    """Watches one search: its parts as they become known, before the whole is."""

    async def found(self, attempts: Sequence[Attempt], hits: Sequence[Hit]) -> None:
        """The providers have answered; the pages of these hits are read next, if they are wanted."""
        ...

    async def page_read(self, hit: Hit, page: Page) -> None:
        """The page of a hit was read, or could not be."""
        ...


@dataclass(frozen=True, slots=True)
class BreakerChange:
    """A breaker became open, half-open or closed."""

    provider: str
    operation: str
    state: str
    for_s: float = 0.0


class Door(StrEnum):
    """The entry point of a call."""

    STDIO = "stdio"
    MCP = "mcp"
    """MCP over HTTP."""
    REST = "rest"
    SEARXNG = "searxng"
    FIRECRAWL = "firecrawl"
    TAVILY = "tavily"
    EXA = "exa"
    SERPER = "serper"
    PERPLEXITY = "perplexity"
    JINA = "jina"
    BRAVE = "brave"
    OPENWEBUI = "openwebui"
    RERANK = "rerank"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A finished tool call: the engine that answered, and the outcome (`ok`, or the class of the error)."""

    tool: str
    engine: str
    outcome: str
    seconds: float
    caller: str
    door: Door = Door.STDIO


@dataclass(frozen=True, slots=True)
class Charge:
    """The estimated cost of a call to a provider."""

    provider: str
    operation: str
    usd: float
    caller: str = LOCAL.name


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of a provider in the current period of its budget; `share` is the used part of the budget.

    A call that would exceed the budget is not made, so money is used up before the share is 1.
    """

    provider: str
    calls: int
    usd: float
    share: float
    fits_a_search: bool = True


StoreState = Literal["up", "down"]
"""Whether the store works."""


class Observer(Protocol):
    """Observes events for telemetry, without influence on them."""

    def attempt_failed(self, attempt: Attempt, *, url: str = "") -> None:
        """`url` is the page, if the attempt was to read one."""
        ...

    def attempt_succeeded(self, attempt: Attempt) -> None: ...

    def breaker_changed(self, change: BreakerChange) -> None: ...

    def search_completed(
        self, engine: str, query: str, result_count: int, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None: ...

    def fetch_completed(
        self, engine: str, url: str, status: str, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None: ...

    def page_finished(self, engine: str, status: str) -> None:
        """Called once for each page, read or not, after all attempts."""
        ...

    def tool_called(self, call: ToolCall) -> None: ...

    def provider_charged(self, charge: Charge) -> None: ...

    def budget_charged(self, spent: Spent) -> None: ...

    def store_changed(self, state: StoreState) -> None:
        """Called at the first failure of the store, and when all of it works again."""
        ...

    def tokens_used(self, provider: str, usage: TokenUsage) -> None:
        """Called once for each answer of a model; not for a cached one."""
        ...

    def cache_asked(self, kind: str, state: CacheState) -> None:
        """Called once for each lookup in a cache."""
        ...
