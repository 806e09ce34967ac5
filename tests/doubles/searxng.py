"""Double of a SearXNG instance, as of 2026: pages of ten, answers as objects, engines that fail in a 200."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Self
from urllib.parse import urlparse

from aiohttp import web

from tests.doubles import searxng_page
from tests.doubles.listings import Listing, Wanted
from tests.doubles.searching import SearchDouble
from tests.doubles.searxng_limiter import Limiter
from tests.doubles.seen import SeenRequest

PER_PAGE = 10

_RULES: dict[str, re.Pattern[str]] = {
    "pageno": re.compile(r"[1-9]\d*"),
    "time_range": re.compile(r"(day|week|month|year)?"),
    "safesearch": re.compile(r"[012]"),
    "language": re.compile(r"all|auto|[a-z]{2,3}(-[A-Za-z]{2,4})?"),
}
_CATEGORIES = ("general", "images", "videos", "news", "map", "music", "it", "science", "files", "social media")
_SLOW = [["startpage", "timeout"]]
_DOWN = [["google", "Suspended: too many requests"], ["duckduckgo", "access denied"], ["brave", "timeout"]]
_FORBIDDEN = """<!doctype html>
<html lang=en>
<title>403 Forbidden</title>
<h1>Forbidden</h1>
<p>This instance does not serve the format that was asked for.</p>
"""


class Searxng(SearchDouble):
    name = "searxng"

    def __init__(self, key: str, origin: Callable[[], str], *, base: str = "/searxng") -> None:
        super().__init__(key, origin)
        self.base = base
        self._json_off = False
        self._engines_fail = False
        self._limiter: Limiter | None = None

    @property
    def path(self) -> str:
        return f"{self.base}/search"

    def json_off(self) -> Self:
        """As most instances are: JSON is not among the formats, hence 403."""
        self._json_off = True
        return self

    def engines_fail(self) -> Self:
        """Every engine behind the instance fails, which it reports with 200 and no results."""
        self._engines_fail = True
        return self

    def limits(self) -> Self:
        """Switch the limiter on, with a new account for whoever asks."""
        self._limiter = Limiter()
        return self

    def works(self) -> Self:
        self._json_off = self._engines_fail = False
        self._limiter = None
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
        if self._limiter and self._limiter.refuses(seen):
            return self.error(429, "Too Many Requests")
        if seen.path == f"{self.base}/healthz":
            return web.Response(text="OK")
        if seen.path != self.path:
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
        answer = self._answer(query, found, start, _category(params))
        if not wants_json:
            # Missing and unknown formats get the page a browser would see, not an error.
            return web.Response(text=searxng_page.page(self.base, answer), content_type="text/html")
        return web.json_response(answer)

    def _answer(self, query: str, found: list[Listing], start: int, category: str) -> dict[str, object]:
        from_corpus = bool(found) and not self.scripted
        return {
            "query": query,
            "results": [_result(listing, place, category) for place, listing in enumerate(found, start + 1)],
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


def _category(params: dict[str, str]) -> str:
    """The first category that there is; unknown ones are passed over in silence."""
    asked = params.get("categories", "").lower().split(",")
    return next((name for name in map(str.strip, asked) if name in _CATEGORIES), "general")


def _result(listing: Listing, place: int, category: str) -> dict[str, object]:
    engines = ["bing", "mojeek"] if place % 2 else ["bing"]
    result = {
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
        "category": category,
        "publishedDate": f"{listing.published[:10]}T00:00:00" if listing.published else None,
    }
    return result | _media(place, category)


def _media(place: int, category: str) -> dict[str, object]:
    """What pictures and films have besides; a length that is known exactly is a number of seconds."""
    picture, small = f"https://img.example/{place}.jpg", f"https://img.example/{place}-small.jpg"
    if category == "images":
        shape = {"resolution": "640 x 480", "img_format": "jpeg", "source": "pocket.example"}
        return {"template": "images.html", "img_src": picture, "thumbnail_src": small, **shape}
    if category == "videos":
        length: object = 185.0 if place % 2 else "3:05"
        film = f"https://video.example/embed/{place}"
        return {
            "template": "videos.html",
            "thumbnail": small,
            "length": length,
            "iframe_src": film,
            "author": "otter42",
        }
    return {}


def _answer_object(best: Listing) -> dict[str, object]:
    return {
        "url": best.url,
        "template": "answer/legacy.html",
        "engine": "bing",
        "parsed_url": list(urlparse(best.url)),
        "answer": best.snippet,
    }
