"""The clients of the Python API. Names and meaning of arguments are those of the contract `dowse`."""

from __future__ import annotations

import asyncio
import threading
import warnings
import weakref
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import date
from functools import wraps
from types import TracebackType
from typing import Concatenate, ParamSpec, Protocol, Self, TypeVar

from dowse import PROJECT_URL, __version__
from dowse.core.errors import BadAnswer
from dowse.settings import Settings
from dowse.settings.sources import flags_of, load
from dowse.surfaces.python.background import LoopThread
from dowse.surfaces.python.decoding import decode
from dowse.surfaces.python.results import (
    AnswerResult,
    ExtractResult,
    PageResult,
    PageResults,
    RerankResults,
    SearchResults,
)

P = ParamSpec("P")
T = TypeVar("T")

_CLOSED = "the client is closed"
_ELSEWHERE = "the client belongs to another event loop: make one for each loop"
Document = str | Mapping[str, object]
"""A document to rank: a text, or a mapping with the text under `text`."""


class Backend(Protocol):
    """Answers calls, in this process or on a server. Raises `DowseError`."""

    async def call(self, operation: str, given: Mapping[str, object]) -> object:
        """The result of `search`, `read`, `answer`, `extract` or `rerank` as a JSON object."""
        ...

    async def close(self) -> None: ...


class AsyncClient:
    """Searches, reads and answers in this process; with `base_url`, on a running server.

    `settings` are those of everywhere by their lower-case names (`serper_api_key`, `search_order`, `deadline_s`), and
    override the environment and `dowse.toml`. The client belongs to the event loop of its first call.
    """

    def __init__(self, *, base_url: str = "", token: str = "", config: str | None = None, **settings: object) -> None:
        """Raises `ConfigError` for an invalid setting, `TypeError` for an unknown one."""
        loaded = load(flags_of(settings), config=config)
        for remark in loaded.warnings:
            warnings.warn(remark, UserWarning, stacklevel=2)
        self._backend = _make_backend(base_url, token, loaded.settings)
        self._is_closed = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def search(
        self,
        query: str,
        *,
        num_results: int | None = None,
        category: str | None = None,
        language: str | None = None,
        safe_search: int | None = None,
        time_range: str | None = None,
        start_date: str | date | None = None,
        end_date: str | date | None = None,
        include_domains: Sequence[str] | None = None,
        exclude_domains: Sequence[str] | None = None,
        fetch_content: bool | None = None,
        depth: str | None = None,
        max_tokens: int | None = None,
        response_format: str | None = None,
        timeout_s: float | None = None,
        offline_mode: bool | None = None,
    ) -> SearchResults:
        """Find pages, read them, and return the passages about the query within `max_tokens`."""
        found = await self._call(
            "search",
            query=query,
            num_results=num_results,
            category=category,
            language=language,
            safe_search=safe_search,
            time_range=time_range,
            start_date=start_date,
            end_date=end_date,
            include_domains=include_domains,
            exclude_domains=exclude_domains,
            fetch_content=fetch_content,
            depth=depth,
            max_tokens=max_tokens,
            response_format=response_format,
            timeout_s=timeout_s,
            offline_mode=offline_mode,
        )
        return _decode(SearchResults, found)

    async def read(
        self,
        url: str,
        *,
        question: str | None = None,
        section: str | None = None,
        max_tokens: int | None = None,
        cursor: str | None = None,
        offline_mode: bool | None = None,
    ) -> PageResult:
        """Read a page as Markdown; with a question, its passages about that. A page that fails has its `status`."""
        found = await self._call(
            "read",
            url=url,
            question=question,
            section=section,
            max_tokens=max_tokens,
            cursor=cursor,
            offline_mode=offline_mode,
        )
        return _decode(PageResult, found)

    async def read_many(
        self,
        urls: Sequence[str],
        *,
        question: str | None = None,
        max_tokens: int | None = None,
        offline_mode: bool | None = None,
    ) -> PageResults:
        """Read up to 20 pages side by side, within one budget of tokens, in the order of their addresses."""
        found = await self._call("read", urls=urls, question=question, max_tokens=max_tokens, offline_mode=offline_mode)
        if isinstance(found, Mapping) and "results" not in found:
            found = {"results": [found], "warnings": [], "untrusted": True}
        return _decode(PageResults, found)

    async def answer(
        self,
        question: str,
        *,
        max_results: int | None = None,
        freshness_hours: int | None = None,
        language: str | None = None,
        region: str | None = None,
        include_answers: bool | None = None,
        timeout_s: float | None = None,
        offline_mode: bool | None = None,
    ) -> AnswerResult:
        """Answer a question from the web, with citations."""
        found = await self._call(
            "answer",
            question=question,
            max_results=max_results,
            freshness_hours=freshness_hours,
            language=language,
            region=region,
            include_answers=include_answers,
            timeout_s=timeout_s,
            offline_mode=offline_mode,
        )
        return _decode(AnswerResult, found)

    async def extract(
        self, html: str | bytes, *, url: str | None = None, timeout_s: float | None = None
    ) -> ExtractResult:
        """Convert HTML that you have to Markdown: its main content. Nothing is fetched."""
        if isinstance(html, bytes):
            from dowse.extract.decode import decode as decode_bytes

            html = decode_bytes(html)
        return _decode(ExtractResult, await self._call("extract", html=html, url=url, timeout_s=timeout_s))

    async def rerank(
        self,
        query: str,
        documents: Sequence[Document],
        *,
        top_n: int | None = None,
        timeout_s: float | None = None,
    ) -> RerankResults:
        """Order documents by their relevance to a query, each with a score from 0 to 1."""
        found = await self._call(
            "rerank", query=query, documents=documents, top_n=top_n, return_documents=True, timeout_s=timeout_s
        )
        return _decode(RerankResults, found)

    async def close(self) -> None:
        """Close connections and worker processes; may be called several times."""
        self._is_closed = True
        await self._backend.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _call(self, operation: str, **given: object) -> object:
        if self._is_closed:
            raise RuntimeError(_CLOSED)
        loop = asyncio.get_running_loop()
        self._loop = self._loop or loop
        if self._loop is not loop:
            raise RuntimeError(_ELSEWHERE)
        sent = {name: _plain(value) for name, value in given.items() if value is not None}
        return await self._backend.call(operation, sent)


def _synchronous(
    method: Callable[Concatenate[AsyncClient, P], Coroutine[None, None, T]],
) -> Callable[Concatenate[Client, P], T]:
    """The method for synchronous callers; it returns when the coroutine has ended in the thread of the client."""

    @wraps(method)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._thread.run(method(self._client, *args, **kwargs))

    return call


class Client:
    """`AsyncClient` for synchronous code, also inside of a running event loop, as in a notebook.

    Calls of several threads run side by side. It closes itself when the program ends.
    """

    def __init__(self, *, base_url: str = "", token: str = "", config: str | None = None, **settings: object) -> None:
        """Raises `ConfigError` for an invalid setting, `TypeError` for an unknown one."""
        self._client = AsyncClient(base_url=base_url, token=token, config=config, **settings)
        self._starting = threading.Lock()
        self._started: LoopThread | None = None

    search = _synchronous(AsyncClient.search)
    read = _synchronous(AsyncClient.read)
    read_many = _synchronous(AsyncClient.read_many)
    answer = _synchronous(AsyncClient.answer)
    extract = _synchronous(AsyncClient.extract)
    rerank = _synchronous(AsyncClient.rerank)

    def close(self) -> None:
        """Cancel the calls of other threads, close connections and worker processes; may be called several times."""
        self._thread.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _thread(self) -> LoopThread:
        """The thread of the event loop, started by the first call."""
        with self._starting:
            if self._started is None:
                self._started = LoopThread(self._client.close)
                # It runs when the client is garbage, or else when the interpreter ends.
                weakref.finalize(self, self._started.stop)
            return self._started


def _make_backend(base_url: str, token: str, settings: Settings) -> Backend:
    """The backend that a client needs; the other one is not imported."""
    if not base_url:
        from dowse.surfaces.python.local import LocalBackend

        return LocalBackend(settings)
    from dowse.surfaces.python.remote import RemoteBackend

    return RemoteBackend(base_url, token, settings, f"dowse/{__version__} (+{PROJECT_URL})")


def _plain(value: object) -> object:
    """A value of an argument as JSON has it."""
    if isinstance(value, date):
        return value.isoformat()
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else value


def _decode(kind: type[T], found: object) -> T:
    try:
        return decode(kind, found)
    except ValueError as error:
        raise BadAnswer("server", f"not the result of this version of dowse: {error}") from None
