"""Reads a page over plain HTTP, and says what became of it when it cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dowse.core.errors import PageUnreadable, WireError
from dowse.core.models import Body, Onward, Status, Text, Validators
from dowse.fetch.cache_headers import may_be_kept, validators
from dowse.fetch.media import identify
from dowse.fetch.refresh import refreshed
from dowse.fetch.statuses import check_status, unreadable
from dowse.net.clients import Fetched, UntrustedClient
from dowse.net.conditions import Earlier

_MAX_REFRESHES = 3


@dataclass(frozen=True, slots=True)
class _Manner:
    """How every address on the way to one page is asked."""

    earlier: Earlier | None
    headers: Mapping[str, str]
    end: float


class DirectFetcher:
    """The first reader of a page: no browser, no vendor."""

    name = "direct"

    def __init__(
        self, client: UntrustedClient, *, max_bytes: int, headers: Callable[[], Mapping[str, str]] = dict
    ) -> None:
        """`headers` is asked for each page what to say besides, or instead of, what the client does."""
        self._client = client
        self._max_bytes = max_bytes
        self._headers = headers

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
        """The page's bytes, if they are of a kind that can be read; whether they are the page, their text shows."""
        earlier = Earlier(known.url, known.validators) if known else None
        end = asyncio.get_running_loop().time() + timeout_s
        fetched = await self._page(url, _Manner(earlier, self._headers(), end))
        if known is not None and fetched.is_unchanged:
            body = Body(fetched.url, b"", "", validators=known.validators, is_unchanged=True)
        else:
            body = _as_text(fetched)
        return _as_it_may_be_kept(body, fetched)

    async def _page(self, url: str, manner: _Manner) -> Fetched:
        """The answer at the end of at most three pages that only lead to another."""
        fetched = await self._get(url, manner)
        for _ in range(_MAX_REFRESHES):
            target = refreshed(fetched.url, fetched.headers, fetched.body)
            # What has not changed has not led anywhere before.
            if not target or fetched.is_unchanged:
                break
            fetched = await self._get(target, manner)
        return fetched

    async def _get(self, url: str, manner: _Manner) -> Fetched:
        left_s = manner.end - asyncio.get_running_loop().time()
        try:
            fetched = await self._client.get(
                url, timeout_s=left_s, max_bytes=self._max_bytes, earlier=manner.earlier, headers=manner.headers
            )
        except WireError as error:
            raise unreadable(error) from error
        # Cloudflare names its checks in a header, whatever their status; the others are recognised by their text.
        if fetched.headers.get("cf-mitigated", "").lower() == "challenge":
            raise PageUnreadable(Status.BLOCKED, "challenge page (Cloudflare)", Onward.ANYBODY)
        if not fetched.is_unchanged:
            check_status(fetched.status)
        return fetched


def _as_text(fetched: Fetched) -> Body:
    media_type = identify(fetched.headers.get("content-type", ""), fetched.body, fetched.url)
    if not media_type.is_readable:
        raise PageUnreadable(Status.UNSUPPORTED, media_type.name)
    return Body(fetched.url, fetched.body, media_type.name, media_type.charset)


def _as_it_may_be_kept(body: Body, fetched: Fetched) -> Body:
    if not may_be_kept(fetched.headers.get("cache-control", "")):
        return replace(body, validators=Validators(), may_be_kept=False)
    return replace(body, validators=validators(fetched.headers, body.validators))
