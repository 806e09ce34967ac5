"""Services of a contract over scripted parts: a provider that finds, and a web of texts."""

from __future__ import annotations

from typing import NoReturn

from dowse.cache.entries import AnswerLifetimes
from dowse.contracts import registry
from dowse.contracts.dispatch import Answer, Services
from dowse.contracts.guardrails import RULES, Guardrails
from dowse.core.errors import DowseError
from dowse.core.models import Found
from dowse.core.protocols import Extractor, Fetcher, SearchProvider
from dowse.core.runtime import CallContext
from dowse.flows.answer import AnswerFlow
from dowse.flows.extract import ExtractFlow
from dowse.flows.extractive import Extractive
from dowse.flows.find import Finder
from dowse.flows.page_view import PageViewFlow
from dowse.flows.rerank import RerankFlow
from dowse.flows.search import SearchFlow
from dowse.providers.disclosure import Disclosure
from dowse.rank.sources import SiteRules
from dowse.routing.router import Router
from dowse.secrets.redact import Redactor
from dowse.secrets.requests import QueryScrubber
from dowse.settings.sources import load
from tests.fakes.clock import FakeClock
from tests.fakes.memory import NO_PAGES, NO_SEARCHES, PAGES, SEARCHES, remembering
from tests.fakes.observer import RecordingObserver
from tests.fakes.reading import reading
from tests.fakes.scripted import PlainExtractor, PlainScorer, ScriptedFetcher, ScriptedProvider


class ContractBench:
    """A contract as `app` would wire it, with nothing outside but what a test says."""

    def __init__(
        self,
        contract: str = "dowse",
        found: Found | Exception | None = None,
        pages: dict[str, str | Exception] | None = None,
        *,
        fetcher: Fetcher | None = None,
        extractor: Extractor | None = None,
        reads_with: Extractor | None = None,
        is_remembering: bool = False,
        **environ: str,
    ) -> None:
        clock, observer = FakeClock(), RecordingObserver()
        settings = load({}, {"DOWSE_CONTRACT": contract, **environ}).settings
        self.provider = ScriptedProvider(found if found is not None else Found(()))
        self.fetcher = ScriptedFetcher(pages or {})
        self.steps: list[str] = []
        self.clock, memory = clock, remembering(clock, observer=observer)
        reader = reading(
            fetcher or self.fetcher,
            clock=clock,
            observer=observer,
            extractor=reads_with,
            offline=settings.offline,
            memory=memory,
            lifetimes=PAGES if is_remembering else NO_PAGES,
        )
        router = Router[SearchProvider]("search", clock=clock, observer=observer)
        lifetimes = SEARCHES if is_remembering else NO_SEARCHES
        extractor = extractor or PlainExtractor()
        redactor = Redactor(settings.secrets())
        scrubber = QueryScrubber(redactor, settings.scrub)
        search = SearchFlow(
            Finder(router, [self.provider], memory, lifetimes, clock=clock),
            reader,
            extractor,
            SiteRules(settings.boost, settings.bury, settings.block),
            clock=clock,
            observer=observer,
            scrubber=scrubber,
            disclosures=Disclosure(),
            offline=settings.offline,
        )
        answer = AnswerFlow(
            Router("answer", clock=clock, observer=observer),
            (),
            Extractive(search, clock=clock),
            memory,
            AnswerLifetimes(0, 0, 0),
            clock=clock,
            observer=observer,
            scrubber=scrubber,
            offline=settings.offline,
        )
        self.services = Services(
            search,
            reader,
            PageViewFlow(reader, extractor),
            answer,
            RerankFlow(PlainScorer()),
            ExtractFlow(extractor, max_bytes=settings.max_content_size),
            clock,
            settings,
            Guardrails(RULES),
            redactor,
            _only_over_http,
            _only_over_http,
        )
        self.contract = registry.build(contract, self.services)

    async def call(self, name: str, *, context: CallContext | None = None, **arguments: object) -> Answer:
        tool = self.contract.tool(name)
        assert tool is not None
        return await tool.call(arguments, context or CallContext(progress=self._progress))

    def failed(self, name: str, error: DowseError, **arguments: object) -> Answer:
        """The error in the shape that the tool gives it."""
        tool = self.contract.tool(name)
        assert tool is not None
        return tool.failed(error, arguments)

    async def structured(self, name: str, **arguments: object) -> dict[str, object]:
        answer = await self.call(name, context=None, **arguments)
        assert answer.structured is not None
        return dict(answer.structured)

    async def _progress(self, step: str) -> None:
        self.steps.append(step)


def _only_over_http() -> NoReturn:
    raise AssertionError("no tool maps sites or reads batches")
