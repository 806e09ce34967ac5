"""The pages: one of every kind a reader meets, and a way to add others or make them misbehave."""

from __future__ import annotations

import asyncio
import functools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path, PurePath
from typing import Self

from aiohttp import web

import dowse.demo
from tests.doubles import apps, bodies, documents, editions
from tests.doubles.misbehaviour import ELSEWHERE, Trouble, misbehave
from tests.doubles.script import Script
from tests.doubles.seen import RequestLog, SeenRequest, watching

_HTML = "text/html; charset=utf-8"
_OFFICE = "application/vnd.openxmlformats-officedocument."


@dataclass(frozen=True, slots=True)
class Page:
    """What a path answers with."""

    body: bytes
    content_type: str = _HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A file of `pages/`: always UTF-8 there, so that it can be reviewed, and recoded when served."""

    file: str
    content_type: str = _HTML
    status: int = 200
    encoding: str = "utf-8"


_FOLDERS = (Path(__file__).with_name("pages"), Path(dowse.demo.__file__).with_name("pages"))
_ROBOTS = "/robots.txt"
_STORED = {
    "/": _Stored("index.html"),
    ELSEWHERE: _Stored("index.html"),
    "/articles/python-315": _Stored("python-315.html"),
    "/docs/retrying": _Stored("retrying.html"),
    "/forum/thread-4471": _Stored("thread-4471.html"),
    "/questions/asyncio-cancel": _Stored("asyncio-cancel.html"),
    "/products/kettle": _Stored("kettle.html"),
    "/news/harbour-bridge": _Stored("harbour-bridge.html"),
    "/hidden": _Stored("hidden.html"),
    "/injection": _Stored("injection.html"),
    "/de/brot": _Stored("brot.html", "text/html; charset=ISO-8859-1", encoding="iso-8859-1"),
    # No charset in the header: only the page itself says which one it uses.
    "/ja/tsuyu": _Stored("tsuyu.html", "text/html", encoding="shift_jis"),
    "/missing": _Stored("missing.html", status=404),
    "/soft-404": _Stored("soft-404.html"),
    "/shell": _Stored("shell.html"),
    "/login": _Stored("login.html"),
    "/files/notes.txt": _Stored("notes.txt", "text/plain; charset=utf-8"),
    "/files/stations.json": _Stored("stations.json", "application/json"),
    "/files/field-guide.md": _Stored("field-guide.md", "text/markdown; charset=utf-8"),
    "/files/tides.csv": _Stored("tides.csv", "text/csv; charset=utf-8"),
    "/files/feed.xml": _Stored("feed.xml", "application/atom+xml; charset=utf-8"),
    _ROBOTS: _Stored("robots.txt", "text/plain; charset=utf-8"),
}
_MADE = {
    "/long": (bodies.long_page, _HTML),
    "/files/leaflet.pdf": (documents.leaflet, "application/pdf"),
    "/files/handbook.pdf": (documents.handbook, "application/pdf"),
    "/files/report.docx": (documents.report, f"{_OFFICE}wordprocessingml.document"),
    "/files/rates.xlsx": (documents.rates, f"{_OFFICE}spreadsheetml.sheet"),
    "/files/dot.png": (bodies.png, "image/png"),
}
_TYPES = {".html": _HTML, ".js": "text/javascript; charset=utf-8", ".json": "application/json"}
_APPS = {
    **{path: _Stored(f"app/{file}", _TYPES[PurePath(file).suffix]) for path, file in apps.FILES.items()},
    apps.CHECK: _Stored("app/check.html", status=403),
}
_HOPS = "/redirect/"
PATHS = (*_STORED, *_MADE)
"""Pages that need no browser."""
APP_PATHS = (*_APPS, *apps.MADE)
"""Pages that need one, and what their scripts ask for."""


class Site:
    """The pages of the pocket web, as the doubles are for the providers."""

    def __init__(self) -> None:
        self._log = RequestLog()
        # Apart from the rest: it is asked for in passing, at a time of its own, and is no page.
        self._robots_log = RequestLog()
        self._added: dict[str, Page] = {}
        self._editions: Counter[str] = Counter()
        self.unchanged: list[str] = []
        """The paths that were asked for news only, and had none, in order."""
        self._scripts: dict[str, Script] = {}
        self._delay_s = 0.0
        self._in_flight = 0
        self.in_flight_peak = 0

    @property
    def requests(self) -> list[SeenRequest]:
        return self._log.requests

    @property
    def robots_requests(self) -> list[SeenRequest]:
        """Who asked for robots.txt; those requests are not among the others."""
        return self._robots_log.requests

    async def arrived(self, count: int = 1) -> SeenRequest:
        """Wait for the `count`-th request since the last reset."""
        return await self._log.arrived(count)

    def serves(
        self,
        path: str,
        body: str | bytes,
        *,
        content_type: str = _HTML,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Self:
        """Add a page or replace one; text is sent as UTF-8, bytes as they are.

        One with an `ETag` or a `Last-Modified` tells those who have read it when it has not changed since.
        """
        data = body.encode() if isinstance(body, str) else body
        self._added[path] = Page(data, content_type, status, headers or {})
        return self

    def publishes(self, path: str, body: str, *, cache_control: str = "") -> Self:
        """Add a page that can tell whether it has changed, or a new edition of it."""
        self._editions[path] += 1
        headers = editions.validators(body.encode(), self._editions[path])
        if cache_control:
            headers["Cache-Control"] = cache_control
        return self.serves(path, body, headers=headers)

    def fails(
        self,
        path: str,
        name: str,
        *,
        times: int | None = None,
        retry_after: int | str | None = None,
        redirect_to: str = ELSEWHERE,
    ) -> Self:
        """Make one path misbehave as `name` says, for `times` requests or until reset."""
        step = misbehave(name, Trouble(_error, retry_after, redirect_to))
        self._scripts.setdefault(path, Script()).add(step, times)
        return self

    def delays(self, seconds: float) -> Self:
        """Wait this long before every page."""
        self._delay_s = seconds
        return self

    def reset(self) -> None:
        """Forget what was added and scripted, and every request seen."""
        self._added.clear()
        self._editions.clear()
        self.unchanged.clear()
        self._scripts.clear()
        self._delay_s = 0.0
        self.in_flight_peak = self._in_flight
        self.requests.clear()
        self.robots_requests.clear()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """The route for everything that is not a double."""
        if request.path == _ROBOTS:
            with watching(request, await self._robots_log.record(request)):
                return await self._answer(request)
        seen = await self._log.record(request)
        self._in_flight += 1
        self.in_flight_peak = max(self.in_flight_peak, self._in_flight)
        try:
            with watching(request, seen):
                return await self._answer(request)
        finally:
            self._in_flight -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(self._delay_s)
        script = self._scripts.get(request.path)
        step = script.take() if script else None
        if step:
            return await step(request)
        if request.path.startswith(_HOPS):
            return _hop(request.path)
        page = self._added.get(request.path) or _built_in(_known_path(request))
        if page.status == 200 and (unchanged := editions.not_modified(request, page.headers)):
            self.unchanged.append(request.path)
            return unchanged
        headers = {"Content-Type": page.content_type, **page.headers}
        return web.Response(body=page.body, status=page.status, headers=headers)


def _known_path(request: web.Request) -> str:
    """The path of a page that there is; behind the check it is the app."""
    if request.path == apps.CHECK and apps.is_checked(request):
        return "/app"
    return request.path if request.path in (*PATHS, *APP_PATHS) else "/missing"


@functools.cache
def _built_in(path: str) -> Page:
    if path in _MADE:
        make, content_type = _MADE[path]
        return Page(make(), content_type)
    if path in apps.MADE:
        return Page(apps.MADE[path](), _TYPES[".json"])
    stored = _STORED.get(path) or _APPS[path]
    text = _file(stored.file).read_text(encoding="utf-8")
    return Page(text.encode(stored.encoding), stored.content_type, stored.status)


def _file(name: str) -> Path:
    """A file of the tests, or one that the demo shows too."""
    return next(path for folder in _FOLDERS if (path := folder / name).exists())


def _hop(path: str) -> web.Response:
    """`/redirect/3` takes three redirects to reach a page, `/redirect/x` leads nowhere."""
    left = path.removeprefix(_HOPS)
    if not left.isdecimal() or int(left) < 1:
        return _error(404, "There is nothing at this address.")
    target = f"{_HOPS}{int(left) - 1}" if int(left) > 1 else "/articles/python-315"
    return web.Response(status=302, headers={"Location": target})


def _error(status: int, message: str) -> web.Response:
    title = f"{status} - Pocket Web"
    page = f"<!DOCTYPE html><html><head><title>{title}</title></head><body><p>{escape(message)}</p></body></html>"
    return web.Response(text=page, content_type="text/html", status=status)
