"""PocketWeb: the server on loopback that holds the doubles and the pages."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Self

from aiohttp import web

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

PROVIDERS = ("serper", "exa", "tavily", "searxng")
# Long enough for a socket to close in order, short enough for a thousand tests.
_SHUTDOWN_S = 0.05

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class PocketWeb:
    """A web in a box. Use as an async context manager; the port is free once it is left.

    In memory it opens no port: `MemoryConnector` is the way there.
    """

    def __init__(self, keys: Mapping[str, str] | None = None, *, port: int = 0, in_memory: bool = False) -> None:
        ours = {"serper": SERPER_KEY, "exa": EXA_KEY, "tavily": TAVILY_KEY, "openai": OPENAI_KEY}
        chosen = {**ours, **(keys or {})}
        self.serper = Serper(chosen["serper"], self._origin)
        self.exa = Exa(chosen["exa"], self._origin)
        self.tavily = Tavily(chosen["tavily"], self._origin)
        self.searxng = Searxng("", self._origin)
        self.serper_scrape = SerperScrape(chosen["serper"], self._origin)
        self.exa_contents = ExaContents(chosen["exa"], self._origin)
        self.tavily_extract = TavilyExtract(chosen["tavily"], self._origin)
        self.sites = {kind.name: kind(chosen.get(kind.name, ""), self._origin) for kind in SITES}
        self.openai = OpenAI(chosen["openai"], self._origin)
        self.exa_mcp = ExaMcp("", self._origin)
        self.parallel_mcp = ParallelMcp("", self._origin)
        self.firecrawl_mcp = FirecrawlMcp("", self._origin)
        self.instances = PublicInstances("", self._origin)
        self.searx_space = SearxSpaceList("", self._origin, self.instances.addresses)
        self.duckduckgo = DuckDuckGo("", self._origin)
        self.mojeek = Mojeek("", self._origin)
        self.pages = Site()
        self._port = port
        self._is_in_memory = in_memory
        self._runner: web.AppRunner | None = None
        self._running: set[asyncio.Task[object]] = set()

    @property
    def port(self) -> int:
        return self._port

    @property
    def doubles(self) -> tuple[Double, ...]:
        return (*self.searchers, *self.readers)

    @property
    def searchers(self) -> tuple[Double, ...]:
        """Those with a folder of their own."""
        keyed = (self.serper, self.exa, self.tavily, self.searxng)
        keyless = (self.exa_mcp, self.parallel_mcp, self.firecrawl_mcp, self.duckduckgo, self.mojeek)
        return (*keyed, *keyless, self.instances, self.searx_space, self.openai, *self.sites.values())

    @property
    def readers(self) -> tuple[ReaderDouble, ...]:
        return (self.serper_scrape, self.exa_contents, self.tavily_extract)

    def page(self, path: str) -> str:
        """The absolute URL of a page."""
        return self._origin() + path

    def environment(self, *providers: str) -> dict[str, str]:
        """The settings that point the unchanged product here, with credentials for the named providers."""
        credentials = {
            "serper": ("SERPER_API_KEY", self.serper.key),
            "exa": ("EXA_API_KEY", self.exa.key),
            "tavily": ("TAVILY_API_KEY", self.tavily.key),
            "searxng": ("SEARXNG_URL", self.page("/searxng")),
            "openai": ("OPENAI_API_KEY", self.openai.key),
        }
        # All endpoints, also of providers not named: nothing can reach the real services by mistake.
        return dict(credentials[provider] for provider in providers) | {
            "SERPER_SEARCH_ENDPOINT": self.page(self.serper.path),
            "SERPER_SCRAPE_ENDPOINT": self.page(self.serper_scrape.path),
            "EXA_SEARCH_ENDPOINT": self.page(self.exa.path),
            "EXA_CONTENTS_ENDPOINT": self.page(self.exa_contents.path),
            "TAVILY_SEARCH_ENDPOINT": self.page(self.tavily.path),
            "TAVILY_EXTRACT_ENDPOINT": self.page(self.tavily_extract.path),
            "DOWSE_ALLOW_PRIVATE": f"{HOST}:{self._port}",
            "NPM_FILES_URL": self.page("/files"),
            "OPENAI_BASE_URL": self.page("/openai/v1"),
            "EXA_MCP_URL": self.page(self.exa_mcp.path),
            "PARALLEL_MCP_URL": self.page(self.parallel_mcp.path),
            "FIRECRAWL_MCP_URL": self.page(self.firecrawl_mcp.path),
            "SEARX_SPACE_URL": self.page(self.searx_space.path),
            "DUCKDUCKGO_URL": self.page(self.duckduckgo.path),
            "MOJEEK_URL": self.page(self.mojeek.path),
            **{site.variable: self.page(site.endpoint) for site in self.sites.values()},
        }

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
            app.router.add_route("*", f"/{double.name}/{{rest:.*}}", self._tracked(double.handle))
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
