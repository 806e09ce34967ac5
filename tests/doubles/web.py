"""PocketWeb: the server on loopback that holds the doubles and the pages."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from dowse import settings
from tests.doubles import memory
from tests.doubles.double import Double
from tests.doubles.duckduckgo import DuckDuckGo
from tests.doubles.exa import Exa, ExaContents
from tests.doubles.exa_mcp import ExaMcp
from tests.doubles.firecrawl_mcp import FirecrawlMcp
from tests.doubles.memory import HOST
from tests.doubles.mojeek import Mojeek
from tests.doubles.openai import OpenAI
from tests.doubles.parallel_mcp import ParallelMcp
from tests.doubles.public_instances import PublicInstances
from tests.doubles.reading import ReaderDouble
from tests.doubles.recorded_api import RecordedApi, read_pairs, recorded
from tests.doubles.searx_space import SearxSpaceList
from tests.doubles.searxng import Searxng
from tests.doubles.serper import Serper, SerperScrape
from tests.doubles.site import Site
from tests.doubles.sites import SiteDouble
from tests.doubles.sites_arxiv import ArxivApi
from tests.doubles.sites_crates import CratesApi
from tests.doubles.sites_crossref import CrossrefApi
from tests.doubles.sites_github import GithubApi
from tests.doubles.sites_hackernews import HackerNewsApi
from tests.doubles.sites_mdn import MdnApi
from tests.doubles.sites_npm import NpmApi
from tests.doubles.sites_pypi import PypiApi
from tests.doubles.sites_stackexchange import StackExchangeApi
from tests.doubles.sites_wikipedia import WikipediaApi
from tests.doubles.tavily import Tavily, TavilyExtract

# They open nothing; they look like real keys so that redaction is tested against the real thing.
SERPER_KEY = "5e9a1c47d20b83f6e4c7190a2bd85f3361fe07ca"
EXA_KEY = "7b1f6c02-94de-4a58-8c3f-e20d5a91b7c4"
TAVILY_KEY = "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"
OPENAI_KEY = "sk-proj-pocketQ7mZ4xTn2LkV9sRbW1cYh6JpD3fGa8Ue0"
KEYS = {"serper": SERPER_KEY, "exa": EXA_KEY, "tavily": TAVILY_KEY, "openai": OPENAI_KEY}

# The APIs behind well-known sites. A new one is one file and one line here.
SITES: tuple[type[SiteDouble], ...] = (
    StackExchangeApi,
    HackerNewsApi,
    WikipediaApi,
    ArxivApi,
    GithubApi,
    PypiApi,
    NpmApi,
    CratesApi,
    MdnApi,
    CrossrefApi,
)

# The APIs of the providers. A new one is one file and one line here.
SEARCHERS: tuple[type[Double], ...] = (
    *(Serper, Exa, Tavily, Searxng, OpenAI),
    *(ExaMcp, ParallelMcp, FirecrawlMcp, DuckDuckGo, Mojeek),
)
READERS: tuple[type[ReaderDouble], ...] = (SerperScrape, ExaContents, TavilyExtract)
# Those with a double of their own; the described ones are in `RecordedApi`.
PROVIDERS = tuple(name for name in settings.SEARCHERS if not settings.SPECS[name].source)
# Long enough for a socket to close in order, short enough for a thousand tests.
_SHUTDOWN_S = 0.05

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class PocketWeb:
    """A web in a box. Use as an async context manager; the port is free once it is left.

    In memory it opens no port: `MemoryConnector` is the way there.
    """

    def __init__(self, keys: Mapping[str, str] | None = None, *, port: int = 0, in_memory: bool = False) -> None:
        chosen = {**KEYS, **(keys or {})}
        self._searchers = {kind.name: kind(chosen.get(kind.name, ""), self._origin) for kind in SEARCHERS}
        self._readers = {kind.name: kind(chosen[kind.name], self._origin) for kind in READERS}
        self.sites = {kind.name: kind(chosen.get(kind.name, ""), self._origin) for kind in SITES}
        self.recorded = {name: RecordedApi(name, self._origin) for name in recorded()}
        self.instances = PublicInstances("", self._origin)
        self.searx_space = SearxSpaceList("", self._origin, self.instances.addresses)
        self.pages = Site()
        self._port = port
        self._is_in_memory = in_memory
        self._runner: web.AppRunner | None = None
        self._running: set[asyncio.Task[object]] = set()

    def __getattr__(self, name: str) -> Any:
        """The double of a search API by the provider's name, and that of a page API by name and operation."""
        searchers = self.__dict__.get("_searchers", {})
        readers = self.__dict__.get("_readers", {})
        found = (
            searchers
            | self.__dict__.get("recorded", {})
            | {f"{each.name}_{each.operation}": each for each in readers.values()}
        )
        if name not in found:
            raise AttributeError(name)
        return found[name]

    @property
    def port(self) -> int:
        return self._port

    @property
    def doubles(self) -> tuple[Double, ...]:
        return (*self.searchers, *self.readers)

    @property
    def searchers(self) -> tuple[Double, ...]:
        """Those with a folder of their own."""
        return (
            *self._searchers.values(),
            *self.recorded.values(),
            self.instances,
            self.searx_space,
            *self.sites.values(),
        )

    @property
    def readers(self) -> tuple[ReaderDouble, ...]:
        return tuple(self._readers.values())

    def page(self, path: str) -> str:
        """The absolute URL of a page."""
        return self._origin() + path

    def environment(self, *providers: str) -> dict[str, str]:
        """The settings that point the unchanged product here, with credentials for the named providers."""
        specs = {name: settings.SPECS[name] for name in providers}
        credentials = {
            spec.credential: self.page(f"/{name}") if spec.servers else self._key(name)
            for name, spec in specs.items()
            if spec.credential
        }
        # All endpoints, also of providers not named: nothing can reach the real services by mistake.
        endpoints = {
            endpoint.variable: self.page(self._path(name, operation))
            for name, spec in settings.SPECS.items()
            for operation, endpoint in spec.endpoints.items()
        }
        return {
            **credentials,
            **endpoints,
            "DOWSE_ALLOW_PRIVATE": f"{HOST}:{self._port}",
            "NPM_FILES_URL": self.page("/files"),
            **{site.variable: self.page(site.endpoint) for site in self.sites.values()},
        }

    def _path(self, provider: str, operation: str) -> str:
        if provider == self.searx_space.provider:
            return self.searx_space.path
        if provider in self.recorded:
            return self.recorded[provider].endpoint(operation)
        double = self._readers[provider] if operation == "read" else self._searchers[provider]
        return double.base_path or double.path

    def _key(self, provider: str) -> str:
        return (self.recorded.get(provider) or self._searchers[provider]).key

    def record(self, path: Path) -> None:
        """Serve the pairs of one more file; before the web is entered."""
        self.recorded |= {name: RecordedApi(name, self._origin, pairs) for name, pairs in read_pairs(path).items()}

    def reset(self) -> None:
        """Forget every script and every request seen."""
        for double in self.doubles:
            double.reset()
        self.pages.reset()

    async def __aenter__(self) -> Self:
        app = web.Application()
        for reader in self.readers:
            app.router.add_route("*", reader.path, self._tracked(reader.handle))
        for double in self.searchers:
            app.router.add_route("*", f"/{double.name or double.path[1:]}/{{rest:.*}}", self._tracked(double.handle))
        app.router.add_route("*", "/{rest:.*}", self._tracked(self.pages.handle))
        # Cancellation is how a handler learns that its client has left.
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=_SHUTDOWN_S)
        await self._runner.setup()
        if self._is_in_memory:
            assert self._runner.server is not None
            self._port = memory.listen(self._runner.server)
        else:
            await web.TCPSite(self._runner, HOST, self._port).start()
            self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._runner is not None
        if self._is_in_memory:
            memory.close(self._port)
        for site in self._runner.sites:
            await site.stop()
        # A hanging handler would otherwise be waited for.
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._runner.cleanup()
        self._runner = None

    def _origin(self) -> str:
        if not self._port:
            raise RuntimeError("the pocket web has no address before it is entered")
        return f"http://{HOST}:{self._port}"

    def _tracked(self, handler: Handler) -> Handler:
        """Remember the task of each running handler, so that leaving can end it."""

        async def tracked(request: web.Request) -> web.StreamResponse:
            task = asyncio.current_task()
            assert task is not None
            self._running.add(task)
            task.add_done_callback(self._running.discard)
            return await handler(request)

        return tracked


def closed_port() -> int:
    """A port nobody listens on: connecting to it is refused."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
