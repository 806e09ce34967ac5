"""The limit on calls: what makes it grow, what makes it shrink, and when overload begins and ends."""

from __future__ import annotations

import pytest

from dowse.surfaces.http.adaptive_concurrency import (
    AVERAGE_S,
    FLOOR,
    FORGOTTEN_S,
    MAX_QUEUE_S,
    SAMPLE_S,
    SHORT_QUEUE,
    START,
    ConcurrencyLimit,
    LoadSample,
)

MOST = 512


def looked(
    limit: ConcurrencyLimit,
    busy: float,
    times: int = 1,
    *,
    is_short: bool = True,
    in_flight: int | None = None,
    ended: int = START,
    refused: int = START,
) -> None:
    for _ in range(times):
        flying = int(limit.calls) if in_flight is None else in_flight
        limit.update(LoadSample(SAMPLE_S, busy, flying, ended, ended, refused, is_short))


def overloaded() -> ConcurrencyLimit:
    limit = ConcurrencyLimit(MOST)
    looked(limit, 1.0)
    limit.overload()
    return limit


def test_calls_that_only_wait_are_soon_let_in_by_the_hundred() -> None:
    limit = ConcurrencyLimit(MOST)
    looked(limit, 0.5, times=12)
    assert limit.calls >= 256


def test_it_does_not_grow_while_it_is_not_needed() -> None:
    limit = ConcurrencyLimit(MOST)
    looked(limit, 0.0, times=100, is_short=False)
    assert limit.calls == START


def test_it_never_grows_beyond_the_most() -> None:
    limit = ConcurrencyLimit(20)
    looked(limit, 0.0, times=100)
    assert limit.calls == 20


@pytest.mark.parametrize("most", [1, FLOOR - 1])
def test_a_small_maximum_is_kept_under_overload_too(most: int) -> None:
    limit = ConcurrencyLimit(most)
    limit.overload()
    looked(limit, 1.0, times=20)
    assert limit.calls == most


def test_any_line_is_worth_while_where_there_is_time_to_spare() -> None:
    """It only waits for the limit to grow."""
    limit = ConcurrencyLimit(MOST)
    looked(limit, 0.5, ended=0)
    assert limit.can_queue(500)


def test_a_burst_of_a_hundred_is_worth_waiting_for_where_nothing_is_known_yet() -> None:
    limit = ConcurrencyLimit(MOST)
    looked(limit, 1.0, times=10, ended=0)
    assert limit.can_queue(100)


def test_how_slow_calls_were_is_forgotten_after_a_while() -> None:
    limit = ConcurrencyLimit(MOST)
    looked(limit, 1.0, times=200, ended=0)
    looked(limit, 0.5, times=round(FORGOTTEN_S / SAMPLE_S), is_short=False)
    looked(limit, 1.0)
    assert limit.can_queue(100)


def test_a_short_line_is_always_worth_while() -> None:
    limit = ConcurrencyLimit(MOST)
    looked(limit, 1.0, times=100, ended=0)
    assert limit.can_queue(SHORT_QUEUE - 1)
    assert not limit.can_queue(SHORT_QUEUE)


def test_without_time_to_spare_a_line_may_be_as_long_as_it_is_served_soon() -> None:
    limit = ConcurrencyLimit(MOST)
    looked(limit, 1.0, times=200, ended=20)
    soon = MAX_QUEUE_S * 20 / SAMPLE_S
    assert limit.can_queue(int(soon) - 2)
    assert not limit.can_queue(int(soon) + 1)


def test_without_time_to_spare_it_falls_to_what_is_in_flight() -> None:
    """What was right for calls that wait is far too much for calls that work."""
    limit = ConcurrencyLimit(MOST)
    looked(limit, 0.5, times=9)
    looked(limit, 1.0, in_flight=60)
    assert limit.calls == 60


def test_under_overload_it_shrinks_to_a_few() -> None:
    limit = overloaded()
    looked(limit, 1.0, times=20)
    assert limit.calls == FLOOR


def test_under_overload_it_grows_where_calls_leave_time_to_spare() -> None:
    limit = overloaded()
    looked(limit, 1.0, times=20)
    looked(limit, 0.85, times=5, ended=20, refused=20)
    assert FLOOR + 5 <= limit.calls < FLOOR + 10
    assert limit.is_overloaded


def test_under_overload_it_does_not_change_before_the_last_change_has_shown() -> None:
    """With calls that take long, it would otherwise fall to nothing before the first of them has left."""
    limit = overloaded()
    looked(limit, 0.85, times=2)
    before = limit.calls
    looked(limit, 1.0, times=10, ended=0)
    assert limit.calls == before
    looked(limit, 1.0, ended=20)
    assert limit.calls < before


def test_under_overload_calls_that_only_wait_make_room_for_more_before_they_end() -> None:
    """Whoever hangs at a slow provider would otherwise keep everybody else out of a server with nothing to do."""
    limit = overloaded()
    looked(limit, 1.0, times=20)
    looked(limit, 0.1, times=round(0.8 * AVERAGE_S / SAMPLE_S), ended=0)
    assert limit.calls == FLOOR
    looked(limit, 0.1, times=round(10 * AVERAGE_S / SAMPLE_S), ended=0)
    assert limit.calls >= 2 * FLOOR


def test_a_moment_without_a_refusal_does_not_end_overload() -> None:
    limit = overloaded()
    looked(limit, 1.0, times=20)
    looked(limit, 0.5, refused=0)
    assert limit.is_overloaded


def test_overload_ends_when_hardly_any_call_comes() -> None:
    limit = overloaded()
    looked(limit, 1.0, times=20)
    looked(limit, 0.0, times=round(6 * AVERAGE_S / SAMPLE_S), ended=0, refused=0, is_short=False)
    assert not limit.is_overloaded


def test_overload_ends_when_hardly_any_call_is_refused_however_busy_the_server_is() -> None:
    """As at 70 % load, where chance alone brings too many at once now and then."""
    limit = overloaded()
    looked(limit, 1.0, times=20)
    looked(limit, 0.95, times=round(3 * AVERAGE_S / SAMPLE_S), ended=20, refused=1)
    assert not limit.is_overloaded
    assert limit.calls >= START
