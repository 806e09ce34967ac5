"""Whether an answer was remembered, in the fields that say so and in the words that people use."""

from __future__ import annotations

from collections.abc import Mapping

from dowse.core.models import CacheState, Freshness

_UNITS = {"day": 86_400, "hour": 3600, "minute": 60, "second": 1}


def cache_fields(freshness: Freshness) -> dict[str, object]:
    age_s = 0 if freshness.state is CacheState.MISS else int(freshness.age_s)
    return {"cache": freshness.state.value, "cache_age_s": age_s}


def stale_copy(answer: Mapping[str, object]) -> str:
    """Such as "a copy from 2 hours ago", where an answer or a result with these fields is older than it should be."""
    age_s = answer["cache_age_s"]
    assert isinstance(age_s, int)
    if answer["cache"] != CacheState.STALE:
        return ""
    unit = next((unit for unit, seconds in _UNITS.items() if age_s >= seconds), "second")
    count = age_s // _UNITS[unit]
    return f"a copy from {count} {unit}{'' if count == 1 else 's'} ago"
