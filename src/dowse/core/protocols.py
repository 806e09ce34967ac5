"""The seams: what a part promises, so that only `app` needs to know which part it is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from dowse.core.allowances import Admission, Rate
from dowse.core.answers import CitedAnswer, Question, TokenUsage
from dowse.core.digests import Digest, Source
from dowse.core.listings import Listing
from dowse.core.models import Attempt, Body, CacheState, Category, Deadline, Found, Principal, Query, Text
from dowse.core.urls import Url


class SearchProvider(Protocol):
    """One search API. Raises `ProviderError`; retry, fallback and timing are the router's."""

    @property
    def name(self) -> str: ...

    @property
    def timeout_s(self) -> float: ...

    @property
    def categories(self) -> frozenset[Category]:
        """What it can be asked for; whatever else is asked, it drops the category and says so."""
        ...

    async def search(self, query: Query, deadline: Deadline) -> Found:
        """Answer by the deadline, which is this provider's share of the whole call's time."""
        ...


class AnswerProvider(Protocol):
    """Writes answers with citations. Raises `ProviderError`."""

    @property
    def name(self) -> str: ...

    @property
    def timeout_s(self) -> float: ...

    async def answer(self, question: Question, deadline: Deadline) -> CitedAnswer:
        """By the deadline, however many attempts it takes; indices fit the text that is returned."""
        ...


class PageReader(Protocol):
    """A URL in, the page's text out. Raises `ProviderError`, or `PageUnreadable` if it saw the page itself."""

    @property
    def name(self) -> str: ...

    @property
    def timeout_s(self) -> float: ...

    async def read(self, url: str, deadline: Deadline) -> Text:
        """The page as Markdown, never empty; a page that could not be read is an error."""
        ...


class SiteLoader(PageReader, Protocol):
    """Reads the pages of one site better than any general reader could: whole conversations, by its API."""

    def accepts(self, url: Url) -> bool:
        """Whether this is one of the site's pages that it knows how to read; decided by exact host rules."""
        ...


class Discretion(Protocol):
    """Decides which addresses a scrape API may be told."""

    async def for_others(self, url: str) -> str:
        """The URL as it may be handed out; empty for one that is ours alone, or nobody's."""
        ...


class Secrecy(Protocol):
    """Knows addresses that must not be sent to anybody at all, the page's own site included."""

    def objection(self, url: str) -> str:
        """Why not, in a sentence for the caller that says what to do; empty if there is nothing against it."""
        ...


class Robots(Protocol):
    """Knows what sites ask programs not to read."""

    async def allows(self, url: str) -> bool:
        """Whether the page may be read; a site that does not say in time has no objection."""
        ...

    def has_heard(self, url: str) -> bool:
        """Whether that was the site's own word, or its silence after it had its time."""
        ...


class Fetcher(Protocol):
    """Gets the bytes behind a URL. Raises `PageUnreadable`, or `NoBrowser` if it takes one and there is none."""

    @property
    def name(self) -> str: ...

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
        """`known` is what was read there before, for a fetcher that can ask whether it has changed since."""
        ...


class Extractor(Protocol):
    """Turns bytes into Markdown and finds the parts that matter, where it can be killed. Raises `PageUnreadable`."""

    async def extract(self, body: Body, *, timeout_s: float) -> Text: ...

    async def render(
        self, fragments: Sequence[str], *, url: str, timeout_s: float, without: Sequence[str] = ()
    ) -> list[str]:
        """Pieces of HTML that are content from end to end, each as Markdown; `without` are selectors to leave out.

        Links are resolved against `url`. A piece that holds no text is an empty string.
        """
        ...

    async def digest(
        self, question: str, sources: Sequence[Source], max_tokens: int, *, timeout_s: float
    ) -> tuple[Digest, ...]:
        """What each page has to say to a question, at most so many tokens of all together; 0 to cut nothing."""
        ...


class ListingReader(Protocol):
    """Reads the results off a search engine's page, where it can be killed. Raises `PageUnreadable`."""

    async def listing(self, engine: str, body: Body, query: str, *, timeout_s: float) -> Listing:
        """`engine` names whose page it is; the query is echoed on it, and must not be taken for anything else."""
        ...


class Scrubber(Protocol):
    """Keeps secrets out of what is sent to search engines."""

    def scrub(self, text: str) -> tuple[str, tuple[str, ...]]:
        """The text as it may be sent, and what to tell about the difference. Raises `InvalidRequest`."""
        ...


class Disclosures(Protocol):
    """Knows which third parties were sent a query for which nobody had chosen them."""

    def news(self) -> tuple[str, ...]:
        """A sentence about those that were not named yet; each is named once in the life of a process."""
        ...


class Authenticator(Protocol):
    """Tells callers apart by their bearer credential."""

    async def authenticate(self, token: str) -> Principal | None:
        """Whose token it is; `None` for one that is not good, whatever is wrong with it."""
        ...


class Limiter(Protocol):
    """Counts calls in sliding windows; one process or a shared store may keep them."""

    async def admit(self, key: str, rate: Rate) -> Admission:
        """Count one call and let it go, or count nothing and tell the seconds until one may."""
        ...


class Pacing(Protocol):
    """Keeps each provider to its pace, and those who wait for it in a fair order."""

    def turn(self, provider: str, operation: str, patience_s: float, caller: str) -> AbstractAsyncContextManager[str]:
        """Wait for a turn and hold it while the call is made; what the caller should know of it, or nothing.

        Raises `Busy`, as soon as it is known that no turn comes within the caller's patience.
        """
        ...

    def hold(self, provider: str, for_s: float) -> None:
        """It has told us to come back later: no turn comes before that."""
        ...


class Spending(Protocol):
    """Keeps account of what providers cost."""

    async def charge(self, provider: str, operation: str) -> str:
        """Count one call before it is made; raises `QuotaSpent` when the budget is. Returns a warning, or nothing."""
        ...


class Progress(Protocol):
    """Called as work goes on; a surface shows it, or nobody does."""

    async def __call__(self, step: str) -> None: ...


async def no_progress(step: str) -> None:
    """For callers that did not ask to be kept informed."""


@dataclass(frozen=True, slots=True)
class BreakerChange:
    """A breaker opened, let a probe through, or closed."""

    provider: str
    operation: str
    state: str
    for_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A finished call of a tool: who answered, and how it went (`ok`, or the class of the error)."""

    tool: str
    engine: str
    outcome: str
    seconds: float
    caller: str


@dataclass(frozen=True, slots=True)
class Charge:
    """A provider is about to be asked, and what that is estimated to cost."""

    provider: str
    operation: str
    usd: float


@dataclass(frozen=True, slots=True)
class Spent:
    """What a provider has cost in the current period of its budget; `share` is the part that is used.

    A call that would exceed it is not made, so money is used up before the share is 1: when no search fits any more.
    """

    provider: str
    calls: int
    usd: float
    share: float
    fits_a_search: bool = True


class Observer(Protocol):
    """Hears what happens and never steers it."""

    def attempt_failed(self, attempt: Attempt, *, url: str = "") -> None:
        """`url` is the page, where the attempt was at one."""
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
        """Once for each page, read or not, whoever tried before."""
        ...

    def tool_called(self, call: ToolCall) -> None: ...

    def provider_charged(self, charge: Charge) -> None: ...

    def budget_charged(self, spent: Spent) -> None: ...

    def tokens_used(self, provider: str, usage: TokenUsage) -> None:
        """Once for each answer that a model has written; not for one that is remembered."""
        ...

    def cache_asked(self, kind: str, state: CacheState) -> None:
        """Once for each thing that might have been remembered: what came of it."""
        ...
