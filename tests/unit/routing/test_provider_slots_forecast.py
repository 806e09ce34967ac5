"""When turns will come: exact for one process, and a fair guess where several share a provider."""

from __future__ import annotations

import pytest

from dowse.core.allowances import Pace, Rate
from dowse.routing.provider_slots import Forecast
from tests.fakes import FakeClock

A_SECOND = Pace(Rate(1, 1.0))
THREE_IN_TEN = Pace(Rate(3, 10.0))
TWO_AT_ONCE = Pace(at_once=2)


def turns(forecast: Forecast, count: int) -> list[float]:
    in_s = forecast.outlook()
    return [round(in_s(ahead), 6) for ahead in range(count)]


def test_at_first_every_call_goes_that_fits_into_the_window(clock: FakeClock) -> None:
    assert turns(Forecast(THREE_IN_TEN, clock), 7) == [0, 0, 0, 10, 10, 10, 20]
    assert turns(Forecast(A_SECOND, clock), 4) == [0, 1, 2, 3]


def test_calls_that_were_made_leave_the_window_in_their_order(clock: FakeClock) -> None:
    forecast = Forecast(THREE_IN_TEN, clock)
    for number in range(3):
        forecast.record_start(str(number))
        clock.advance(2.0)
    assert turns(forecast, 5) == [4, 6, 8, 14, 16]
    clock.advance(5.0)
    assert turns(forecast, 5) == [0, 1, 3, 10, 11]


def test_places_become_free_when_calls_end_as_they_did_lately(clock: FakeClock) -> None:
    forecast = Forecast(TWO_AT_ONCE, clock)
    forecast.record_start("first")
    clock.advance(4.0)
    forecast.record_end("first")
    forecast.record_start("second")
    clock.advance(1.0)
    forecast.record_start("third")
    assert turns(forecast, 4) == [3, 4, 7, 8]
    clock.advance(3.5)
    assert turns(forecast, 3) == [0, 0.5, 4]


def test_a_single_slow_call_moves_the_mean_a_little(clock: FakeClock) -> None:
    forecast = Forecast(Pace(at_once=1), clock)
    for seconds in (1.0, 6.0):
        forecast.record_start("a")
        clock.advance(seconds)
        forecast.record_end("a")
    forecast.record_start("b")
    assert turns(forecast, 2) == [2, 4]


def test_of_rate_and_places_the_narrower_counts(clock: FakeClock) -> None:
    forecast = Forecast(Pace(Rate(10, 1.0), at_once=1), clock)
    forecast.record_start("a")
    clock.advance(2.0)
    forecast.record_end("a")
    assert turns(forecast, 3) == [0, 2, 4]


def test_no_call_comes_before_the_forecast(clock: FakeClock) -> None:
    forecast = Forecast(THREE_IN_TEN, clock)
    forecast.record_wait(3.0)
    assert turns(forecast, 2) == [3, 3]
    clock.advance(4.0)
    assert turns(forecast, 2) == [0, 0]


def test_a_process_alone_has_the_whole_pace(clock: FakeClock) -> None:
    forecast = Forecast(A_SECOND, clock)
    for number in range(20):
        forecast.record_start(str(number))
        forecast.record_wait(1.0)
        clock.advance(1.0)
    assert turns(forecast, 4) == [0, 1, 2, 3]


@pytest.mark.parametrize("pace", [A_SECOND, Pace(Rate(30, 30.0))])
def test_where_two_others_take_turns_too_it_has_a_third(clock: FakeClock, pace: Pace) -> None:
    forecast = Forecast(pace, clock)
    for number in range(300):
        if number % 3 == 0:
            forecast.record_start(str(number))
        forecast.record_wait(1.0)
        clock.advance(1.0)
    assert forecast.outlook()(10) == pytest.approx(30, abs=10)
    clock.advance(100.0)
    forecast.record_wait(0.0)
    assert forecast.outlook()(10) < 12, "that is long ago"


def test_a_window_that_others_have_filled_at_once_becomes_free_at_once(clock: FakeClock) -> None:
    forecast = Forecast(Pace(Rate(30, 60.0)), clock)
    for number in range(10):
        forecast.record_start(str(number))
    for _ in range(30):
        forecast.record_wait(60.0)
    assert turns(forecast, 10) == [60.0] * 10
