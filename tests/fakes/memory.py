"""A memory as `app` would wire it, over a store that a test may look into."""

from __future__ import annotations

from dowse.cache.entries import CacheEntries, PageLifetimes, SearchLifetimes
from dowse.cache.fetch import Cache
from dowse.core.models import Clock
from dowse.core.protocols import Observer
from dowse.stores.fail_soft import FailSoftStore, Outage
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Store
from tests.fakes.observer import RecordingObserver

NO_SEARCHES = SearchLifetimes(0, 0, 0, 0)
NO_PAGES = PageLifetimes(0, 0, 0)
SEARCHES = SearchLifetimes(usual_s=300, news_s=60, empty_s=30, stale_s=86_400)
PAGES = PageLifetimes(fresh_s=3600, failure_s=30, stale_s=86_400)


def remembering(
    clock: Clock, *, store: Store | None = None, observer: Observer | None = None, refreshes: bool = True
) -> Cache:
    steady = FailSoftStore(store or MemoryStore(clock, 10_000_000), Outage(clock))
    entries = CacheEntries(steady, clock)
    return Cache(entries, clock=clock, observer=observer or RecordingObserver(), refreshes=refreshes)
