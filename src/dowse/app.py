"""Composition root: builds the application from settings. Only this module constructs concrete classes."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from dowse import PROJECT_URL, __version__
from dowse.cache.entries import AnswerLifetimes, CacheEntries, PageLifetimes, SearchLifetimes
from dowse.cache.fetch import Cache
from dowse.contracts import registry
from dowse.contracts.dispatch import Contract, Dispatcher, Services
from dowse.contracts.guardrails import Guardrails, rules_of
from dowse.core.answers import EXTRACTIVE
from dowse.core.models import Clock, Query
from dowse.core.protocols import AnswerProvider, Authenticator, Extractor, PageReader, SearchProvider
from dowse.core.runtime import SystemClock, no_progress
from dowse.fetch.browser.ondemand import BrowserOnDemand
from dowse.fetch.direct import DirectFetcher
from dowse.fetch.robots import RobotsFiles
from dowse.flows.answer import AnswerFlow
from dowse.flows.extract import ExtractFlow
from dowse.flows.extractive import Extractive
from dowse.flows.find import Finder
from dowse.flows.page_view import PageViewFlow
from dowse.flows.read import ReadFlow
from dowse.flows.readers import FetchingReader, ReadChain, Readers, make_site_loaders
from dowse.flows.rerank import RerankFlow
from dowse.flows.search import SearchFlow
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.guard import Guard
from dowse.net.upstream import UpstreamProxy
from dowse.providers.disclosure import Disclosure
from dowse.providers.table import HasInstances, Kit, LazyProvider, make_answerer, make_reader, make_search
from dowse.rank.sources import SiteRules
from dowse.routing.fallback import FallbackPolicy
from dowse.routing.hedging import Hedging
from dowse.routing.provider_limits import Account
from dowse.routing.router import Router
from dowse.routing.shared_limits import Traffic
from dowse.secrets.redact import Redactor
from dowse.secrets.requests import QueryScrubber, SecretUrls
from dowse.settings import Settings
from dowse.settings.providers import SEARXNG_POOL
from dowse.settings.sites import LOADED_SITES
from dowse.settings.sources import Loaded, state_address
from dowse.stores import open_coordinator, open_store
from dowse.stores.fail_soft import FailSoftLedger, FailSoftStore, Outage, UsageBuffer
from dowse.stores.ledger import MemoryLedger
from dowse.telemetry.log import LogObserver, Observers
from dowse.worker.pool import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from dowse.auth.authenticator import LastUses, TokenBook
    from dowse.auth.jwt import Jwks, JwtVerifier
    from dowse.auth.sessions import Sessions
    from dowse.contracts.endpoint import Wire
    from dowse.flows.batch import BatchFlow
    from dowse.flows.doctor.check import Diagnosis
    from dowse.flows.doctor.examination import Doctor
    from dowse.flows.explain import ExplainFlow
    from dowse.flows.map_site import MapFlow
    from dowse.flows.statistics import Statistics
    from dowse.flows.try_provider import TrialFlow
    from dowse.providers.searxng.pool import InstancePool

USER_AGENT = f"dowse/{__version__} (+{PROJECT_URL})"


class App:
    """The wired application for a surface. Resources open on first use and close on exit."""

    def __init__(self, settings: Settings, *, clock: Clock | None = None, is_brief: bool = False) -> None:
        """`is_brief`: the process ends after one call, so nothing is refreshed in the background."""
        self.settings = settings
        self.redactor = Redactor(settings.secrets())
        self.clock = clock or SystemClock()
        self._store = open_store(state_address(settings), self.clock, max_bytes=settings.cache_size)
        self.observer = Observers(LogObserver(log_queries=settings.log_queries))
        self._outage = Outage(self.clock, self.observer)
        self._soft_store = FailSoftStore(self._store, self._outage)
        self.statistics: Statistics | None = None
        self._closing: list[Statistics | LastUses] = []
        self._entries = CacheEntries(self._soft_store, self.clock, settings.scope())
        self._is_brief = is_brief
        self._guard = Guard(settings.allow_private, clock=self.clock, nat64_prefixes=settings.nat64_prefixes)
        proxy = UpstreamProxy(settings.proxy) if settings.proxy else None
        self._api_client = ConfiguredClient(USER_AGENT, proxy=proxy)
        self._page_client = UntrustedClient(self._guard, USER_AGENT, proxy=proxy)
        self._robots = RobotsFiles(self._page_client, self.clock, self._entries, kept_s=settings.ttl_robots)
        self._workers = WorkerPool(pdf_max_pages=settings.pdf_max_pages, with_images=settings.images == "alt")
        browsing = (settings, self._guard, self._api_client, self.clock)
        self.browser = None if settings.browser == "off" else BrowserOnDemand(*browsing, user_agent=USER_AGENT)
        self._cache = Cache(self._entries, clock=self.clock, observer=self.observer, refreshes=not is_brief)
        own = (DirectFetcher.name, BrowserOnDemand.name)
        self.engines = (*settings.specs, EXTRACTIVE, *settings.mcp_providers, *LOADED_SITES, *own)
        coordinator = open_coordinator(self._store)
        kept = None if coordinator or not self._store.is_shared else self._soft_store
        prepare, paces = self._api_client.prepare, settings.paces()
        self._traffic = Traffic(
            coordinator, self._outage, paces, prepare, clock=self.clock, observer=self.observer, kept=kept
        )
        self._kit = self._make_kit()
        self._usage = UsageBuffer(self._store, self.clock, own)
        self.spending = self._account()
        self.services = self._services()
        self.contract: Contract = registry.build(settings.contract, self.services)
        limiter, masking = self._traffic.caller_limiter, self.redactor
        self.dispatcher = Dispatcher(
            settings, clock=self.clock, limiter=limiter, observer=self.observer, redactor=masking
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        async with AsyncExitStack() as closing:
            # Each is closed even if closing another fails, in reverse order.
            clients, meters = (self._api_client, self._page_client), (self.spending, self._usage, self._traffic)
            for opened in (*clients, self._store, *meters, self._workers, self._robots):
                closing.push_async_callback(opened.close)
            for each in self._closing:
                closing.push_async_callback(each.close)
            if self.browser is not None:
                closing.push_async_callback(self.browser.close)
            for provider in (*self._providers, vars(self._pool).get("provider")):
                if isinstance(provider, HasInstances):
                    closing.push_async_callback(provider.instances.close)
            batches = [self._batches.close] if "_batches" in vars(self) else []
            for close in (self._search_router.close, self._cache.close, *batches):
                closing.push_async_callback(close)

    def doctor(self, loaded: Loaded) -> Doctor:
        """Diagnostics of these settings. Imported here because only one command needs them."""
        from dowse.flows.doctor.examination import Doctor
        from dowse.flows.doctor.probe import Probe

        return Doctor(
            loaded,
            tools=[tool.name for tool in self.contract.tools],
            state=state_address(self.settings),
            spending=self.spending,
            read_tokens=lambda: self._tokens().entries,
            probe=Probe(
                self.settings,
                [*self._providers, *self._keyless_providers],
                self._jwks(),
                clock=self.clock,
                spending=self.spending,
                browser=self.browser,
            ),
        )

    def trial_flow(self) -> TrialFlow:
        """A flow that calls one provider and keeps what was sent and answered."""
        from dowse.flows.try_provider import TrialFlow

        return TrialFlow(self._kit, self.spending)

    def explain_flow(self) -> ExplainFlow:
        """A flow that explains the extraction of a page, without scrape APIs and cache."""
        from dowse.flows.explain import ExplainFlow, RecordingExtractor

        extractor = RecordingExtractor(self._workers)
        reading = self._read_flow(self._read_chain(Readers(self._own_readers(extractor))), PageLifetimes(0.0, 0.0, 0.0))
        return ExplainFlow(reading, extractor)

    @property
    def instances(self) -> InstancePool:
        """The pool of SearXNG instances: the user's own if there are several, else the public ones."""
        own = next((each.instances for each in self._providers if isinstance(each, HasInstances)), None)
        if own is not None:
            return own
        pool = self._pool.provider
        assert isinstance(pool, HasInstances)
        return pool.instances

    @property
    def workers_full_s(self) -> float:
        """Total time in seconds during which all workers were busy."""
        return self._workers.full_s

    @cached_property
    def wires(self) -> tuple[Wire, ...]:
        """REST and the wires of the settings; imported when HTTP is served."""
        from dowse.contracts.rest.endpoints import build_rest
        from dowse.contracts.rest.reports import Reports
        from dowse.contracts.wires.table import build_wires

        def examine() -> Awaitable[Diagnosis]:
            return self.doctor(Loaded(self.settings, ())).examine(no_progress)

        counts, spent = self._store.call_counts, self.spending.spent
        wires = build_wires(self.settings.wires, self.services)
        self.statistics = self._count()
        reports = Reports(self.settings, self.clock, counts, spent, examine, self.explain_flow, self.statistics.read)
        return (build_rest(self.services, reports), *wires)

    def _count(self) -> Statistics:
        """Counters of all calls from now on."""
        from dowse.flows.statistics import Statistics
        from dowse.telemetry.counters import CallCounters

        counters = CallCounters(self.clock, engines=self.engines)
        self.observer.add(counters)
        self._closing.append(statistics := Statistics(counters, self._soft_store, self.clock))
        return statistics

    @cached_property
    def authenticator(self) -> Authenticator | None:
        """Authenticator of HTTP callers; `None` if no token is required. Raises `ConfigError` for a bad tokens file."""
        if not self.settings.needs_token:
            return None
        from dowse.auth.authenticator import BearerAuthenticator, LastUses

        self._closing.append(uses := LastUses(self._soft_store, self.clock))
        return BearerAuthenticator(self._tokens(), self._jwt(), uses)

    @cached_property
    def sessions(self) -> Sessions:
        """Sessions of the console."""
        from dowse.auth.sessions import Sessions

        return Sessions(self._soft_store, self.clock)

    def _tokens(self) -> TokenBook:
        from dowse.auth.authenticator import TokenBook

        file = Path(self.settings.tokens_file).expanduser() if self.settings.tokens_file else None
        return TokenBook(self.settings.tokens, file, self.clock)

    def _jwt(self) -> JwtVerifier | None:
        from dowse.auth.jwt import JwtVerifier

        keys = self._jwks()
        return JwtVerifier(self.settings.jwt_issuer, self.settings.jwt_audience, keys) if keys else None

    def _jwks(self) -> Jwks | None:
        from dowse.auth.jwt import Jwks

        url = self.settings.jwks_url
        return Jwks(url, self._api_client, self.clock) if url else None

    def _account(self) -> Account:
        settings, budgets = self.settings, self.settings.budgets()
        ledger = FailSoftLedger(self._store, self._outage) if budgets else MemoryLedger()
        prices, shared, usage = settings.prices(), settings.shared_allowances(), self._usage
        return Account(budgets, prices, ledger, clock=self.clock, observer=self.observer, usage=usage, shared=shared)

    def _services(self) -> Services:
        settings, observer = self.settings, self.observer
        pages = PageLifetimes(settings.ttl_pages, settings.ttl_failures, settings.ttl_stale)
        reader = self._read_flow(self._read_chain(self._readers()), pages)
        keyless = frozenset(settings.keyless_members())
        self._search_router = router = Router[SearchProvider](
            "search",
            clock=self.clock,
            observer=observer,
            policy=FallbackPolicy(after_rejected_key=settings.fallback == "any", keyless=keyless | settings.unkeyed()),
            spending=self.spending,
            breakers=self._traffic.breakers("search"),
            pacing=self._traffic.pacing,
            hedging=Hedging() if settings.hedge else None,
        )
        providers, first = [*self._providers, *self._keyless_providers], settings.has_usual_order
        lifetimes = SearchLifetimes(settings.ttl_search, settings.ttl_news, settings.ttl_failures, settings.ttl_stale)
        search = SearchFlow(
            Finder(
                router, providers, self._cache, lifetimes, clock=self.clock, keyless=keyless, specialists_first=first
            ),
            reader,
            self._workers,
            SiteRules(settings.boost, settings.bury, settings.block),
            clock=self.clock,
            observer=observer,
            scrubber=QueryScrubber(self.redactor, settings.scrub),
            disclosures=self._kit.disclosure,
            offline=settings.offline,
            index_owners=settings.index_owners(),
        )
        return Services(
            search,
            reader,
            PageViewFlow(reader, self._workers),
            self._answer_flow(search),
            RerankFlow(self._workers),
            ExtractFlow(self._workers, max_bytes=settings.max_content_size),
            self.clock,
            settings,
            Guardrails(rules_of(settings)),
            self.redactor,
            lambda: self._map_flow,
            lambda: self._batches,
        )

    @cached_property
    def _map_flow(self) -> MapFlow:
        from dowse.flows.map_site import MapFlow

        client, most = self._page_client, self.settings.max_content_size
        return MapFlow(client, DirectFetcher(client, max_bytes=most), self._robots, self.settings)

    @cached_property
    def _batches(self) -> BatchFlow:
        from dowse.flows.batch import BatchFlow

        return BatchFlow(self.services.read, self._entries, self.clock, self.settings)

    def _answer_flow(self, search: SearchFlow) -> AnswerFlow:
        settings, answerers = self.settings, [make_answerer(name, self._kit) for name in self.settings.answerers()]
        usual = Query("", language=settings.default_language, safe_search=settings.safe_search)
        breakers, pacing = self._traffic.breakers("answer"), self._traffic.pacing
        router = Router[AnswerProvider](
            "answer", clock=self.clock, observer=self.observer, spending=self.spending, breakers=breakers, pacing=pacing
        )
        return AnswerFlow(
            router,
            answerers,
            Extractive(search, clock=self.clock, usual=usual),
            self._cache,
            AnswerLifetimes(settings.ttl_answers, settings.ttl_failures, settings.ttl_stale),
            clock=self.clock,
            observer=self.observer,
            scrubber=QueryScrubber(self.redactor, settings.scrub),
            offline=settings.offline,
        )

    def _read_flow(self, chain: ReadChain, lifetimes: PageLifetimes) -> ReadFlow:
        settings = self.settings
        return ReadFlow(
            chain,
            SecretUrls(settings.secrets(), allowed=settings.allow_secret_urls),
            self._cache,
            lifetimes,
            clock=self.clock,
            observer=self.observer,
            max_concurrent=settings.max_concurrent_fetches,
            robots=settings.respect_robots,
            offline=settings.offline,
        )

    @cached_property
    def _providers(self) -> list[SearchProvider]:
        kit = self._kit
        return [make_search(name, kit) for name in self.settings.searchers()]

    @cached_property
    def _keyless_providers(self) -> list[SearchProvider]:
        names = self.settings.keyless_members()
        return [self._pool if name == self._pool.name else LazyProvider(name, self._kit) for name in names]

    @cached_property
    def _pool(self) -> LazyProvider:
        """The public SearXNG instances; `dowse instances` lists them even when they are not in use."""
        return LazyProvider(SEARXNG_POOL.name, self._kit)

    def _readers(self) -> Readers:
        loading = (self.settings, self._api_client, self._page_client, self._workers, self.redactor)
        return Readers(
            own=self._own_readers(self._workers),
            apis=[make_reader(name, self._kit) for name in self.settings.scrapers()],
            make_loaders=partial(make_site_loaders, *loading),
            apis_first=self.settings.read_order == "scrape-first",
        )

    def _own_readers(self, extractor: Extractor) -> list[FetchingReader]:
        settings = self.settings
        disguise = self._kit.manners.headers if settings.rotate_user_agents == "all" else dict
        direct = DirectFetcher(self._page_client, self.clock, max_bytes=settings.max_content_size, headers=disguise)
        own = [FetchingReader(direct, extractor, timeout_s=settings.content_fetch_timeout_s, sheets=direct)]
        if self.browser is not None:
            own.append(FetchingReader(self.browser, extractor, timeout_s=settings.browser_timeout_s))
        return own

    def _read_chain(self, readers: Readers) -> ReadChain:
        router = Router[PageReader](
            "read",
            clock=self.clock,
            observer=self.observer,
            policy=FallbackPolicy(after_everything=True, never_blamed=frozenset(reader.name for reader in readers.own)),
            spending=self.spending,
            breakers=self._traffic.breakers("read"),
            pacing=self._traffic.pacing,
        )
        return ReadChain(router, readers, self._guard, self._robots)

    def _make_kit(self) -> Kit:
        clients, masking = (self._api_client, self._page_client), (self.redactor, Disclosure(self.settings.searchers()))
        parts = (*clients, self._workers, self._instances_cache, self.clock, *masking)
        return Kit(self.settings, *parts, self._traffic.limiter, USER_AGENT, watches=not self._is_brief)

    @cached_property
    def _instances_cache(self) -> CacheEntries:
        """Cache of instance health, shared by all settings because it does not depend on them."""
        return CacheEntries(self._soft_store, self.clock, b"instances")
