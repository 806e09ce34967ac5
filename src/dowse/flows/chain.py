"""Who reads a page, in which order, and who after whom. The table is in docs/reading.md."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from dowse import urls
from dowse.errors import NotRead, PageUnreadable, ProviderError, Unread
from dowse.interfaces import Discretion, Extractor, Fetcher, PageReader, Robots, SiteLoader
from dowse.models import Deadline, Onward, Status, Text
from dowse.routing.router import Routed, Router
from dowse.telemetry.log import LOGGER


class FetchingReader:
    """Reads a page by getting its bytes and converting them: the direct way, and later the browser's."""

    def __init__(self, fetcher: Fetcher, extractor: Extractor, *, timeout_s: float) -> None:
        self.name = fetcher.name
        self.timeout_s = timeout_s
        self._fetcher = fetcher
        self._extractor = extractor

    async def read(self, url: str, deadline: Deadline) -> Text:
        try:
            async with asyncio.timeout(deadline.remaining_s()):
                body = await self._fetcher.fetch(url, timeout_s=deadline.remaining_s())
                text = await self._extractor.extract(body, timeout_s=deadline.remaining_s())
        except TimeoutError:
            raise PageUnreadable(Status.TIMEOUT) from None
        return replace(text, url=body.url, validators=body.validators)


@dataclass(frozen=True)
class Readers:
    """Everybody who can read pages. Loaders are made on first use: few calls need one, and all starts would pay."""

    own: Sequence[PageReader]
    apis: Sequence[PageReader] = ()
    make_loaders: Callable[[], Sequence[SiteLoader]] = tuple
    apis_first: bool = False

    @cached_property
    def loaders(self) -> Sequence[SiteLoader]:
        return self.make_loaders()


class ReadChain:
    """Has a page read by the first reader that can: the site's loader, dowse itself, the scrape APIs."""

    def __init__(
        self, router: Router[PageReader], readers: Readers, discretion: Discretion, robots: Robots | None = None
    ) -> None:
        self._router = router
        self._readers = readers
        self._discretion = discretion
        self._robots = robots

    async def read(self, url: str, deadline: Deadline, *, heeds_robots: bool) -> Routed[Text]:
        """The text and whose it is; raises `AllProvidersFailed`."""
        robots = self._robots if heeds_robots else None
        route = PageRoute(url, self._readers, self._discretion, robots)
        return await self._router.first_answer(route.ask, deadline, route=route)


@dataclass
class PageRoute:
    """The way of one page through the readers."""

    url: str
    readers: Readers
    discretion: Discretion
    robots: Robots | None
    _allowed: bool | None = field(default=None, init=False)
    address: str = field(default="", init=False)
    """The URL as the scrape APIs may be told it; empty until somebody thinks of asking them, and if they may not."""

    async def start(self) -> Sequence[PageReader]:
        readers, parsed = self.readers, urls.parse(self.url)
        loaders = [loader for loader in readers.loaders if parsed and loader.accepts(parsed)]
        if readers.apis_first:
            return (*await self._apis(), *loaders, *readers.own)
        return (*loaders, *readers.own, *readers.apis)

    async def after(self, error: ProviderError, waiting: Sequence[PageReader]) -> Sequence[PageReader]:
        if any(error.provider == loader.name for loader in self.readers.loaders):
            return waiting
        onward = error.onward if isinstance(error, Unread) else Onward.ANYBODY
        if onward is Onward.NOBODY:
            return ()
        # Asked for at the last moment: most pages are read by then, and a look-up of the name costs time.
        apis = await self._apis() if any(reader in self.readers.apis for reader in waiting) else ()
        others = () if onward is Onward.APIS else [reader for reader in waiting if reader not in self.readers.apis]
        return [reader for reader in waiting if reader in apis or reader in others]

    async def ask(self, reader: PageReader, deadline: Deadline) -> Text:
        """What a reader makes of the page; its failures are the router's to judge."""
        try:
            if reader in self.readers.apis:
                return _content(reader.name, await reader.read(self.address, deadline))
            if reader in self.readers.own and not await self._is_allowed():
                raise PageUnreadable(Status.ROBOTS, "robots.txt")
            return await reader.read(self.url, deadline)
        except PageUnreadable as error:
            raise Unread(reader.name, error) from error
        except ProviderError:
            raise
        except Exception as error:
            # A boundary: a bug in one reader costs neither the page its other readers nor a search its other pages.
            LOGGER.exception("reading a page crashed")
            raise Unread(reader.name, PageUnreadable(Status.ERROR)) from error

    async def _apis(self) -> Sequence[PageReader]:
        """The scrape APIs, if they may be told of the page; what a site keeps from us is not got through them."""
        if self.readers.apis and not self.address and await self._is_allowed():
            self.address = await self.discretion.for_others(self.url)
        return self.readers.apis if self.address else ()

    async def _is_allowed(self) -> bool:
        if self._allowed is None:
            self._allowed = self.robots is None or await self.robots.allows(self.url)
        return self._allowed


def _content(api: str, text: Text) -> Text:
    """The text of a scrape API, which knows a page when it gets one, but not a bot check or a login wall."""
    from dowse.extract import verdict  # Its phrases take a while to compile, and few calls get here.

    if unreadable := verdict.of_text(text.title, text.markdown):
        raise NotRead(api, f"it got no content: {unreadable}")
    return text
