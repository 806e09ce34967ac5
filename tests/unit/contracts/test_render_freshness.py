"""What callers are told of the cache: two fields, and an age as people say it."""

from __future__ import annotations

import pytest

from dowse.contracts.render import cache_age_s, describe_copy
from dowse.core.models import LIVE, CacheState, Freshness
from tests.support.tables import each_row


@each_row(
    ("freshness", "fields"),
    [
        (LIVE, {"cache": "miss", "cache_age_s": 0}),
        (Freshness(CacheState.HIT, 59.9), {"cache": "hit", "cache_age_s": 59}),
        (Freshness(CacheState.STALE, 7200.5), {"cache": "stale", "cache_age_s": 7200}),
        (Freshness(CacheState.HIT, 60).combine(LIVE), {"cache": "hit", "cache_age_s": 60}),
    ],
)
def test_the_age_is_in_whole_seconds_and_a_miss_has_none(freshness: Freshness, fields: dict[str, object]) -> None:
    assert {"cache": freshness.state.value, "cache_age_s": cache_age_s(freshness)} == fields


@each_row(
    ("age_s", "words"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (59, "59 seconds"),
        (60, "1 minute"),
        (3599, "59 minutes"),
        (3600, "1 hour"),
        (86_399, "23 hours"),
        (86_400, "1 day"),
        (200_000, "2 days"),
    ],
)
def test_a_stale_answer_says_how_old_it_is(age_s: int, words: str) -> None:
    assert describe_copy(CacheState.STALE, age_s) == f"a copy from {words} ago"


@pytest.mark.parametrize("state", ["hit", "miss"])
def test_any_other_answer_is_as_good_as_new(state: str) -> None:
    assert describe_copy(CacheState(state), 200) == ""
