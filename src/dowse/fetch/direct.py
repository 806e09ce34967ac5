"""Reads a page over plain HTTP, and says what became of it when it cannot."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from dowse.errors import PageUnreadable, WireError
from dowse.fetch.media import identify
from dowse.fetch.refresh import refreshed
from dowse.fetch.statuses import check_status, unreadable
from dowse.models import Body, Onward, Status, Validators
from dowse.net.clients import Fetched, UntrustedClient

_MAX_REFRESHES = 3


class DirectFetcher:
    """The first reader of a page: no browser, no vendor."""

    name = "direct"

    def __init__(self, client: UntrustedClient, *, max_bytes: int) -> None:
        self._client = client
        self._max_bytes = max_bytes

    async def fetch(self, url: str, *, timeout_s: float) -> Body:
        """The page's bytes, if they are of a kind that can be read; whether they are the page, their text shows."""
        fetched = await self._page(url, asyncio.get_running_loop().time() + timeout_s)
        validators = Validators(fetched.headers.get("etag", ""), fetched.headers.get("last-modified", ""))
        return replace(_as_text(fetched), validators=validators)

    async def _page(self, url: str, end: float) -> Fetched:
        """The answer at the end of at most three pages that only lead to another."""
        fetched = await self._get(url, end)
        for _ in range(_MAX_REFRESHES):
            target = refreshed(fetched.url, fetched.headers, fetched.body)
            if not target:
                break
            fetched = await self._get(target, end)
        return fetched

    async def _get(self, url: str, end: float) -> Fetched:
        left_s = end - asyncio.get_running_loop().time()
        try:
            fetched = await self._client.get(url, timeout_s=left_s, max_bytes=self._max_bytes)
        except WireError as error:
            raise unreadable(error) from error
        # Cloudflare names its checks in a header, whatever their status; the others are recognised by their text.
        if fetched.headers.get("cf-mitigated", "").lower() == "challenge":
            raise PageUnreadable(Status.BLOCKED, "challenge page (Cloudflare)", Onward.ANYBODY)
        check_status(fetched.status)
        return fetched


def _as_text(fetched: Fetched) -> Body:
    media_type = identify(fetched.headers.get("content-type", ""), fetched.body, fetched.url)
    if not media_type.is_readable:
        raise PageUnreadable(Status.UNSUPPORTED, media_type.name)
    return Body(fetched.url, fetched.body, media_type.name, media_type.charset)
