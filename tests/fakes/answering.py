"""Answers over scripted parts: providers that write them, and a web of texts to quote from."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from dowse.cache.entries import AnswerLifetimes
from dowse.cache.fetch import Cache
from dowse.core.answers import Citation, CitedAnswer, Question
from dowse.core.models import Clock, Deadline, Found, Query
from dowse.core.protocols import AnswerProvider, Extractor, Observer, SearchProvider
from dowse.flows.answer import AnswerFlow, AnswerOutcome
from dowse.flows.extractive import Extractive
from dowse.flows.find import Finder
from dowse.flows.search import SearchFlow
from dowse.providers.disclosure import Disclosure
from dowse.rank.sources import SiteRules
from dowse.routing.router import Router
from dowse.secrets.redact import Redactor
from dowse.secrets.requests import QueryScrubber
from dowse.stores.memory import MemoryStore
from tests.fakes.clock import FakeClock
from tests.fakes.memory import NO_SEARCHES, remembering
from tests.fakes.observer import RecordingObserver
from tests.fakes.reading import reading
from tests.fakes.scripted import PlainExtractor, ScriptedFetcher, ScriptedProvider, hits

WRITTEN = CitedAnswer(
    "Otters weigh nine kilograms.",
    (Citation("https://zoo.example/", "The zoo", "nine kilograms", 13, 27, 1),),
    "gpt-5-nano-web-search",
)
OTTERS = Question("how much do otters weigh")
OTTERS_PAGE = "https://example.org/a"
ANSWERS = AnswerLifetimes(usual_s=300, poor_s=30, stale_s=86_400)
NO_ANSWERS = AnswerLifetimes(0, 0, 0)


@dataclass
class ScriptedAnswers:
    """Writes what it was given, or raises it; `gate` holds it up until a test opens it."""

    written: CitedAnswer | Exception = WRITTEN
    name: str = "openai"
    timeout_s: float = 15.0
    takes_s: float = 0.0
    clock: FakeClock | None = None
    gate: asyncio.Event | None = None
    asked: list[Question] = field(default_factory=list)
    given_s: list[float] = field(default_factory=list)
    was_asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, question: Question, deadline: Deadline) -> CitedAnswer:
        self.asked.append(question)
        self.was_asked.set()
        self.given_s.append(deadline.remaining_s())
        if self.clock:
            self.clock.advance(self.takes_s)
        if self.gate:
            await self.gate.wait()
        if isinstance(self.written, Exception):
            raise self.written
        return self.written


def attempts(outcome: AnswerOutcome) -> list[tuple[str, str]]:
    """Who was asked, and what came of it."""
    return [(attempt.provider, attempt.outcome) for attempt in outcome.attempts]


def quoting(
    searchers: tuple[ScriptedProvider, ...],
    pages: Mapping[str, str | Exception],
    *,
    clock: Clock,
    observer: Observer,
    memory: Cache,
    extractor: Extractor | None = None,
    usual: Query | None = None,
) -> Extractive:
    """Answers that are quoted from these pages."""
    search = SearchFlow(
        Finder(
            Router[SearchProvider]("search", clock=clock, observer=observer),
            searchers,
            memory,
            NO_SEARCHES,
            clock=clock,
        ),
        reading(ScriptedFetcher(pages), clock=clock, observer=observer, extractor=extractor),
        extractor or PlainExtractor(),
        SiteRules(),
        clock=clock,
        observer=observer,
        scrubber=QueryScrubber(Redactor(()), "mask"),
        disclosures=Disclosure(),
    )
    return Extractive(search, clock=clock, usual=usual)


class AnswerBench:
    """A flow over scripted parts; without writers there is no key, without a searcher no other one either."""

    def __init__(
        self,
        *writers: ScriptedAnswers,
        found: Found | Exception | None = None,
        has_searcher: bool = True,
        lifetimes: AnswerLifetimes = ANSWERS,
        clock: FakeClock | None = None,
        store: MemoryStore | None = None,
    ) -> None:
        self.clock, self.observer = clock or FakeClock(), RecordingObserver()
        self.store = store or MemoryStore(self.clock, 10_000_000)
        self.memory = remembering(self.clock, store=self.store, observer=self.observer)
        self.searcher = ScriptedProvider(hits(OTTERS_PAGE) if found is None else found)
        self.steps: list[str] = []
        self.flow = AnswerFlow(
            Router[AnswerProvider]("answer", clock=self.clock, observer=self.observer),
            writers,
            quoting(
                (self.searcher,) if has_searcher else (),
                {OTTERS_PAGE: "Otters weigh nine kilograms."},
                clock=self.clock,
                observer=self.observer,
                memory=self.memory,
            ),
            self.memory,
            lifetimes,
            clock=self.clock,
            observer=self.observer,
            scrubber=QueryScrubber(Redactor(()), "mask"),
        )

    async def answer(
        self,
        question: Question = OTTERS,
        *,
        falls_back: bool = True,
        deadline_s: float = 50.0,
        offline: bool = False,
    ) -> AnswerOutcome:
        outcome = await self.flow.answer(
            question,
            Deadline.after(self.clock, deadline_s),
            falls_back=falls_back,
            offline=offline,
            progress=self._progress,
        )
        await self.settled()
        return outcome

    async def settled(self) -> None:
        """Until everything behind the answer is done."""
        while tasks := {*self.memory._flights._tasks.values(), *self.memory._background.tasks}:
            await asyncio.wait(tasks)

    async def _progress(self, step: str) -> None:
        self.steps.append(step)
