"""Reads a page over plain HTTP, and says what became of it when it cannot."""

from __future__ import annotations

from dowse.errors import PageUnreadable, WireDenied, WireFailed, WireTimeout, WireTooLarge
from dowse.fetch.challenges import classify
from dowse.fetch.media import guess_text_type, parse_media_type, sniff_unreadable
from dowse.models import Body, Status
from dowse.net.clients import Fetched, UntrustedClient

_BY_STATUS = {
    401: Status.LOGIN_REQUIRED,
    402: Status.LOGIN_REQUIRED,
    403: Status.BLOCKED,
    404: Status.NOT_FOUND,
    407: Status.LOGIN_REQUIRED,
    410: Status.NOT_FOUND,
    429: Status.BLOCKED,
    451: Status.BLOCKED,
    503: Status.BLOCKED,
}


class DirectFetcher:
    """The first reader of a page: no browser, no vendor."""

    name = "direct"

    def __init__(self, client: UntrustedClient, *, max_bytes: int) -> None:
        self._client = client
        self._max_bytes = max_bytes

    async def fetch(self, url: str, *, timeout_s: float) -> Body:
        """The page's bytes, if they are text and the page itself."""
        fetched = await self._get(url, timeout_s)
        _check_status(fetched.status)
        body = _as_text(fetched)
        # Cloudflare names its checks in a header; the others have to be recognised.
        if fetched.headers.get("cf-mitigated") == "challenge" or classify(body) is Status.BLOCKED:
            raise PageUnreadable(Status.BLOCKED, "challenge page")
        return body

    async def _get(self, url: str, timeout_s: float) -> Fetched:
        try:
            return await self._client.get(url, timeout_s=timeout_s, max_bytes=self._max_bytes)
        except WireDenied as error:
            raise PageUnreadable(Status.DENIED, str(error)) from error
        except WireTooLarge as error:
            raise PageUnreadable(Status.TOO_LARGE, str(error)) from error
        except WireTimeout as error:
            raise PageUnreadable(Status.TIMEOUT, str(error)) from error
        except WireFailed as error:
            raise PageUnreadable(Status.ERROR, str(error)) from error


def _check_status(status: int) -> None:
    if not 200 <= status < 300:
        raise PageUnreadable(_BY_STATUS.get(status, Status.ERROR), f"HTTP {status}")


def _as_text(fetched: Fetched) -> Body:
    declared = parse_media_type(fetched.headers.get("content-type", ""))
    if declared.name and not declared.is_readable:
        raise PageUnreadable(Status.UNSUPPORTED, declared.name)
    if sniffed := sniff_unreadable(fetched.body):
        raise PageUnreadable(Status.UNSUPPORTED, sniffed)
    media_type = declared.name or guess_text_type(fetched.body)
    if not media_type:
        raise PageUnreadable(Status.UNSUPPORTED, "application/octet-stream")
    return Body(fetched.url, fetched.body, media_type, declared.charset)
