"""Readers of a page, and which reader follows which failure. The table is in docs/reading.md."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from dowse import EXTRACTION, __version__
from dowse.core import urls
from dowse.core.errors import AllProvidersFailed, NotRead, PageUnreadable, ProviderError, Unread
from dowse.core.models import LOCAL, OK, Attempt, Body, Deadline, Onward, Principal, Routed, Status, Text
from dowse.core.protocols import (
    Discretion,
    Extractor,
    Fetcher,
    PageReader,
    PrivatePages,
    Robots,
    SheetFetcher,
    SiteLoader,
)
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.routing.fallback import FallbackRun
from dowse.routing.router import Router
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.telemetry.log import LOGGER

# Whether a page may be disclosed to a scrape API takes a DNS look-up; most of the time is for the API.
_LOOK_UP_SHARE = 0.3
_LITTLE = "little text; a browser may show more"
# Style sheets may take this share of the remaining time.
_SHEETS_SHARE = 0.4
# Hashing more than this is done in a thread.
_LARGE_BYTES = 200_000


class FetchingReader:
    """Reads a page by fetching its bytes, directly or with the browser, and extracting the main content."""

    def __init__(
        self, fetcher: Fetcher, extractor: Extractor, *, timeout_s: float, sheets: SheetFetcher | None = None
    ) -> None:
        """`sheets` gets style sheets for the few pages with hidden text that depends on them."""
        self.name = fetcher.name
        self.timeout_s = timeout_s
        self._fetcher = fetcher
        self._extractor = extractor
        self._sheets = sheets

    async def read(self, url: str, deadline: Deadline, known: Text | None = None) -> Text:
        """The page's text. `known`, its previous text, is reused if the server or the bytes say it is unchanged."""
        try:
            async with asyncio.timeout(deadline.remaining_s()):
                body = await self._fetcher.fetch(url, timeout_s=deadline.remaining_s(), known=known)
                if body.is_unchanged and known is not None:
                    return replace(known, validators=body.validators, may_be_kept=body.may_be_kept)
                text = await self._extract(body, deadline, known)
        except TimeoutError:
            raise PageUnreadable(Status.TIMEOUT) from None
        may_be_kept = body.may_be_kept and text.may_be_kept
        return replace(text, url=body.url, validators=body.validators, may_be_kept=may_be_kept)

    async def _extract(self, body: Body, deadline: Deadline, known: Text | None) -> Text:
        """The text of the bytes; of bytes that were extracted before, the known text."""
        if not body.may_be_kept:
            return await self._convert(body, deadline)
        large = len(body.data) > _LARGE_BYTES
        body_hash = await asyncio.to_thread(_hash_body, body) if large else _hash_body(body)
        if known is not None and known.body_hash == body_hash:
            return known
        text = await self._convert(body, deadline)
        return replace(text, body_hash=body_hash)

    async def _convert(self, body: Body, deadline: Deadline) -> Text:
        """The text of the bytes; where it asks for style sheets, the text of the bytes with them."""
        text = await self._extractor.extract(body, timeout_s=deadline.remaining_s())
        if not text.sheets or self._sheets is None:
            return replace(text, sheets=())
        timeout_s = _SHEETS_SHARE * deadline.remaining_s()
        loaded = await self._sheets.fetch_sheets(text.sheets, timeout_s=timeout_s)
        if loaded:
            text = await self._extractor.extract(replace(body, sheets=loaded), timeout_s=deadline.remaining_s())
        return replace(text, sheets=())


class Readers:
    """All readers of pages. Site loaders are made on first use: few calls need one, and every start would pay."""

    def __init__(
        self,
        own: Sequence[FetchingReader],
        apis: Sequence[PageReader] = (),
        make_loaders: Callable[[], Sequence[SiteLoader]] = tuple,
        *,
        apis_first: bool = False,
    ) -> None:
        self.own = own
        self.apis = apis
        self.apis_first = apis_first
        self._make_loaders = make_loaders

    @cached_property
    def loaders(self) -> Sequence[SiteLoader]:
        return self._make_loaders()

    def private_reader(self, url: str, caller: Principal) -> PageReader | None:
        """The only reader of a private page that the caller may read; `None` for all other pages."""
        parsed = urls.parse(url)
        sites = [loader for loader in self.loaders if isinstance(loader, PrivatePages)] if parsed else []
        found = (site.private_reader(parsed, caller) for site in sites if parsed)
        return next((reader for reader in found if reader), None)


def make_site_loaders(
    settings: Settings, client: ConfiguredClient, pages: UntrustedClient, extractor: Extractor, redactor: Redactor
) -> Sequence[SiteLoader]:
    """Loaders of all sites. The table of sites is imported with the first page, not at start-up."""
    from dowse.sites.site import LoaderKit
    from dowse.sites.table import make_loaders

    return make_loaders(LoaderKit(settings, client, pages, extractor, redactor))


class ReadChain:
    """Reads a page with the first reader that can: the loader of its site, dowse itself, the scrape APIs."""

    def __init__(
        self, router: Router[PageReader], readers: Readers, discretion: Discretion, robots: Robots | None = None
    ) -> None:
        self._router = router
        self._readers = readers
        self._discretion = discretion
        self._robots = robots

    async def read(
        self,
        url: str,
        deadline: Deadline,
        *,
        obeys_robots: bool,
        known: Text | None = None,
        caller: Principal = LOCAL,
        only: PageReader | None = None,
    ) -> Routed[Text]:
        """The text and its reader; raises `AllProvidersFailed`. `known` is the previous text of the page.

        With `only`, no other reader learns of the page.
        """
        robots = self._robots if obeys_robots else None
        page = _PageRun(url, deadline, self._readers, self._discretion, robots, known, only)
        try:
            routed = await self._router.first(page.candidates, page.call, deadline, url=url, caller=caller)
        except AllProvidersFailed as failed:
            if page.thin is None:
                raise
            routed = page.thin.answer(failed.attempts, failed.warnings)
        else:
            routed = page.choose(routed)
        return replace(
            routed, answer=replace(routed.answer, is_allowed_by_robots=obeys_robots and page.is_allowed_for_sure)
        )

    def private_reader(self, url: str, caller: Principal) -> PageReader | None:
        return self._readers.private_reader(url, caller)

    async def permits(self, url: str) -> bool:
        """Whether robots.txt is known to allow the page; not before the site has answered."""
        robots = self._robots
        return robots is None or (await robots.allows(url) and robots.is_resolved(url))


@dataclass(frozen=True, slots=True)
class _Thin:
    """Little text, kept in case that a browser has no more."""

    reader: str
    text: Text

    def answer(self, attempts: tuple[Attempt, ...], warnings: tuple[str, ...]) -> Routed[Text]:
        return Routed(self.text, self.reader, (*attempts, Attempt(self.reader, "read", OK, 0)), warnings)


class _PageRun:
    """The fallback run of one page: its candidates, and the call of each."""

    def __init__(
        self,
        url: str,
        deadline: Deadline,
        readers: Readers,
        discretion: Discretion,
        robots: Robots | None,
        known: Text | None,
        only: PageReader | None = None,
    ) -> None:
        self._only = only
        self._url = url
        self._known = known
        self._deadline = deadline
        self._readers = readers
        self._discretion = discretion
        self._robots = robots
        self.thin: _Thin | None = None
        # Learned on the way: whether robots.txt allows the page, and the address that may be disclosed to the APIs.
        self._allowed: bool | None = None
        self._address: str | None = None

    @property
    def is_allowed_for_sure(self) -> bool:
        """Whether robots.txt did not matter or is resolved; a slow site may still disallow the page."""
        return self._allowed is None or self._robots is None or self._robots.is_resolved(self._url)

    async def candidates(self, run: FallbackRun[PageReader]) -> AsyncGenerator[Sequence[PageReader], None]:
        """The readers that are left, the next one first; each failure decides which may follow."""
        if self._only:
            yield [self._only]
            return
        readers, parsed = self._readers, urls.parse(self._url)
        loaders = [loader for loader in readers.loaders if parsed and loader.accepts(parsed)]
        waiting: Sequence[PageReader] = (*loaders, *readers.own, *readers.apis)
        if readers.apis_first:
            waiting = (*await self._apis(), *loaders, *readers.own)
        while waiting:
            yield self._with_time(waiting)
            waiting = waiting[1:]
            if waiting:
                waiting = await self._after(run.errors[-1], waiting)

    async def call(self, reader: PageReader, deadline: Deadline) -> Text:
        """The page as the reader sees it; raises `ProviderError`."""
        try:
            if reader in self._readers.apis:
                return _check(reader.name, await reader.read(self._address or "", deadline))
            if not isinstance(reader, FetchingReader):
                return await reader.read(self._url, deadline)
            return await self._fetch(reader, deadline)
        except PageUnreadable as error:
            raise Unread(reader.name, error) from error
        except ProviderError:
            raise
        except Exception as error:
            # A boundary: a bug in one reader does not cost the page its other readers.
            LOGGER.exception("reading a page crashed")
            if reader in self._readers.own:
                raise Unread(reader.name, PageUnreadable(Status.ERROR)) from error
            raise NotRead(reader.name, "because of an internal error") from error

    def choose(self, routed: Routed[Text]) -> Routed[Text]:
        """The answer, or the thin text from before if this one is thin as well and even shorter.

        Otherwise fewer words may be the better page, without its menus.
        """
        thin, text = self.thin, routed.answer
        if thin is not None and text.is_thin and text.word_count < thin.text.word_count:
            return thin.answer(routed.attempts, routed.warnings)
        return routed

    async def _fetch(self, reader: FetchingReader, deadline: Deadline) -> Text:
        if not await self._is_allowed():
            raise PageUnreadable(Status.ROBOTS, "robots.txt")
        text = await reader.read(self._url, deadline, self._known)
        if text.is_thin and reader in self._readers.own[:-1]:
            self.thin = _Thin(reader.name, text)
            raise PageUnreadable(Status.ERROR, _LITTLE, Onward.ANY_READER)
        return text

    async def _after(self, error: ProviderError, waiting: Sequence[PageReader]) -> Sequence[PageReader]:
        onward = self._onward(error)
        if self.thin is not None:
            # There is an answer already, so none is paid for.
            return [reader for reader in waiting if reader in self._readers.own]
        return () if onward is Onward.NONE else await self._eligible(onward, waiting)

    async def _eligible(self, onward: Onward, waiting: Sequence[PageReader]) -> Sequence[PageReader]:
        # Looked up at the last moment: most pages are read by then.
        is_next = onward is Onward.SCRAPE_APIS or not any(reader in self._readers.own for reader in waiting)
        apis = await self._apis() if is_next else self._readers.apis
        own = () if onward is Onward.SCRAPE_APIS else self._readers.own
        eligible = (*apis, *own, *self._readers.loaders)
        return [reader for reader in waiting if reader in eligible]

    def _with_time(self, waiting: Sequence[PageReader]) -> Sequence[PageReader]:
        """Without all but one of the APIs behind dowse's own readers: time is reserved for one of them only.

        The others come back in the next step, if it comes to that.
        """
        if waiting[0] in self._readers.apis:
            return waiting
        apis = [reader for reader in waiting if reader in self._readers.apis]
        return [reader for reader in waiting if reader not in apis[1:]]

    def _onward(self, error: ProviderError) -> Onward:
        """Which readers may follow. Only dowse's own see the page itself; a failure of another says nothing of it."""
        if not any(error.provider == reader.name for reader in self._readers.own):
            return Onward.ANY_READER
        return error.onward if isinstance(error, Unread) else Onward.SCRAPE_APIS

    async def _apis(self) -> Sequence[PageReader]:
        """The scrape APIs, if the page may be disclosed to them; robots.txt holds for them too."""
        if self._address is None and self._readers.apis:
            self._address = await self._address_for_apis() if await self._is_allowed() else ""
        return self._readers.apis if self._address else ()

    async def _address_for_apis(self) -> str:
        try:
            async with asyncio.timeout(self._deadline.remaining_s() * _LOOK_UP_SHARE):
                return await self._discretion.for_others(self._url)
        except TimeoutError:
            return ""

    async def _is_allowed(self) -> bool:
        if self._allowed is None:
            self._allowed = self._robots is None or await self._robots.allows(self._url)
        return self._allowed


def _check(api: str, text: Text) -> Text:
    """The text of a scrape API, which does not recognise an interstitial such as a bot check or a login wall."""
    from dowse.extract import verdict  # Its phrases take a while to compile, and few calls get here.

    if unreadable := verdict.judge_text(text.title, text.markdown):
        raise NotRead(api, f"it got no content: {unreadable}")
    return text


def _hash_body(body: Body) -> str:
    """A hash of all inputs of the extraction, the version of the extraction included."""
    hashed = hashlib.blake2b(digest_size=32)
    for part in (__version__, str(EXTRACTION), body.url, body.media_type, body.charset):
        encoded = part.encode("utf-8", "surrogatepass")
        hashed.update(len(encoded).to_bytes(8, "big") + encoded)
    hashed.update(body.data)
    return hashed.hexdigest()
