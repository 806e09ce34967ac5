"""What the doubles of engines without an API share: they let browsers in and nobody else."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Self

from aiohttp import web

from tests.doubles.searching import SearchDouble
from tests.doubles.seen import SeenRequest

_LIBRARIES = re.compile(r"python|aiohttp|httpx|requests|urllib|curl|wget|go-http|okhttp|libwww|java/", re.IGNORECASE)


class HtmlEngineDouble(SearchDouble):
    """A double that answers with pages. Whoever does not look like a browser is shown its challenge."""

    variable: ClassVar[str]
    """The setting that points to it."""

    def challenges(self, *, times: int | None = None) -> Self:
        """Take every visitor for a robot."""

        async def step(_request: web.Request) -> web.StreamResponse:
            return self.challenge()

        self._script.add(step, times)
        return self

    def shows(self, page: str, *, status: int = 200, times: int | None = None) -> Self:
        """Answer with exactly this page, whatever the request."""

        async def step(_request: web.Request) -> web.StreamResponse:
            return html_page(page, status)

        self._script.add(step, times)
        return self

    def answer(self, seen: SeenRequest) -> web.Response:
        if seen.path != self.path:
            return self.error(404, "Not found")
        return self.results(seen) if is_browser(seen.headers) else self.challenge()

    def error(self, status: int, message: str) -> web.Response:
        return html_page(f"<html><head><title>{status}</title></head><body><h1>{message}</h1></body></html>", status)

    @abstractmethod
    def results(self, seen: SeenRequest) -> web.Response:
        """The page for a request that is well-formed, or the error for one that is not."""

    @abstractmethod
    def challenge(self) -> web.Response:
        """What a robot is shown."""


def is_browser(headers: Mapping[str, str]) -> bool:
    """Whether a request may be a person's, who comes from nowhere and was never here before."""
    return (
        not _LIBRARIES.search(headers.get("user-agent", "python"))
        and "text/html" in headers.get("accept", "")
        and bool(headers.get("accept-language"))
        and not {"cookie", "referer", "x-api-key", "authorization"} & headers.keys()
    )


def html_page(page: str, status: int = 200) -> web.Response:
    return web.Response(text=page, content_type="text/html", status=status)
