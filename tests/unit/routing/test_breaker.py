"""The breaker against a moved clock: when it opens, whom it admits, and what a late call can do."""

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from dowse.routing.breaker import OPEN_S, Breaker, Permit, State
from dowse.stores.coordination import FAILURES_TO_OPEN, LONGEST_S
from tests.fakes import FakeClock

pytestmark = pytest.mark.promise("breaker")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def admitted(breaker: Breaker) -> Permit:
    permit = breaker.admit()
    assert permit is not None
    return permit


def opened(clock: FakeClock) -> Breaker:
    breaker = Breaker(clock)
    for _ in range(FAILURES_TO_OPEN):
        admitted(breaker).record_failure()
    assert breaker.state is State.OPEN
    return breaker


def test_it_opens_after_five_consecutive_failures_and_not_before(clock: FakeClock) -> None:
    breaker = Breaker(clock)
    states = []
    for _ in range(5):
        admitted(breaker).record_failure()
        states.append(breaker.state)
    assert states == [State.CLOSED] * 4 + [State.OPEN]


def test_a_success_in_between_starts_the_count_anew(clock: FakeClock) -> None:
    breaker = Breaker(clock)
    for _ in range(4):
        admitted(breaker).record_failure()
    admitted(breaker).record_success()
    for _ in range(4):
        admitted(breaker).record_failure()
    assert breaker.state is State.CLOSED


def test_an_open_breaker_admits_no_call_for_thirty_seconds_then_one(clock: FakeClock) -> None:
    breaker = opened(clock)
    clock.advance(OPEN_S - 0.001)
    assert breaker.admit() is None
    clock.advance(0.001)
    assert breaker.admit() is not None
    assert breaker.admit() is None


def test_the_probes_success_closes_it(clock: FakeClock) -> None:
    breaker = opened(clock)
    clock.advance(OPEN_S)
    admitted(breaker).record_success()
    assert breaker.state is State.CLOSED
    assert breaker.admit() is not None


def test_the_probes_failure_opens_it_for_another_full_time(clock: FakeClock) -> None:
    breaker = opened(clock)
    clock.advance(OPEN_S)
    admitted(breaker).record_failure()
    clock.advance(OPEN_S - 0.001)
    assert breaker.admit() is None
    clock.advance(0.001)
    assert breaker.admit() is not None


def test_a_cancelled_probe_gives_its_place_to_the_next_caller(clock: FakeClock) -> None:
    breaker = opened(clock)
    clock.advance(OPEN_S)
    admitted(breaker).release()
    assert breaker.admit() is not None


@pytest.mark.parametrize(("asked_s", "closed_for_s"), [(5.0, 5.0), (120.0, 120.0), (86_400.0, LONGEST_S)])
def test_retry_after_opens_at_once_for_that_time_within_ten_minutes(
    clock: FakeClock, asked_s: float, closed_for_s: float
) -> None:
    breaker = Breaker(clock)
    admitted(breaker).record_failure(retry_after_s=asked_s)
    clock.advance(closed_for_s - 0.001)
    assert breaker.admit() is None
    clock.advance(0.001)
    assert breaker.admit() is not None


def test_a_call_from_before_cannot_close_an_open_breaker(clock: FakeClock) -> None:
    breaker = Breaker(clock)
    early = admitted(breaker)
    for _ in range(FAILURES_TO_OPEN):
        admitted(breaker).record_failure()
    early.record_success()
    assert breaker.state is State.OPEN


def test_a_call_from_before_cannot_free_the_probes_place(clock: FakeClock) -> None:
    breaker = Breaker(clock)
    early = [admitted(breaker) for _ in range(3)]
    for _ in range(FAILURES_TO_OPEN):
        admitted(breaker).record_failure()
    clock.advance(OPEN_S)
    admitted(breaker)
    early[0].record_failure()
    early[1].release()
    early[2].record_success()
    assert breaker.admit() is None


def test_a_late_failure_does_not_shorten_a_long_pause(clock: FakeClock) -> None:
    breaker = Breaker(clock)
    early = admitted(breaker)
    admitted(breaker).record_failure(retry_after_s=300)
    early.record_failure(retry_after_s=1)
    clock.advance(299)
    assert breaker.admit() is None


def test_opening_is_told_once_however_many_calls_fail_late(clock: FakeClock) -> None:
    """Each of them is logged as a change: fifty calls in flight would make fifty."""
    changes: list[tuple[State, float]] = []
    breaker = Breaker(clock, lambda state, for_s: changes.append((state, for_s)))
    early = [admitted(breaker) for _ in range(50)]
    for permit in early:
        permit.record_failure(retry_after_s=60)
    assert changes == [(State.OPEN, 60.0)]
    clock.advance(60)
    admitted(breaker).record_failure()
    assert changes[1:] == [(State.HALF_OPEN, 0.0), (State.OPEN, OPEN_S)]


class BreakerMachine(RuleBasedStateMachine):
    """Any order of calls, outcomes and time: never more than one probe, never a call while open."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.breaker = Breaker(self.clock)
        self.out: list[Permit] = []
        self.probes: list[Permit] = []

    @rule()
    def call(self) -> None:
        state = self.breaker.state
        permit = self.breaker.admit()
        assert (permit is None) == (state is State.OPEN or (state is State.HALF_OPEN and bool(self.probes)))
        if permit:
            (self.out if state is State.CLOSED else self.probes).append(permit)

    @precondition(lambda self: self.out)
    @rule()
    def an_ordinary_call_fails(self) -> None:
        self.out.pop().record_failure()

    @precondition(lambda self: self.out)
    @rule()
    def an_ordinary_call_succeeds(self) -> None:
        self.out.pop(0).record_success()

    @precondition(lambda self: self.probes)
    @rule()
    def the_probe_fails(self) -> None:
        self.probes.pop().record_failure()
        assert self.breaker.state is State.OPEN

    @precondition(lambda self: self.probes)
    @rule()
    def the_probe_succeeds(self) -> None:
        self.probes.pop().record_success()

    @precondition(lambda self: self.probes)
    @rule()
    def the_probe_is_cancelled(self) -> None:
        self.probes.pop().release()

    @rule()
    def time_passes(self) -> None:
        self.clock.advance(OPEN_S / 2)

    @invariant()
    def at_most_one_probe_is_out(self) -> None:
        assert len(self.probes) <= 1


BreakerMachine.TestCase.settings = settings(stateful_step_count=40)
TestBreakerInAnyOrder = BreakerMachine.TestCase
