"""Firecrawl, v1 and v2: search, scrape, map and batches of scrapes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, Wire
from dowse.contracts.get_content import complete_address
from dowse.contracts.wires import firecrawl_shapes as shapes
from dowse.contracts.wires.failures import describe_error, page_failed
from dowse.contracts.wires.fields import Fields, types_of
from dowse.contracts.wires.firecrawl_shapes import SILENT_OPTIONS, ScrapeOptions
from dowse.contracts.wires.mapping import map_site
from dowse.contracts.wires.reading import read_pages
from dowse.contracts.wires.refusals import not_served
from dowse.contracts.wires.searching import Wanted, describe_unread, parse_tbs, search, warnings_of
from dowse.core import urls
from dowse.core.errors import DowseError, InvalidRequest, RequestRefused
from dowse.core.models import Category, SearchOutcome
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext
from dowse.core.text import ArgumentName
from dowse.flows.batch import MOST_URLS, BatchState
from dowse.flows.map_site import MOST_LINKS, MapRequest, SitemapUse

_MS = 0.001
_RESULTS, _MOST_RESULTS = 10, 100
_HIGHLIGHT_TOKENS = 250
_SILENT = (
    "origin",
    "integration",
    "ignoreInvalidURLs",
    "zeroDataRetention",
    "asyncScraping",
    "enterprise",
    "domainSource",
)
_LINK_FIELDS = ("url", "title", "description")
_JOB_ID = re.compile(r"[0-9a-f]{32}")

Source = Callable[[SearchOutcome, tuple[str, ...]], list[dict[str, object]]]
_SOURCES: Mapping[str, tuple[Category | None, Source]] = {
    "web": (None, shapes.web_results),
    "news": (Category.NEWS, shapes.news_results),
    "images": (Category.IMAGES, shapes.image_results),
}
_CATEGORIES = {"github": Category.IT, "research": Category.SCIENCE}


def build(services: Services) -> Wire:
    """Below a mount and at the root: the Python SDK drops the path of its address."""
    endpoints = (*_endpoints(Firecrawl(services, 1)), *_endpoints(Firecrawl(services, 2)))
    return Wire("firecrawl", Door.FIRECRAWL, ("/compat/firecrawl", ""), endpoints)


def _endpoints(api: Firecrawl) -> tuple[HttpEndpoint, ...]:
    root = f"/v{api.version}"
    return (
        HttpEndpoint(("POST",), f"{root}/search", "web_search", api.search, fail),
        HttpEndpoint(("POST",), f"{root}/scrape", "get_content", api.scrape, fail),
        HttpEndpoint(("POST",), f"{root}/map", "map_site", api.map, fail),
        HttpEndpoint(("POST",), f"{root}/batch/scrape", "get_content", api.start_batch, fail),
        HttpEndpoint(("GET",), f"{root}/batch/scrape/{{id}}", "batch_status", api.batch_state, fail),
        HttpEndpoint(("DELETE",), f"{root}/batch/scrape/{{id}}", "batch_status", api.cancel_batch, fail),
        HttpEndpoint(("GET",), f"{root}/batch/scrape/{{id}}/errors", "batch_status", api.batch_errors, fail),
        not_served(("POST",), f"{root}/crawl", "crawling of whole sites", fail),
        not_served(("GET", "DELETE"), f"{root}/crawl/{{id}}", "crawling of whole sites", fail),
        not_served(("GET",), f"{root}/crawl/{{id}}/errors", "crawling of whole sites", fail),
        not_served(("POST",), f"{root}/extract", "extraction by a model", fail),
        not_served(("GET",), f"{root}/extract/{{id}}", "extraction by a model", fail),
    )


class Firecrawl:
    """One version of the API."""

    def __init__(self, services: Services, version: int) -> None:
        self.version = version
        self._services = services

    async def search(self, request: HttpRequest, context: CallContext) -> HttpReply:
        """v2 answers lists by source, with passages as descriptions; v1 one list."""
        fields = Fields(request.json_object(), _SILENT)
        inner = fields.within("scrapeOptions", SILENT_OPTIONS)
        options = ScrapeOptions.of(inner, ())
        inner.ignore("timeout")
        self._check_age(inner)
        sources, remarks = self._sources(fields)
        reads = bool(options.formats) or fields.flag("highlights", default=self.version > 1)
        wanted = replace(to_wanted(fields), passage_tokens=_HIGHLIGHT_TOKENS if reads else None)
        ignored = fields.ignored()
        searches = (self._search(context, wanted, source) for source in sources)
        outcomes = dict(zip(sources, await asyncio.gather(*searches), strict=True))
        lists = {source: _SOURCES[source][1](outcome, options.formats) for source, outcome in outcomes.items()}
        told = (outcome.warnings + describe_unread(outcome) for outcome in outcomes.values())
        engine = next((outcome.engine for outcome in outcomes.values()), "")
        data = lists if self.version > 1 else lists["web"]
        return HttpReply(_success(data, warnings_of(ignored, remarks, options.warnings, *told)), engine=engine)

    def _sources(self, fields: Fields) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The sources to search, and a warning about others; v1 has but one."""
        named = types_of("sources", fields.raw("sources")) if self.version > 1 else ()
        unknown = ", ".join(each for each in named if each not in _SOURCES)
        remarks = (f"sources that this server does not have: {unknown}",) if unknown else ()
        return tuple(each for each in named if each in _SOURCES) or ("web",), remarks

    async def _search(self, context: CallContext, wanted: Wanted, source: str) -> SearchOutcome:
        category = _SOURCES[source][0] or wanted.category
        is_read = category is not Category.IMAGES
        tokens = wanted.passage_tokens if is_read else None
        return await search(self._services, context, replace(wanted, category=category, passage_tokens=tokens))

    async def scrape(self, request: HttpRequest, context: CallContext) -> HttpReply:
        """A page that cannot be read is an error with a code."""
        fields = Fields(request.json_object(), (*SILENT_OPTIONS, *_SILENT))
        options, url = ScrapeOptions.of(fields), fields.url("url")
        if fields.flag("lockdown"):
            raise RequestRefused(
                404, "SCRAPE_LOCKDOWN_CACHE_MISS: this server answers lockdown requests from no cache."
            )
        timeout_s, max_age = fields.seconds("timeout", unit_s=_MS), fields.number("maxAge")
        max_age_s = None if max_age is None else max(0.0, max_age * _MS)
        (shown,) = await read_pages(self._services, context, [url], timeout_s=timeout_s, max_age_s=max_age_s)
        if not shown.page.status.readable:
            raise page_failed(shown.page)
        warnings = warnings_of(fields.ignored(), options.warnings, shown.page.warnings)
        # The SDKs look for the warning in the document, others beside it.
        document = shapes.document(shown.page, options.formats) | _warning(warnings)
        return HttpReply(_success(document, warnings), engine=shown.page.engine)

    def _check_age(self, fields: Fields) -> None:
        """Leave an age out of the warnings that is higher than any page in the cache has."""
        age_s = fields.number("maxAge") if "maxAge" in fields else None
        if age_s is None or age_s * _MS < self._services.settings.ttl_pages:
            fields.forget("maxAge")

    async def map(self, request: HttpRequest, context: CallContext) -> HttpReply:
        """v2 answers links with titles, v1 addresses."""
        fields = Fields(request.json_object(), _SILENT)
        use = fields.choice("sitemap", [each.value for each in SitemapUse], "include")
        if fields.flag("ignoreSitemap"):
            use = "skip"
        wanted = MapRequest(
            fields.url("url"),
            fields.whole("limit", MOST_LINKS, most=MOST_LINKS),
            fields.text("search"),
            SitemapUse.ONLY if fields.flag("sitemapOnly") else SitemapUse(use),
            with_subdomains=fields.flag("includeSubdomains", default=True),
            with_queries=not fields.flag("ignoreQueryParameters", default=self.version > 1),
        )
        found = await map_site(self._services, context, wanted, fields.seconds("timeout", unit_s=_MS))
        links: list[object] = [
            link.url
            if self.version == 1
            else {
                name: value
                for name, value in zip(_LINK_FIELDS, (link.url, link.title, link.description), strict=True)
                if value
            }
            for link in found.links
        ]
        warnings = warnings_of(fields.ignored(), found.warnings)
        return HttpReply({"success": True, "links": links, **_warning(warnings)})

    async def start_batch(self, request: HttpRequest, context: CallContext) -> HttpReply:
        fields = Fields(request.json_object(), (*SILENT_OPTIONS, *_SILENT, "maxConcurrency"))
        options, sent = ScrapeOptions.of(fields), fields.names("urls", most=MOST_URLS)
        fields.ignore("timeout")
        self._check_age(fields)
        addresses = list(map(complete_address, sent))
        good = [each for each in addresses if urls.parse_web(each)]
        invalid = [each for each in addresses if each not in good]
        if not good or (invalid and not fields.flag("ignoreInvalidURLs", default=True)):
            raise InvalidRequest(ArgumentName("urls"), " must be a list of web addresses.")
        job = await self._services.batches().start(good, str(options), context.caller)
        body = {"success": True, "id": job, "url": self._job_url(request, job), "invalidURLs": invalid}
        return HttpReply({**body, **_warning(warnings_of(fields.ignored(), options.warnings))})

    async def batch_state(self, request: HttpRequest, context: CallContext) -> HttpReply:
        skip = request.first("skip")
        state = await self._state(request, context, int(skip) if skip.isdecimal() and len(skip) < 6 else 0)
        return HttpReply(shapes.batch_state(state, self._job_url(request, request.path["id"])))

    async def cancel_batch(self, request: HttpRequest, context: CallContext) -> HttpReply:
        await self._state(request, context)
        if not await self._services.batches().cancel(request.path["id"], context.caller):
            raise RequestRefused(409, "The batch is not running any more.")
        return HttpReply({"success": True, "status": "cancelled", "message": "The batch is cancelled."})

    async def batch_errors(self, request: HttpRequest, context: CallContext) -> HttpReply:
        return HttpReply(shapes.batch_errors(await self._state(request, context)))

    async def _state(self, request: HttpRequest, context: CallContext, skip: int = 0) -> BatchState:
        job = request.path["id"]
        state = await self._services.batches().state(job, context.caller, skip) if _JOB_ID.fullmatch(job) else None
        if state is None:
            raise RequestRefused(404, "There is no such batch, or it has expired.")
        return state

    def _job_url(self, request: HttpRequest, job: str) -> str:
        return f"{request.base_url}/v{self.version}/batch/scrape/{job}"


def to_wanted(fields: Fields) -> Wanted:
    """A search body as a search; raises `InvalidRequest`."""
    period, started, ended = parse_tbs(fields.text("tbs"))
    named = types_of("categories", fields.raw("categories"))
    return Wanted(
        text=fields.required("query"),
        num_results=fields.whole("limit", _RESULTS, most=_MOST_RESULTS),
        category=next((_CATEGORIES[each] for each in named if each in _CATEGORIES), None),
        language=fields.text("lang"),
        country=fields.text("country"),
        location=fields.text("location"),
        time_range=period,
        start_date=started,
        end_date=ended,
        include_domains=fields.names("includeDomains"),
        exclude_domains=fields.names("excludeDomains"),
        timeout_s=fields.seconds("timeout", unit_s=_MS),
    )


def _success(data: object, warnings: tuple[str, ...]) -> dict[str, object]:
    return {"success": True, "data": data, **_warning(warnings)}


def _warning(warnings: tuple[str, ...]) -> dict[str, object]:
    return {"warning": "; ".join(warnings)} if warnings else {}


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    """An error in Firecrawl's shape. Never 502, at which its SDKs try again and again."""
    failure = describe_error(error)
    body: dict[str, object] = {"success": False, "error": failure.message}
    if failure.code:
        body["code"] = failure.code
    return HttpReply(body, 500 if failure.status in (502, 504) else failure.status, headers=failure.headers)
