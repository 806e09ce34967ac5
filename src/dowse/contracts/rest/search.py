"""`search` of the REST API: the typed output without the text for a model, and a stream of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dowse.contracts.arguments import Arguments, read
from dowse.contracts.dispatch import Answer, JsonObject, Services
from dowse.contracts.endpoint import Emit, Event
from dowse.contracts.output import WebSearchOutput, to_json
from dowse.contracts.render import cache_age_s, page_content, shown_status
from dowse.contracts.rest.operations import MODEL_TEXT, Operation, report_to
from dowse.contracts.web_search import IGNORED, answer, find, is_concise, search_params, to_output
from dowse.core.models import Attempt, CacheState, Hit, Page, SearchOutcome, Status
from dowse.core.protocols import SearchWatcher
from dowse.core.runtime import CallContext
from dowse.document.cut import truncate
from dowse.flows.search import UNWATCHED

_ABOUT = """\
Finds pages, reads them, and returns the passages about the query within `max_tokens`. As `text/event-stream` the parts
come as they are known: `progress`, `attempts`, `hits`, a `page` for each page that arrives, and the `result`."""
_EXAMPLE = {"query": "harbour bridge opening year", "num_results": 2}
# No token has more characters on average, in any script.
_CHARS_PER_TOKEN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class HitOutput:
    """A result before its page is read."""

    title: str
    link: str
    snippet: str
    engine: str
    published: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOutput:
    """A page of a search as it arrives: its beginning, since passages depend on all pages."""

    link: str
    final_url: str
    title: str
    page_content: str
    status: Status
    engine: str
    word_count: int
    fetch_time_ms: int
    cache: CacheState
    cache_age_s: int
    untrusted: bool = True


def build_search(services: Services) -> Operation:
    params = (*search_params(services.settings), MODEL_TEXT)

    async def search(given: JsonObject, context: CallContext, emit: Emit | None = None) -> Answer:
        arguments = read(params, given, ignored=IGNORED)
        watcher: SearchWatcher = UNWATCHED
        if emit:
            context = replace(context, progress=report_to(emit))
            watcher = SearchEvents(emit, arguments.integer("max_tokens") // arguments.integer("num_results"))
        outcome = await find(services, arguments, context, watcher)
        return _answer(outcome, arguments, is_structured=services.settings.structured)

    methods = ("GET", "POST")
    return Operation(
        "/search",
        "web_search",
        "Search the web",
        _ABOUT,
        search,
        WebSearchOutput,
        params,
        methods=methods,
        stream=search,
        gives_text=True,
        example=_EXAMPLE,
    )


class SearchEvents:
    """Implements `protocols.SearchWatcher`: the parts of a search as events."""

    def __init__(self, emit: Emit, page_tokens: int) -> None:
        self._emit = emit
        self._page_tokens = page_tokens

    async def found(self, attempts: Sequence[Attempt], hits: Sequence[Hit]) -> None:
        await self._emit(Event("attempts", {"attempts": list(map(to_json, attempts))}))
        await self._emit(Event("hits", {"hits": [to_json(_hit(hit)) for hit in hits], "untrusted": True}))

    async def page_read(self, hit: Hit, page: Page) -> None:
        text = page_content(page)
        shown = truncate(text[: _CHARS_PER_TOKEN * self._page_tokens], self._page_tokens)
        output = PageOutput(
            link=hit.url,
            final_url=page.final_url or page.url,
            title=page.title or hit.title,
            page_content=shown,
            status=shown_status(page, shown),
            engine=page.engine,
            word_count=page.word_count,
            fetch_time_ms=page.fetch_ms,
            cache=page.freshness.state,
            cache_age_s=cache_age_s(page.freshness),
        )
        await self._emit(Event("page", to_json(output)))


def _answer(outcome: SearchOutcome, arguments: Arguments, *, is_structured: bool) -> Answer:
    """The typed output as a whole, and if it is wanted the text as models get it, which may have to be shorter."""
    concise, remarks, text = is_concise(arguments), arguments.warnings, ""
    if arguments.flag(MODEL_TEXT.name):
        text = answer(outcome, remarks, is_concise=concise, is_structured=is_structured).text
    return Answer(text, to_output(outcome, remarks, is_concise=concise), engine=outcome.engine)


def _hit(hit: Hit) -> HitOutput:
    return HitOutput(title=hit.title, link=hit.url, snippet=hit.snippet, engine=hit.engine, published=hit.published)
