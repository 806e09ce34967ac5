"""Who reads a page, in which order, and who after whom. The table is in docs/reading.md."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from dowse.core import urls
from dowse.core.errors import AllProvidersFailed, NotRead, PageUnreadable, ProviderError, Unread
from dowse.core.models import OK, Attempt, Deadline, Onward, Routed, Status, Text
from dowse.core.protocols import Discretion, Extractor, Fetcher, PageReader, Robots, SiteLoader
from dowse.routing.router import Router
from dowse.telemetry.log import LOGGER

# Whether an API may be told of a page takes a look-up of its name; most of the time is for the API.
_LOOK_UP_SHARE = 0.3
_LITTLE = "little text; a browser may show more"


class FetchingReader:
    """Reads a page by getting its bytes and converting them: the direct way, or the browser's."""

    def __init__(self, fetcher: Fetcher, extractor: Extractor, *, timeout_s: float) -> None:
        self.name = fetcher.name
        self.timeout_s = timeout_s
        self._fetcher = fetcher
        self._extractor = extractor

    async def read(self, url: str, deadline: Deadline, known: Text | None = None) -> Text:
        """The page's text, which is `known` where the page has not changed since."""
        try:
            async with asyncio.timeout(deadline.remaining_s()):
                body = await self._fetcher.fetch(url, timeout_s=deadline.remaining_s(), known=known)
                if body.is_unchanged and known is not None:
                    return replace(known, validators=body.validators, may_be_kept=body.may_be_kept)
                text = await self._extractor.extract(body, timeout_s=deadline.remaining_s())
        except TimeoutError:
            raise PageUnreadable(Status.TIMEOUT) from None
        may_be_kept = body.may_be_kept and text.may_be_kept
        return replace(text, url=body.url, validators=body.validators, may_be_kept=may_be_kept)


class Readers:
    """Everybody who can read pages. Loaders are made on first use: few calls need one, and all starts would pay."""

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


class ReadChain:
    """Has a page read by the first reader that can: the site's loader, dowse itself, the scrape APIs."""

    def __init__(
        self, router: Router[PageReader], readers: Readers, discretion: Discretion, robots: Robots | None = None
    ) -> None:
        self._router = router
        self._readers = readers
        self._discretion = discretion
        self._robots = robots

    async def read(
        self, url: str, deadline: Deadline, *, heeds_robots: bool, known: Text | None = None
    ) -> Routed[Text]:
        """The text and whose it is; raises `AllProvidersFailed`. `known` is what dowse itself read there before."""
        robots = self._robots if heeds_robots else None
        route = _PageRoute(url, deadline, self._readers, self._discretion, robots, known)
        routed = await self._walked(route, deadline)
        return replace(routed, answer=replace(routed.answer, heeded_robots=heeds_robots and route.is_allowed_for_sure))

    async def permits(self, url: str) -> bool:
        """Whether the site is known to allow it; not while it has yet to say so."""
        robots = self._robots
        return robots is None or (await robots.allows(url) and robots.has_heard(url))

    async def _walked(self, route: _PageRoute, deadline: Deadline) -> Routed[Text]:
        try:
            routed = await self._router.first_answer(route.ask, deadline, route=route)
        except AllProvidersFailed as failed:
            if route.thin is None:
                raise
            return route.thin.after(failed.attempts, failed.warnings)
        thin, text = route.thin, routed.answer
        # Fewer words may be the better page, without its menus; but not if they are thin again.
        if thin is not None and text.is_thin and text.word_count < thin.text.word_count:
            return thin.after(routed.attempts, routed.warnings)
        return routed


@dataclass(frozen=True, slots=True)
class _Thin:
    """Little text, kept in case that a browser has no more."""

    reader: str
    text: Text

    def after(self, attempts: tuple[Attempt, ...], warnings: tuple[str, ...]) -> Routed[Text]:
        """The answer after all."""
        return Routed(self.text, self.reader, (*attempts, Attempt(self.reader, "read", OK, 0)), warnings)


class _PageRoute:
    """The way of one page through the readers."""

    def __init__(
        self,
        url: str,
        deadline: Deadline,
        readers: Readers,
        discretion: Discretion,
        robots: Robots | None,
        known: Text | None,
    ) -> None:
        self.url = url
        self._known = known
        self._deadline = deadline
        self._readers = readers
        self._discretion = discretion
        self._robots = robots
        self.thin: _Thin | None = None
        # What is found out on the way: whether robots.txt allows it, and as what the APIs may be told of it.
        self._allowed: bool | None = None
        self._address: str | None = None

    @property
    def is_allowed_for_sure(self) -> bool:
        """Whether nobody had to be asked, or the site has answered; one that is slow may still object."""
        return self._allowed is None or self._robots is None or self._robots.has_heard(self.url)

    async def start(self) -> Sequence[PageReader]:
        readers, parsed = self._readers, urls.parse(self.url)
        loaders = [loader for loader in readers.loaders if parsed and loader.accepts(parsed)]
        if readers.apis_first:
            return (*await self._apis(), *loaders, *readers.own)
        return (*loaders, *readers.own, *readers.apis)

    async def after(self, error: ProviderError, waiting: Sequence[PageReader]) -> Sequence[PageReader]:
        onward = self._onward(error)
        if self.thin is not None:
            # There is an answer already, so nobody is paid for another.
            return [reader for reader in waiting if reader in self._readers.own]
        if onward is Onward.NOBODY:
            return ()
        # Asked for at the last moment: most pages are read by then.
        is_next = onward is Onward.APIS or not any(reader in self._readers.own for reader in waiting)
        apis = await self._apis() if is_next else self._readers.apis
        own = () if onward is Onward.APIS else self._readers.own
        return [reader for reader in waiting if reader in apis or reader in own or reader in self._readers.loaders]

    def turns(self, waiting: Sequence[PageReader]) -> Sequence[PageReader]:
        """Of the APIs that may follow our own readers, one: they are seldom asked, and never all of them."""
        if waiting[0] in self._readers.apis:
            return waiting
        apis = [reader for reader in waiting if reader in self._readers.apis]
        return [reader for reader in waiting if reader not in apis[1:]]

    async def ask(self, reader: PageReader, deadline: Deadline) -> Text:
        """What a reader makes of the page; its failures are the router's to judge."""
        try:
            if reader in self._readers.apis:
                return _content(reader.name, await reader.read(self._address or "", deadline))
            if not isinstance(reader, FetchingReader):
                return await reader.read(self.url, deadline)
            if not await self._is_allowed():
                raise PageUnreadable(Status.ROBOTS, "robots.txt")
            text = await reader.read(self.url, deadline, self._known)
            if text.is_thin and reader in self._readers.own[:-1]:
                self.thin = _Thin(reader.name, text)
                raise PageUnreadable(Status.ERROR, _LITTLE, Onward.ANYBODY)
            return text
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

    def _onward(self, error: ProviderError) -> Onward:
        """Who may follow. Only our own readers see the page itself; what others could not read may be fine."""
        if not any(error.provider == reader.name for reader in self._readers.own):
            return Onward.ANYBODY
        return error.onward if isinstance(error, Unread) else Onward.APIS

    async def _apis(self) -> Sequence[PageReader]:
        """The scrape APIs, if they may be told of the page; what a site keeps from us is not got through them."""
        if self._address is None and self._readers.apis:
            self._address = await self._for_others() if await self._is_allowed() else ""
        return self._readers.apis if self._address else ()

    async def _for_others(self) -> str:
        try:
            async with asyncio.timeout(self._deadline.remaining_s() * _LOOK_UP_SHARE):
                return await self._discretion.for_others(self.url)
        except TimeoutError:
            return ""

    async def _is_allowed(self) -> bool:
        if self._allowed is None:
            self._allowed = self._robots is None or await self._robots.allows(self.url)
        return self._allowed


def _content(api: str, text: Text) -> Text:
    """The text of a scrape API, which knows a page when it gets one, but not a bot check or a login wall."""
    from dowse.extract import verdict  # Its phrases take a while to compile, and few calls get here.

    if unreadable := verdict.judge_text(text.title, text.markdown):
        raise NotRead(api, f"it got no content: {unreadable}")
    return text
