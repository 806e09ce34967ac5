"""Direct fetch of a page over HTTP: redirects, meta refreshes, conditional requests, and the verdict on its status."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from dowse.core import urls
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Clock, Deadline, Onward, Status, Text, Validators
from dowse.core.reasons import FailureReason
from dowse.core.runtime import SystemClock
from dowse.core.text import find_or_end
from dowse.core.wire_errors import HostNotFound, TooManyRedirects, WireDenied, WireError, WireTimeout, WireTooLarge
from dowse.fetch.media import identify, parse_media_type
from dowse.net.clients import Earlier, Fetched, UntrustedClient

_MAX_REFRESHES = 3
_MAX_SHEET_BYTES = 500_000
# Sheets that one sheet imports, of the same host; theirs are not followed.
_MAX_IMPORTS = 3
_IMPORT = re.compile(r"""@import\s++(?:url\(\s*+)?["']?([^"'();\s]++)(?!["')\s]*+print)""", re.I)


@dataclass(frozen=True, slots=True)
class _Request:
    """Parameters of all requests for one page."""

    earlier: Earlier | None
    headers: Mapping[str, str]
    deadline: Deadline


class DirectFetcher:
    """Fetcher without a browser or a vendor; the first to be tried."""

    name = "direct"

    def __init__(
        self,
        client: UntrustedClient,
        clock: Clock | None = None,
        *,
        max_bytes: int,
        headers: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """`headers` is called for each page; its headers override those of the client."""
        self._client = client
        self._clock = clock or SystemClock()
        self._max_bytes = max_bytes
        self._headers = headers

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
        """Fetch a page of a readable media type. Soft 404s and interstitials are judged later, by their text."""
        earlier = Earlier(known.url, known.validators) if known else None
        deadline = Deadline.after(self._clock, timeout_s)
        fetched = await self._page(url, _Request(earlier, self._headers(), deadline))
        if known is not None and fetched.is_unchanged:
            body = Body(fetched.url, b"", "", validators=known.validators, is_unchanged=True)
        else:
            body = _to_body(fetched)
        return _add_validators(body, fetched)

    async def fetch_sheets(self, addresses: Sequence[str], *, timeout_s: float) -> tuple[str, ...]:
        """The style sheets at these addresses, through the same guard as pages; failures are left out."""
        deadline = Deadline.after(self._clock, timeout_s)
        sheets = await asyncio.gather(*(self._with_imports(address, deadline) for address in addresses))
        return tuple(sheet for sheet in sheets if sheet)

    async def _with_imports(self, url: str, deadline: Deadline) -> str:
        """A style sheet, the sheets that it imports in front of it."""
        sheet = await self._sheet(url, deadline)
        imported = [urls.parse(address, url) for address in _IMPORT.findall(sheet)[:_MAX_IMPORTS]]
        here = urls.parse(url)
        own = [there.href for there in imported if there and here and there.name == here.name]
        return "\n".join([*(await asyncio.gather(*(self._sheet(each, deadline) for each in own))), sheet])

    async def _sheet(self, url: str, deadline: Deadline) -> str:
        try:
            fetched = await self._client.get(
                url, timeout_s=deadline.remaining_s(), max_bytes=_MAX_SHEET_BYTES, headers=self._headers()
            )
        except WireError:
            return ""
        media_type = parse_media_type(fetched.headers.get("content-type", ""))
        is_sheet = 200 <= fetched.status < 300 and media_type.name == "text/css"
        return fetched.body.decode("utf-8", "replace") if is_sheet else ""

    async def _page(self, url: str, request: _Request) -> Fetched:
        """The response after at most three meta refreshes."""
        fetched = await self._get(url, request)
        for _ in range(_MAX_REFRESHES):
            target = find_refresh(fetched.url, fetched.headers, fetched.body)
            # An unchanged page had no refresh before.
            if not target or fetched.is_unchanged:
                break
            fetched = await self._get(target, request)
        return fetched

    async def _get(self, url: str, request: _Request) -> Fetched:
        try:
            fetched = await self._client.get(
                url,
                timeout_s=request.deadline.remaining_s(),
                max_bytes=self._max_bytes,
                earlier=request.earlier,
                headers=request.headers,
            )
        except WireError as error:
            raise unreadable(error) from error
        # Cloudflare names its challenges in a header, whatever their status; others are recognised by their text.
        if fetched.headers.get("cf-mitigated", "").lower() == "challenge":
            raise PageUnreadable(
                Status.BLOCKED, "challenge page (Cloudflare)", Onward.ANY_READER, reason=FailureReason.CHALLENGE_PAGE
            )
        if not fetched.is_unchanged:
            check_status(fetched.status)
        return fetched


def _to_body(fetched: Fetched) -> Body:
    media_type = identify(fetched.headers.get("content-type", ""), fetched.body, fetched.url)
    if not media_type.is_readable:
        raise PageUnreadable(Status.UNSUPPORTED, media_type.name)
    return Body(fetched.url, fetched.body, media_type.name, media_type.charset)


def _add_validators(body: Body, fetched: Fetched) -> Body:
    if not may_be_kept(fetched.headers.get("cache-control", "")):
        return replace(body, validators=Validators(), may_be_kept=False)
    return replace(body, validators=validators(fetched.headers, body.validators))


_BY_STATUS = {
    401: (Status.LOGIN_REQUIRED, Onward.NONE),
    402: (Status.LOGIN_REQUIRED, Onward.NONE),
    403: (Status.BLOCKED, Onward.ANY_READER),
    404: (Status.NOT_FOUND, Onward.NONE),
    407: (Status.LOGIN_REQUIRED, Onward.NONE),
    408: (Status.ERROR, Onward.SCRAPE_APIS),
    410: (Status.NOT_FOUND, Onward.NONE),
    429: (Status.BLOCKED, Onward.ANY_READER),
    451: (Status.BLOCKED, Onward.NONE),
    503: (Status.BLOCKED, Onward.ANY_READER),
}
# Any other 4xx refuses the request rather than the page, and other fetchers send other requests.
_OTHER_4XX = (Status.ERROR, Onward.ANY_READER)
_OTHERS = (Status.ERROR, Onward.SCRAPE_APIS)
# The first match counts; any other failure is one of the connection.
_BY_WIRE_ERROR: tuple[tuple[type[WireError], Status, Onward], ...] = (
    (WireDenied, Status.DENIED, Onward.NONE),
    (WireTooLarge, Status.TOO_LARGE, Onward.NONE),
    (WireTimeout, Status.TIMEOUT, Onward.SCRAPE_APIS),
    (HostNotFound, Status.ERROR, Onward.NONE),
    # Sites that set a cookie by a redirect to themselves redirect for ever; a browser accepts the cookie.
    (TooManyRedirects, Status.ERROR, Onward.ANY_READER),
    (WireError, Status.ERROR, Onward.SCRAPE_APIS),
)


def check_status(code: int) -> None:
    """Raise `PageUnreadable` for every status but a success. The table is in docs/reading.md."""
    if 200 <= code < 300:
        return
    status, onward = _BY_STATUS.get(code, _OTHER_4XX if 400 <= code < 500 else _OTHERS)
    raise PageUnreadable(status, f"HTTP {code}", onward, http_status=code)


def unreadable(error: WireError) -> PageUnreadable:
    """Translate a failed fetch."""
    status, onward = next((status, onward) for kind, status, onward in _BY_WIRE_ERROR if isinstance(error, kind))
    return PageUnreadable(status, str(error), onward, reason=error.reason)


# Pages with a meta refresh are small, and have it in their head.
_MAX_BYTES = 8192
_HEAD_CHARS = 4096
_MAX_VISIBLE_WORDS = 60
# A page with a longer delay is meant to be read.
_MAX_DELAY_S = 5
_RAW_TEXT = ("script", "style")
# Content of these elements is no tag of the page. `noscript` redirects clients without scripts; a browser runs them,
# and the target mostly says no more than that.
_OPAQUE = ("script", "style", "noscript", "template", "textarea", "title", "iframe", "xmp")
_TAG = re.compile(r"""<([a-z][a-z0-9-]{0,30})((?:[^<>"']|"[^"]{0,2000}"|'[^']{0,2000}')*+)>""", re.I)
_IS_REFRESH = re.compile(r"""http-equiv\s{0,9}=\s{0,9}["']?refresh\b""", re.I)
_CONTENT = re.compile(r"""\bcontent\s{0,9}=\s{0,9}(?:"([^"]{1,900})"|'([^']{1,900})'|([^\s"'<>]{1,900}))""", re.I)
_CHARSET = re.compile(rb"""<meta\b[^<>]{0,512}?\bcharset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})""", re.I)
_VALUE = re.compile(r"""\s{0,9}(\d{1,4})[.\d]{0,9}\s{0,9}[;,\s]\s{0,9}(?:url\s{0,9}=\s{0,9})?(.{1,900})""", re.I)


def find_refresh(url: str, headers: Mapping[str, str], body: bytes) -> str:
    """The target of a page that only refreshes to another, by header or meta tag; empty for any other page."""
    if len(body) > _MAX_BYTES:
        return ""
    markup = _markup(headers.get("content-type", "text/html"), body)
    address = _target(headers.get("refresh", "")) or _meta_target(markup)
    target, source = urls.parse(address, url), urls.parse(url)
    if not address or target is None or source is None or _visible_words(markup) > _MAX_VISIBLE_WORDS:
        return ""
    # A refresh to itself waits for a script or a cookie, and there is neither.
    is_itself = (target.host, target.port, target.path) == (source.host, source.port, source.path)
    return "" if is_itself else target.href


def _markup(content_type: str, body: bytes) -> str:
    """The decoded text of an HTML page, in any charset; empty for other media types."""
    declared = parse_media_type(content_type)
    if declared.name and "html" not in declared.name:
        return ""
    named = _CHARSET.search(body[:_HEAD_CHARS])
    label = declared.charset or (named[1].decode("ascii", "replace") if named else "utf-8")
    try:
        return body.decode(label)
    except (LookupError, ValueError):
        # No such charset, or a wrong one; browsers fall back to this one too, and it decodes most bytes.
        return body.decode("cp1252", "replace")


def _meta_target(markup: str) -> str:
    head = _without_comments(markup[:_HEAD_CHARS])
    position = 0
    while tag := _TAG.search(head, position):
        name, attributes = tag[1].lower(), tag[2]
        position = _end_of(head, name, tag.end()) if name in _OPAQUE else tag.end()
        content = _CONTENT.search(attributes) if name == "meta" and _IS_REFRESH.search(attributes) else None
        if content:
            return _target(html.unescape(content[1] or content[2] or content[3]))
    return ""


def _end_of(markup: str, name: str, start: int) -> int:
    """The end of an element with opaque content; the end of the text if it is not closed."""
    return find_or_end(markup.lower(), f"</{name}", start)


def _target(value: str) -> str:
    """The address in `0; url=/there`; empty without one, or with a longer delay."""
    found = _VALUE.fullmatch(value[:1000])
    if not found or int(found[1]) > _MAX_DELAY_S:
        return ""
    address = found[2].strip()
    quote = address[:1]
    return address[1:].partition(quote)[0] if quote in ("'", '"') else address


def _without_comments(markup: str) -> str:
    first, *rest = markup.split("<!--")
    return first + "".join(piece.partition("-->")[2] for piece in rest)


def _visible_words(markup: str) -> int:
    """Approximate number of visible words, in a single linear pass."""
    before, *pieces = _without_comments(markup).lower().split("<")
    words, raw = len(before.split()), ""
    for piece in pieces:
        if raw and not piece.startswith("/" + raw):
            continue
        raw = next(filter(piece.startswith, _RAW_TEXT), "")
        words += 0 if raw else len(piece.partition(">")[2].split())
    return words


_FORBIDDING = "no-store"


def may_be_kept(cache_control: str) -> bool:
    """Whether a `Cache-Control` header allows a copy; in doubt, such as inside quotes, it does not.

    `private` does: many sites send it with every page, and the response is not personal, since no cookies are sent.
    """
    directives = (part.partition("=")[0].strip(' \t"').lower() for part in cache_control.split(","))
    return _FORBIDDING not in directives


def validators(headers: Mapping[str, str], known: Validators) -> Validators:
    """Validators of a response for a later conditional request; those missing are taken from `known`."""
    return Validators(headers.get("etag") or known.etag, headers.get("last-modified") or known.last_modified)
