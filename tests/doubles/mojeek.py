"""Double of Mojeek's pages: results, news and pictures, and a refusal with HTTP 403."""

from __future__ import annotations

import re
from html import escape

from aiohttp import web

from tests.doubles.html_engines import HtmlEngineDouble, html_page
from tests.doubles.listings import Listing, Wanted
from tests.doubles.seen import SeenRequest

PER_PAGE = 10

_RULES: dict[str, re.Pattern[str]] = {
    "q": re.compile(r".*\S.*", re.DOTALL),
    "lb": re.compile(r"[a-z]{2}"),
    "arc": re.compile(r"[a-z]{2}"),
    "since": re.compile(r"\d{8}"),
    "safe": re.compile(r"[01]"),
    "fmt": re.compile(r"news|images"),
}
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{query} - Mojeek Search</title></head>
<body><header><a href="/" class="logo">Mojeek</a><form action="/search" method="get" class="js-search-form">
<input type="search" name="q" class="js-search-input" value="{query}"><button type="submit">Search</button></form>
</header><div class="results-container"><div class="results">{content}</div></div></body></html>"""
_RESULT = """<li class="r{place}"><a title="{url}" href="{url}" class="ob"><p class="i">{url}</p></a>
<h2><a class="title" title="{url}" href="{url}">{title}</a></h2><p class="s">{snippet}</p>
<p class="more"><a href="/search?q=more">See more results</a></p></li>"""
_ARTICLE = '<article><h2><a href="{url}">{title}</a></h2><p class="s">{snippet}</p></article>'
_PICTURE = '<div class="image"><a href="{url}" data-title="{title}"><img src="/image?img={place}" alt=""></a></div>'
_NOTHING = '<p class="no-results">No pages found matching: <strong>{query}</strong></p>'
_FORBIDDEN = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>403 - Forbidden</title></head><body>
<h1>403 - Forbidden</h1><p>Sorry, your network appears to be sending automated queries.</p></body></html>"""


class Mojeek(HtmlEngineDouble):
    name = "mojeek"
    variable = "MOJEEK_URL"

    def results(self, seen: SeenRequest) -> web.Response:
        params = seen.params
        well_formed = all(name in _RULES and _RULES[name].fullmatch(value) for name, value in params.items())
        if seen.method != "GET" or not well_formed or not params.get("q"):
            return self.challenge()
        since = params.get("since", "")
        wanted = Wanted.from_operators(params["q"])
        found = [item for item in self.listings(wanted) if item.published.replace("-", "") >= since][:PER_PAGE]
        content = _content(found, params.get("fmt", "")) or _NOTHING.format(query=escape(params["q"]))
        return html_page(_PAGE.format(query=escape(params["q"]), content=content))

    def challenge(self) -> web.Response:
        return html_page(_FORBIDDEN, 403)


def _content(found: list[Listing], kind: str) -> str:
    if not found:
        return ""
    shape = {"news": _ARTICLE, "images": _PICTURE}.get(kind, _RESULT)
    items = "".join(_filled_in(shape, listing, place) for place, listing in enumerate(found, 1))
    if kind == "news":
        return f'<section class="news-search-result">{items}</section>'
    return f'<div id="results">{items}</div>' if kind else f'<ul class="results-standard">{items}</ul>'


def _filled_in(shape: str, listing: Listing, place: int) -> str:
    texts = {"url": listing.url, "title": listing.title, "snippet": listing.snippet}
    return shape.format(place=place, **{name: escape(text) for name, text in texts.items()})
