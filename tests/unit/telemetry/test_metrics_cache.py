"""The counter of cache lookups."""

from __future__ import annotations

from dowse.core.models import CacheState
from dowse.telemetry.metrics import MetricsObserver


def test_cache_lookups_are_counted_by_kind_and_state() -> None:
    observer = MetricsObserver(tools=["web_search"], engines=["serper"])
    for state in (CacheState.MISS, CacheState.HIT, CacheState.HIT):
        observer.cache_asked("search", state)

    lines = observer.exposition().decode().splitlines()

    assert [line for line in lines if line.startswith("dowse_cache_total{")] == [
        'dowse_cache_total{kind="search",state="miss"} 1.0',
        'dowse_cache_total{kind="search",state="hit"} 2.0',
    ]
