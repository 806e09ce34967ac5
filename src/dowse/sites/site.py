"""The code of a site: its loader, its search, and the parts from which they are made."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Protocol, TypeVar
from urllib.parse import unquote

from dowse.core.allowances import Rate
from dowse.core.errors import BadRequest, NotRead, PageUnreadable, ProviderError, Redirected
from dowse.core.models import Deadline, Hit, Query, Status
from dowse.core.protocols import Extractor, SiteLoader
from dowse.core.urls import Url
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.json_api import Api
from dowse.net.json_fields import DOCUMENT_PARTS
from dowse.secrets.redact import Redactor
from dowse.settings import Settings

TIMEOUT_S = 15.0
# Share of the remaining time for requests; the rest is for converting their answers.
_REQUEST_SHARE = 0.7
_NOT_FOUND = 404

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class LoaderKit:
    """Dependencies of a loader: `client` for endpoints of the settings, `pages` for addresses that an answer names."""

    settings: Settings
    client: ConfiguredClient
    pages: UntrustedClient
    extractor: Extractor
    redactor: Redactor

    def api(self, name: str, key_variable: str = "") -> Api:
        """JSON client for a site. A page above the size limit is not counted as a failure of its API."""
        return Api(
            name,
            self.client,
            TIMEOUT_S,
            key_variable,
            self.redactor,
            too_large=NotRead,
            most_parts=DOCUMENT_PARTS,
        )


@dataclass(frozen=True, slots=True)
class SiteHits:
    """Results of a site, the best first; for `pause_s` from now on its API asks not to be called again."""

    hits: tuple[Hit, ...]
    pause_s: float = 0.0


class SiteSearch(Protocol):
    """Search through the open API of one site. Raises `ProviderError`."""

    @property
    def rate(self) -> Rate | None:
        """Documented rate limit; `None` where there is none."""
        ...

    def address(self, query: Query) -> str:
        """URL to which this query would be sent."""
        ...

    async def search(self, query: Query, deadline: Deadline) -> SiteHits: ...


@dataclass(frozen=True, slots=True)
class Site:
    """The code of a site: the loader of its pages and its search, as far as `SiteSpec` declares them."""

    loader: Callable[[LoaderKit], SiteLoader] | None = None
    search: Callable[[Settings, Api], SiteSearch] | None = None


def request_deadline(deadline: Deadline) -> Deadline:
    """The part of the remaining time that requests may take."""
    return deadline.cap(_REQUEST_SHARE * deadline.remaining_s())


def path_segments(url: Url | None, *hosts: str) -> list[str]:
    """The decoded segments of the path of a page on one of these hosts; empty for a page elsewhere.

    Empty too for a path that an API would read as another one: with a step to a parent folder, or an encoded slash.
    """
    if url is None or not url.is_page_of(*hosts):
        return []
    segments = list(map(unquote, url.path.strip("/").split("/")))
    return segments if all(map(_is_plain, segments)) else []


def _is_plain(segment: str) -> bool:
    """Whether a decoded segment is still one segment and no step to a parent folder."""
    return segment not in (".", "..") and segment.isprintable() and "/" not in segment and "\\" not in segment


def translate_missing(error: ProviderError, what: str) -> Exception:
    """A 404 or a redirect of an API as a missing page, so that the general reader tries its URL."""
    if isinstance(error, BadRequest) and error.http_status == _NOT_FOUND:
        return PageUnreadable(Status.NOT_FOUND, f"no such {what}")
    if isinstance(error, Redirected):
        return PageUnreadable(Status.NOT_FOUND, f"the {what} has moved")
    return error


async def gather_both(needed: Awaitable[T], other: Coroutine[None, None, U]) -> tuple[T, U]:
    """Two requests at the same time; when the needed one fails, the other is cancelled."""
    waiting = asyncio.create_task(other)
    try:
        return await needed, await waiting
    finally:
        if waiting.cancel():
            await asyncio.wait([waiting])
