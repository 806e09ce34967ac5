"""Reads a page over plain HTTP, and says what became of it when it cannot. The table is in docs/reading.md."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from dowse.errors import PageUnreadable, WireDenied, WireError, WireTimeout, WireTooLarge
from dowse.fetch.media import identify
from dowse.fetch.refresh import refreshed
from dowse.models import Body, Onward, Status, Validators
from dowse.net.clients import Fetched, TooManyRedirects, UntrustedClient
from dowse.net.guard import HostNotFound

_BY_STATUS = {
    401: (Status.LOGIN_REQUIRED, Onward.NOBODY),
    402: (Status.LOGIN_REQUIRED, Onward.NOBODY),
    403: (Status.BLOCKED, Onward.ANYBODY),
    404: (Status.NOT_FOUND, Onward.NOBODY),
    407: (Status.LOGIN_REQUIRED, Onward.NOBODY),
    408: (Status.ERROR, Onward.APIS),
    410: (Status.NOT_FOUND, Onward.NOBODY),
    429: (Status.BLOCKED, Onward.ANYBODY),
    451: (Status.BLOCKED, Onward.NOBODY),
    503: (Status.BLOCKED, Onward.ANYBODY),
}
# Any other 4xx refuses the request rather than the page, and other clients make other requests.
_OTHER_4XX = (Status.ERROR, Onward.ANYBODY)
_OTHERS = (Status.ERROR, Onward.APIS)
# The first that fits; any other failure of the wire is nobody's fault but the line's.
_BY_WIRE_ERROR: tuple[tuple[type[WireError], Status, Onward], ...] = (
    (WireDenied, Status.DENIED, Onward.NOBODY),
    (WireTooLarge, Status.TOO_LARGE, Onward.NOBODY),
    (WireTimeout, Status.TIMEOUT, Onward.APIS),
    (HostNotFound, Status.ERROR, Onward.NOBODY),
    # Sites that set a cookie by a redirect to themselves go on for ever; a browser gets out of it.
    (TooManyRedirects, Status.ERROR, Onward.ANYBODY),
    (WireError, Status.ERROR, Onward.APIS),
)
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
            raise _unreadable(error) from error
        # Cloudflare names its checks in a header, whatever their status; the others are recognised by their text.
        if fetched.headers.get("cf-mitigated", "").lower() == "challenge":
            raise PageUnreadable(Status.BLOCKED, "challenge page (Cloudflare)", Onward.ANYBODY)
        _check_status(fetched.status)
        return fetched


def _unreadable(error: WireError) -> PageUnreadable:
    status, onward = next((status, onward) for kind, status, onward in _BY_WIRE_ERROR if isinstance(error, kind))
    return PageUnreadable(status, str(error), onward)


def _check_status(code: int) -> None:
    if 200 <= code < 300:
        return
    status, onward = _BY_STATUS.get(code, _OTHER_4XX if 400 <= code < 500 else _OTHERS)
    raise PageUnreadable(status, f"HTTP {code}", onward)


def _as_text(fetched: Fetched) -> Body:
    media_type = identify(fetched.headers.get("content-type", ""), fetched.body, fetched.url)
    if not media_type.is_readable:
        raise PageUnreadable(Status.UNSUPPORTED, media_type.name)
    return Body(fetched.url, fetched.body, media_type.name, media_type.charset)
