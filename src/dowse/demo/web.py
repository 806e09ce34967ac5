"""Pages and doubles of Serper and Tavily on one loopback port, for `dowse demo` and `dowse demo --serve`.

The tests have a web of their own, with a double of every API (`tests/doubles`).
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from importlib import resources
from types import TracebackType
from typing import Self

from aiohttp import web

HOST = "127.0.0.1"
DEFAULT_PORT = 8765
# They open nothing; they have the shape of real keys, so that masking works as it does with real ones.
SERPER_KEY = "5e9a1c47d20b83f6e4c7190a2bd85f3361fe07ca"
TAVILY_KEY = "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"

_WORD = re.compile(r"\w+")
_SHUTDOWN_S = 0.05


@dataclass(frozen=True, slots=True)
class _Document:
    """A page as a search engine knows it."""

    path: str
    file: str
    title: str
    snippet: str
    keywords: str

    def overlap(self, query: str) -> int:
        """How many words of the query it has; words of the title count most."""
        words = set(_WORD.findall(query.lower()))
        fields = ((3, self.title), (2, self.keywords), (1, self.snippet))
        return sum(weight * len(words & set(_WORD.findall(text.lower()))) for weight, text in fields)


_DOCUMENTS = (
    _Document(
        "/articles/python-315",
        "python-315.html",
        "Python 3.15: what changes for your code",
        "Lazy imports, UTF-8 by default and a profiling package: the parts of Python 3.15 you will notice.",
        "python release new features lazy import utf-8 encoding profiler upgrade version highlights",
    ),
    _Document(
        "/docs/retrying",
        "retrying.html",
        "Retrying requests - Lantern client guide",
        "How the Lantern client retries: which failures, how long it waits, and how to switch it off.",
        "documentation retry backoff jitter http client timeout api python code example",
    ),
    _Document(
        "/questions/asyncio-cancel",
        "asyncio-cancel.html",
        "How do I cancel an asyncio task and wait for its cleanup?",
        "Call cancel() and then await the task: the accepted answer explains why both are needed.",
        "question answer asyncio cancel task await python cancellederror coroutine",
    ),
    _Document(
        "/forum/thread-4471",
        "thread-4471.html",
        "Sourdough collapses after the second rise - Crumb forum",
        "Twelve degrees in the kitchen and a dough that falls flat: six replies and a solution.",
        "forum thread bread sourdough baking dough proofing fermentation help",
    ),
    _Document(
        "/news/harbour-bridge",
        "harbour-bridge.html",
        "Harbour bridge reopens three weeks early",
        "The lift bridge at Nordhaven carries trams again after repairs to its counterweight.",
        "news harbour bridge tram repair city traffic nordhaven reopening",
    ),
    _Document(
        "/products/kettle",
        "kettle.html",
        "Fjell 1.2 l gooseneck kettle",
        "Pour-over kettle with a counterbalanced handle, variable temperature and a five year warranty.",
        "product buy price kettle coffee gooseneck temperature shop",
    ),
)
_HTML = "text/html"
_FILES = {
    "/": ("index.html", _HTML),
    **{document.path: (document.file, _HTML) for document in _DOCUMENTS},
    # Empty without JavaScript: what a browser is for.
    "/app": ("app/app.html", _HTML),
    "/app/main.js": ("app/main.js", "text/javascript"),
    "/app/article.json": ("app/article.json", "application/json"),
}


class DemoWeb:
    """An async context manager: serves until it is left; port 0 takes any free port."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.failing: set[str] = set()
        """Names of the doubles that answer every request with HTTP 500."""
        self._runner: web.AppRunner | None = None

    def page(self, path: str) -> str:
        """The absolute URL of a page."""
        return f"http://{HOST}:{self.port}{path}"

    def environment(self) -> dict[str, str]:
        """The settings that point an unchanged dowse here; they depend on the port alone."""
        return {
            "SERPER_API_KEY": SERPER_KEY,
            "SERPER_SEARCH_ENDPOINT": self.page("/serper/search"),
            "SERPER_SCRAPE_ENDPOINT": self.page("/serper/scrape"),
            "TAVILY_API_KEY": TAVILY_KEY,
            "TAVILY_SEARCH_ENDPOINT": self.page("/tavily/search"),
            "TAVILY_EXTRACT_ENDPOINT": self.page("/tavily/extract"),
            "DOWSE_ALLOW_PRIVATE": f"{HOST}:{self.port}",
        }

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/serper/search", self._serper)
        app.router.add_post("/tavily/search", self._tavily)
        app.router.add_get("/{path:.*}", self._page)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_S)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, HOST, self.port).start()
        except OSError:
            await self._runner.cleanup()
            raise
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _serper(self, request: web.Request) -> web.Response:
        if "serper" in self.failing:
            return web.json_response({"message": "Something broke on our side.", "statusCode": 500}, status=500)
        if request.headers.get("X-API-KEY") != SERPER_KEY:
            return web.json_response({"message": "Unauthorized.", "statusCode": 403}, status=403)
        body = await request.json()
        found = _search(str(body.get("q", "")), body.get("num", 10))
        organic = [
            {"title": each.title, "link": self.page(each.path), "snippet": each.snippet, "position": position}
            for position, each in enumerate(found, 1)
        ]
        return web.json_response({"searchParameters": body, "organic": organic, "credits": 1})

    async def _tavily(self, request: web.Request) -> web.Response:
        if "tavily" in self.failing:
            return web.json_response({"detail": {"error": "Something broke on our side."}}, status=500)
        if request.headers.get("Authorization") != f"Bearer {TAVILY_KEY}":
            return web.json_response({"detail": {"error": "Unauthorized: missing or invalid API key."}}, status=401)
        body = await request.json()
        found = _search(str(body.get("query", "")), body.get("max_results", 5))
        results = [
            {"title": each.title, "url": self.page(each.path), "content": each.snippet, "score": 0.9} for each in found
        ]
        return web.json_response({"query": body.get("query"), "results": results, "response_time": 0.1})

    async def _page(self, request: web.Request) -> web.Response:
        if request.path not in _FILES:
            return web.Response(text=_text("missing.html"), content_type=_HTML, status=404)
        file, content_type = _FILES[request.path]
        return web.Response(text=_text(file), content_type=content_type)


def _search(query: str, count: object) -> list[_Document]:
    ranked = sorted(_DOCUMENTS, key=lambda document: -document.overlap(query))
    return ranked[: count if isinstance(count, int) else len(ranked)]


@functools.cache
def _text(file: str) -> str:
    return (resources.files("dowse.demo") / "pages" / file).read_text(encoding="utf-8")
