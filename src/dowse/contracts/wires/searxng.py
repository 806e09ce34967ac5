"""SearXNG's JSON search, for front ends that take the address of an instance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from urllib.parse import urlsplit

from dowse import __version__
from dowse.contracts.corrections import correct_period
from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, Wire
from dowse.contracts.wires.failures import describe_error, failed_providers
from dowse.contracts.wires.fields import Fields
from dowse.contracts.wires.searching import Wanted, passages, published, search, warning_headers, warnings_of
from dowse.core.errors import AllProvidersFailed, DowseError, InvalidRequest
from dowse.core.models import Category, Result, SearchOutcome, TimeRange
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext
from dowse.core.text import ArgumentName

_RESULTS = 10
_MOST_PAGES = 50
# Usual clients wait for ten seconds, and cannot say so.
_PATIENCE_S = 10.0
_PASSAGE_TOKENS = 500
_CATEGORIES: Mapping[str, Category] = {
    **{category.value: category for category in Category},
    "web": Category.GENERAL,
    "social media": Category.GENERAL,
}
# Sent by every client with its own defaults.
_SILENT = (
    "theme",
    "image_proxy",
    "autocomplete",
    "enabled_engines",
    "enabled_plugins",
    "api_key",
    "results_on_new_tab",
)
# What clients send by themselves: the providers behind this server are its own choice.
_USUAL_ENGINES = (None, "", "google,bing,duckduckgo")


def build(services: Services) -> Wire:
    """Searches at the mount's root too: some front ends append no path to the address."""
    reads = services.settings.searxng_content == "passages"

    async def answer(request: HttpRequest, context: CallContext) -> HttpReply:
        fields = Fields(_parameters(request), _SILENT)
        wanted = replace(to_wanted(fields), passage_tokens=_PASSAGE_TOKENS if reads else None)
        outcome = await search(services, context, wanted)
        headers = warning_headers(warnings_of(fields.ignored(), outcome.warnings))
        return HttpReply(to_answer(outcome, wanted.text), headers=headers, engine=outcome.engine)

    paths = ("", "/search")
    searches = tuple(HttpEndpoint(("GET", "POST"), path, "web_search", answer, fail) for path in paths)
    config = HttpEndpoint(("GET",), "/config", "config", _config, fail)
    health = HttpEndpoint(("GET",), "/healthz", "health", _health, fail)
    return Wire("searxng", Door.SEARXNG, ("/compat/searxng",), (*searches, config, health))


async def _config(_request: HttpRequest, _context: CallContext) -> HttpReply:
    return HttpReply(_CONFIG)


async def _health(_request: HttpRequest, _context: CallContext) -> HttpReply:
    return HttpReply("OK", media_type="text/plain")


def _parameters(request: HttpRequest) -> Mapping[str, object]:
    """The parameters of the address and of a form; the form counts where both have one."""
    sent = {name: values[-1] for name, values in request.query.items() if values}
    if request.method == "POST":
        sent |= {name: values[-1] for name, values in request.form().items() if values}
    return sent


def to_wanted(fields: Fields) -> Wanted:
    """The parameters as a search; raises `InvalidRequest`."""
    text = fields.required("q")
    output = fields.text("format").lower()
    if output not in ("", "json"):
        raise InvalidRequest(ArgumentName("format"), " must be json: this server has no web pages for searches.")
    if fields.raw("engines") not in _USUAL_ENGINES:
        fields.forget("engines")
    period = correct_period(fields.text("time_range"))
    return Wanted(
        text=text,
        num_results=_RESULTS,
        page=fields.whole("pageno", 1, most=_MOST_PAGES),
        category=_category(fields.text("categories", "category")),
        language=fields.text("language"),
        time_range=TimeRange(period) if period in {*TimeRange} else TimeRange.ANY,
        safe_search=_safe_search(fields),
        timeout_s=min(fields.seconds("timeout_limit") or _PATIENCE_S, _PATIENCE_S),
    )


def _safe_search(fields: Fields) -> int | None:
    level = fields.number("safesearch")
    if level is not None and level not in (0, 1, 2):
        raise InvalidRequest(ArgumentName("safesearch"), " must be 0, 1 or 2.")
    return None if level is None else int(level)


def _category(listed: str) -> Category | None:
    """The first category of a list that is known; general searches for all others."""
    names = (name.strip().lower() for name in listed.split(","))
    return next((_CATEGORIES[name] for name in names if name in _CATEGORIES), None)


def to_answer(outcome: SearchOutcome, text: str) -> dict[str, object]:
    """A search in the shape of an instance's answer."""
    positions = count(1)
    category = outcome.query.category.value
    return {
        "query": text,
        "number_of_results": len(outcome.results),
        "results": [_result(each, outcome, next(positions), category) for each in outcome.results],
        # An answer would take the place of all results in LangChain, and its shape differs between versions.
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": list(outcome.suggestions),
        "unresponsive_engines": failed_providers(outcome),
    }


def _result(result: Result, outcome: SearchOutcome, position: int, category: str) -> dict[str, object]:
    hit = result.hit
    engine = hit.engine or outcome.engine
    split = urlsplit(hit.url)
    media = {"img_src": hit.image_url, "thumbnail_src": hit.thumbnail} if hit.is_media else {}
    return {
        "url": hit.url,
        "title": hit.title,
        "content": passages(result),
        "publishedDate": published(result) or None,
        "thumbnail": hit.thumbnail,
        "engine": engine,
        "engines": list(result.found_by) or [engine],
        "template": "images.html" if media else "default.html",
        "parsed_url": [split.scheme, split.netloc, split.path, "", split.query, split.fragment],
        "img_src": "",
        "positions": [position],
        "score": result.score,
        "category": category,
        **media,
    }


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    """An error in an instance's shape; the providers that failed are named as unresponsive."""
    failure = describe_error(error)
    body: dict[str, object] = {"error": failure.message}
    if isinstance(error, AllProvidersFailed):
        body["unresponsive_engines"] = [[each.provider, each.summary] for each in error.errors]
    return HttpReply(body, failure.status, headers=failure.headers)


_CONFIG: Mapping[str, object] = {
    "instance_name": "dowse",
    "version": __version__,
    "public_instance": False,
    "categories": ["general", "web", *(each.value for each in Category if each is not Category.GENERAL)],
    "engines": [
        {
            "name": "dowse",
            "shortcut": "dw",
            # A front end asks for an enabled engine with both of the first two.
            "categories": ["general", "web", "news", "images", "videos", "it", "science"],
            "enabled": True,
            "language_support": True,
            "languages": [],
            "paging": True,
            "safesearch": True,
            "time_range_support": True,
            "timeout": _PATIENCE_S,
        }
    ],
    "locales": {},
    "default_locale": "",
    "autocomplete": "",
    "safe_search": 0,
    "default_theme": "simple",
    "plugins": [],
    "limiter": {"enabled": False},
}
