"""Pages that are little or nothing without a browser: one for each way in which scripts make, delay or hide text."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

from aiohttp import web

FEED_PAGES = 4
_PER_PAGE = 3

CHECK = "/app/check"
PASS = "checked"
"""The cookie that the script of the check sets; who has it gets the page."""

FILES = {
    "/app": "app.html",
    # The same article without a script: no browser is needed.
    "/app/static": "static.html",
    "/app/slow": "slow.html",
    "/app/shadow": "shadow.html",
    "/app/frames": "frames.html",
    "/app/frames/timetable": "timetable.html",
    "/app/feed": "feed.html",
    "/app/consent": "consent.html",
    "/app/ticker": "ticker.html",
    "/app/broken": "broken.html",
    "/app/main.js": "main.js",
    "/app/article.json": "article.json",
}
"""Paths and the files of `pages/app/` behind them."""


def is_checked(request: web.Request) -> bool:
    """Whether a browser comes back from the check."""
    return request.cookies.get(PASS) == "yes"


def feed(page: int) -> bytes:
    """Entries of a log that a browser asks for as its reader scrolls."""
    days = range((page - 1) * _PER_PAGE + 1, page * _PER_PAGE + 1)
    return json.dumps([{"day": f"Day {day}", "text": _entry(day)} for day in days]).encode()


def _entry(day: int) -> str:
    return f"Oil for {day * 7 % 23 + 2} hours. {day * 11 % 31 + 1} ships passed, the last of them at dusk under sail."


MADE: dict[str, Callable[[], bytes]] = {
    **{f"/app/feed/{page}.json": functools.partial(feed, page) for page in range(1, FEED_PAGES + 1)},
    "/app/ticker.json": lambda: b"{}",
}
