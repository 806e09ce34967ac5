"""The composition root: settings in, a wired application out. Only this file knows concrete classes."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from dowse import PROJECT_URL, __version__
from dowse.clock import SystemClock
from dowse.contracts import registry
from dowse.contracts.dispatch import Dispatcher
from dowse.contracts.services import Services
from dowse.contracts.tool import Contract
from dowse.extract.pool import WorkerPool
from dowse.fetch.direct import DirectFetcher
from dowse.flows.read import ReadFlow
from dowse.flows.search import SearchFlow
from dowse.interfaces import SearchProvider
from dowse.models import Clock
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.guard import Guard
from dowse.providers.table import PROVIDERS, Kit
from dowse.routing.limiter import SlidingWindows
from dowse.routing.policy import FallbackPolicy
from dowse.routing.router import Router
from dowse.settings import Settings
from dowse.telemetry.events import LogObserver
from dowse.telemetry.redact import Redactor

USER_AGENT = f"dowse/{__version__} (+{PROJECT_URL})"


class App:
    """Everything a surface needs. Nothing is opened before it is used; leaving closes what was."""

    def __init__(self, settings: Settings, *, clock: Clock | None = None) -> None:
        self.settings = settings
        self.redactor = Redactor(settings.secrets())
        self._api_client = ConfiguredClient(USER_AGENT)
        self._workers = WorkerPool()
        self.clock = clock or SystemClock()
        self.observer = LogObserver(log_queries=settings.log_queries)
        self.contract: Contract = registry.build(settings.contract, self._services(self.clock))
        self.dispatcher = Dispatcher(
            settings,
            clock=self.clock,
            limiter=SlidingWindows(self.clock),
            observer=self.observer,
            redactor=self.redactor,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._workers.close()
        await self._api_client.close()

    def _services(self, clock: Clock) -> Services:
        settings, observer = self.settings, self.observer
        page_client = UntrustedClient(Guard(settings.allow_private), USER_AGENT)
        reader = ReadFlow(
            DirectFetcher(page_client, max_bytes=settings.max_content_size),
            self._workers,
            clock=clock,
            observer=observer,
            page_timeout_s=settings.content_fetch_timeout_s,
            max_concurrent=settings.max_concurrent_fetches,
            offline=settings.offline,
        )
        router = Router(
            "search",
            self._providers(clock),
            clock=clock,
            observer=observer,
            policy=FallbackPolicy(after_rejected_key=settings.fallback == "any"),
        )
        search = SearchFlow(router, reader, clock=clock, observer=observer, offline=settings.offline)
        return Services(search, reader, clock, settings)

    def _providers(self, clock: Clock) -> list[SearchProvider]:
        active = [name for name in self.settings.search_order if self.settings.is_active(name)]
        kit = Kit(self.settings, self._api_client, clock, self.redactor)
        return [PROVIDERS[name](kit) for name in active]
