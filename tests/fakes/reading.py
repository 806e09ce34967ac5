"""A read flow as `app` would wire it, over scripted parts."""

from __future__ import annotations

from collections.abc import Sequence

from dowse.cache.entries import PageLifetimes
from dowse.cache.fetch import Cache
from dowse.core.models import Clock
from dowse.core.protocols import Discretion, Extractor, Fetcher, Observer, PageReader, Robots, SiteLoader
from dowse.flows.read import ReadFlow, RobotsMode
from dowse.flows.readers import FetchingReader, ReadChain, Readers
from dowse.routing.fallback import FallbackPolicy
from dowse.routing.router import Router
from dowse.secrets.requests import SecretUrls
from tests.fakes.memory import NO_PAGES, remembering
from tests.fakes.scripted import PlainExtractor


class Everybody:
    """Every address may be told to everybody."""

    async def for_others(self, url: str) -> str:
        return url


def reading(
    fetcher: Fetcher,
    *,
    clock: Clock,
    observer: Observer,
    extractor: Extractor | None = None,
    browser: Fetcher | None = None,
    apis: Sequence[PageReader] = (),
    loaders: Sequence[SiteLoader] = (),
    apis_first: bool = False,
    discretion: Discretion | None = None,
    robots: Robots | None = None,
    robots_mode: RobotsMode = "search",
    page_timeout_s: float = 10.0,
    max_concurrent: int = 8,
    offline: bool = False,
    memory: Cache | None = None,
    lifetimes: PageLifetimes = NO_PAGES,
) -> ReadFlow:
    extractor, discretion = extractor or PlainExtractor(), discretion or Everybody()
    fetchers = [fetcher, *([browser] if browser else [])]
    readers = Readers(
        own=[FetchingReader(each, extractor, timeout_s=page_timeout_s) for each in fetchers],
        apis=apis,
        make_loaders=lambda: loaders,
        apis_first=apis_first,
    )
    policy = FallbackPolicy(after_everything=True, never_blamed=frozenset(each.name for each in fetchers))
    router = Router[PageReader]("read", clock=clock, observer=observer, policy=policy)
    return ReadFlow(
        ReadChain(router, readers, discretion, robots),
        SecretUrls(),
        memory or remembering(clock, observer=observer),
        lifetimes,
        clock=clock,
        observer=observer,
        max_concurrent=max_concurrent,
        robots=robots_mode,
        offline=offline,
    )
