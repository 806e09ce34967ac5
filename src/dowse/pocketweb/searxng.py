"""Double of a SearXNG instance, JSON as of 2026: pages of ten, answers as objects, engines that fail in a 200."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Self
from urllib.parse import urlparse

from aiohttp import web

from dowse.pocketweb.listings import Listing, Wanted
from dowse.pocketweb.searching import SearchDouble
from dowse.pocketweb.seen import SeenRequest

PER_PAGE = 10

_RULES: dict[str, re.Pattern[str]] = {
    "pageno": re.compile(r"[1-9]\d*"),
    "time_range": re.compile(r"(day|week|month|year)?"),
    "safesearch": re.compile(r"[012]"),
    "language": re.compile(r"all|auto|[a-z]{2,3}(-[A-Za-z]{2,4})?"),
}
_SLOW = [["startpage", "timeout"]]
_DOWN = [["google", "Suspended: too many requests"], ["duckduckgo", "access denied"], ["brave", "timeout"]]
_FORBIDDEN = """<!doctype html>
<html lang=en>
<title>403 Forbidden</title>
<h1>Forbidden</h1>
<p>This instance does not serve the format that was asked for.</p>
"""
_PAGE = """<!DOCTYPE html><html class="no-js theme-auto" lang="en"><head><title>{query} - SearXNG</title>
<meta name="generator" content="searxng/2026.8.22"></head><body class="results_endpoint"><main id="main_results">
<div id="urls" role="main">{articles}</div></main></body></html>"""
_ARTICLE = """<article class="result result-default category-general"><h3><a href="{url}">{title}</a></h3>
<p class="content">{content}</p><div class="engines"><span>bing</span></div></article>"""


class Searxng(SearchDouble):
    name = "searxng"

    def __init__(self, key: str, origin: Callable[[], str]) -> None:
        super().__init__(key, origin)
        self._json_off = False
        self._engines_fail = False

    def json_off(self) -> Self:
        """As most instances are: JSON is not among the formats, hence 403."""
        self._json_off = True
        return self

    def engines_fail(self) -> Self:
        """Every engine behind the instance fails, which it reports with 200 and no results."""
        self._engines_fail = True
        return self

    def works(self) -> Self:
        self._json_off = self._engines_fail = False
        return super().works()

    def error(self, status: int, message: str) -> web.Response:
        if status == 400:
            return web.json_response({"error": message}, status=400)
        if status == 429:
            return web.Response(text="Too Many Requests", content_type="text/html", status=429)
        page = (
            f"<!doctype html>\n<html lang=en>\n<title>{status}</title>\n<h1>{status}</h1>\n<p>{escape(message)}</p>\n"
        )
        return web.Response(text=page, content_type="text/html", status=status)

    def answer(self, seen: SeenRequest) -> web.Response:
        if seen.path == "/searxng/healthz":
            return web.Response(text="OK")
        if seen.path != "/searxng/search":
            return self.error(404, "Not found")
        if seen.method != "GET":
            return self.error(405, "Method not allowed")
        return self._search(seen.params)

    def _search(self, params: dict[str, str]) -> web.Response:
        wants_json = params.get("format") == "json"
        if wants_json and self._json_off:
            return web.Response(text=_FORBIDDEN, content_type="text/html", status=403)
        wrong = _wrong_parameter(params)
        if wrong and wants_json:
            return self.error(400, f'Invalid value "{params.get(wrong, "")}" for parameter {wrong}')
        query = params.get("q", "")
        start = (int(params.get("pageno", "1")) - 1) * PER_PAGE if not wrong else 0
        found = [] if self._engines_fail else self.listings(Wanted.from_operators(query))[start : start + PER_PAGE]
        if not wants_json:
            # Missing and unknown formats get the page a browser would see, not an error.
            return web.Response(text=_html_page(query, found), content_type="text/html")
        return web.json_response(self._answer(query, found, start))

    def _answer(self, query: str, found: list[Listing], start: int) -> dict[str, object]:
        from_corpus = bool(found) and not self.scripted
        return {
            "query": query,
            "results": [_result(listing, place) for place, listing in enumerate(found, start + 1)],
            "answers": [_answer_object(found[0])] if from_corpus and not start else [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [f"{query} explained", f"{query} example"] if from_corpus else [],
            "unresponsive_engines": _DOWN if self._engines_fail else _SLOW if from_corpus else [],
        }


def _wrong_parameter(params: dict[str, str]) -> str:
    if not params.get("q", "").strip():
        return "q"
    return next((name for name, rule in _RULES.items() if name in params and not rule.fullmatch(params[name])), "")


def _result(listing: Listing, place: int) -> dict[str, object]:
    engines = ["bing", "mojeek"] if place % 2 else ["bing"]
    return {
        "url": listing.url,
        "title": listing.title,
        "content": listing.snippet,
        "engine": engines[0],
        "template": "default.html",
        "parsed_url": list(urlparse(listing.url)),
        "img_src": "",
        "thumbnail": "",
        "priority": "",
        "engines": engines,
        "positions": [place] * len(engines),
        "score": round(len(engines) / place, 4),
        "category": "general",
        "publishedDate": f"{listing.published[:10]}T00:00:00" if listing.published else None,
    }


def _answer_object(best: Listing) -> dict[str, object]:
    return {
        "url": best.url,
        "template": "answer/legacy.html",
        "engine": "bing",
        "parsed_url": list(urlparse(best.url)),
        "answer": best.snippet,
    }


def _html_page(query: str, found: list[Listing]) -> str:
    articles = [
        _ARTICLE.format(url=escape(item.url), title=escape(item.title), content=escape(item.snippet)) for item in found
    ]
    return _PAGE.format(query=escape(query), articles="".join(articles))
