"""Stand-ins for the seams of `protocols.py`: providers, a fetcher and an extractor that do as a test says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dowse.core.digests import Digest, Source
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Category, Deadline, Found, Hit, Query, Status, Text
from dowse.rank.digest import digest
from dowse.rank.rerank import score_documents
from tests.fakes.clock import FakeClock


@dataclass
class ScriptedProvider:
    """Finds what it was given, or raises it; remembers what it was asked, and how long it had."""

    found: Found | Exception
    name: str = "serper"
    timeout_s: float = 15.0
    categories: frozenset[Category] = frozenset(Category)
    asked: list[Query] = field(default_factory=list)
    given_s: list[float] = field(default_factory=list)

    async def search(self, query: Query, deadline: Deadline) -> Found:
        self.asked.append(query)
        self.given_s.append(deadline.remaining_s())
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


HANGS = "hangs"
"""A page that never comes."""


@dataclass
class ScriptedReader:
    """A scrape API that has one text for every page, or raises, or never answers."""

    text: str | Exception
    name: str = "serper"
    title: str = ""
    is_cut: bool = False
    takes_s: float = 0.0
    clock: FakeClock | None = None
    timeout_s: float = 15.0
    asked: list[str] = field(default_factory=list)
    given_s: list[float] = field(default_factory=list)

    async def read(self, url: str, deadline: Deadline) -> Text:
        self.asked.append(url)
        self.given_s.append(deadline.remaining_s())
        if self.clock:
            self.clock.advance(self.takes_s)
        if isinstance(self.text, Exception):
            raise self.text
        if self.text == HANGS:
            await asyncio.Event().wait()
        return Text(self.text, self.title, len(self.text.split()), self.is_cut)


@dataclass
class ScriptedFetcher:
    """A web of texts: a page is its text, a failure, or something that never comes."""

    pages: Mapping[str, str | Exception]
    name: str = "direct"
    asked: list[str] = field(default_factory=list)

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
        self.asked.append(url)
        page = self.pages.get(url, PageUnreadable(Status.NOT_FOUND, "HTTP 404"))
        if isinstance(page, Exception):
            raise page
        if page == HANGS:
            await asyncio.Event().wait()
        return Body(url, page.encode(), "text/plain")


class PlainExtractor:
    """The bytes are the Markdown; the first heading is the title. Pieces of HTML are what is between their tags."""

    async def render(
        self, fragments: Sequence[str], *, url: str, timeout_s: float, without: Sequence[str] = ()
    ) -> list[str]:
        return [re.sub("<[^>]*>", "", fragment).strip() for fragment in fragments]

    async def digest(
        self, question: str, sources: Sequence[Source], max_tokens: int, *, timeout_s: float, share: float = 1.0
    ) -> tuple[Digest, ...]:
        return tuple(digest(question, sources, max_tokens, share=share))

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        text = body.data.decode()
        first = text.partition("\n")[0]
        return Text(text, first.removeprefix("# ") if first.startswith("# ") else "", len(text.split()))


class PlainScorer:
    """Scores documents in this process."""

    async def score(self, query: str, documents: Sequence[str], *, timeout_s: float) -> tuple[float, ...]:
        return tuple(score_documents(query, documents))


def hits(*urls: str) -> Found:
    """What a provider finds when all that matters is where the results lead."""
    return Found(tuple(Hit(f"Title of {url.rpartition('/')[2]}", url, "A snippet.") for url in urls))
