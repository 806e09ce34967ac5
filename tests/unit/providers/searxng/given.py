"""What the tests of instances share: servers that do as a test says, a list, and a store that outlives a manager."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from dowse.cache.entries import CacheEntries
from dowse.core.errors import NoInstance, ProviderError
from dowse.providers.searxng.directory import Edition, Entries, Excluded, ListedInstance
from dowse.providers.searxng.pool import InstancePool, RoundRobin
from dowse.stores.fail_soft import FailSoftStore, Outage
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Store
from tests.fakes import FakeClock

PROVIDER = "searxng_pool"
ALDER, BIRCH, CEDAR = (f"https://{name}.example" for name in ("alder", "birch", "cedar"))


def cache_over(store: Store, clock: FakeClock) -> CacheEntries:
    return CacheEntries(FailSoftStore(store, Outage(clock)), clock)


def a_cache(clock: FakeClock) -> CacheEntries:
    return cache_over(MemoryStore(clock), clock)


class ScriptedAsker:
    """Servers that are well, except for those that a test gives an error."""

    def __init__(self) -> None:
        self.errors: dict[str, ProviderError] = {}
        self.without_json: set[str] = set()
        self.pinged: Counter[str] = Counter()
        self.probed: Counter[str] = Counter()
        self.while_pinging: Callable[[str], None] = lambda _url: None

    async def ping(self, url: str) -> None:
        self.pinged[url] += 1
        self.while_pinging(url)
        if url in self.errors:
            raise self.errors[url]

    async def probe(self, url: str) -> bool:
        self.probed[url] += 1
        return url not in self.without_json


class ScriptedDirectory:
    """A list that a test can replace or take away."""

    advice = "do something"

    def __init__(self, clock: FakeClock, *listed: ListedInstance, excluded: tuple[Excluded, ...] = ()) -> None:
        self._clock = clock
        self._entries = Entries(listed, excluded)
        self._edition = Edition(self._entries, clock.now())
        self.is_down = self.is_closed = False
        self.complaints: tuple[str, ...] = ()

    def becomes(self, *listed: ListedInstance) -> None:
        """The list as it will be fetched next."""
        self._entries = Entries(listed)

    async def edition(self) -> Edition:
        if self.is_down:
            raise NoInstance(PROVIDER, "there is no list")
        return self._edition

    async def fetch(self) -> Edition:
        if self.is_down:
            raise NoInstance(PROVIDER, "there is no list")
        self._edition = Edition(self._entries, self._clock.now())
        return self._edition

    def warnings(self) -> tuple[str, ...]:
        return self.complaints

    async def close(self) -> None:
        self.is_closed = True


def managed(
    clock: FakeClock,
    directory: Any,
    *,
    asker: ScriptedAsker | None = None,
    cache: CacheEntries | None = None,
    **options: Any,
) -> InstancePool:
    """A manager as `app` would make it, in turn and in the order of the list."""
    given = {"rotation": RoundRobin(), "rng": Random(1), **options}
    return InstancePool(PROVIDER, directory, asker or ScriptedAsker(), cache or a_cache(clock), clock, **given)
