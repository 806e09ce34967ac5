"""The budget for second tries: enough for a hiccup, far too little to double the load of an outage."""

import pytest

from dowse.core import errors
from dowse.core.models import Deadline
from dowse.routing import breaker
from dowse.routing.fallback import FLOOR, WINDOW_S, RetryBudget
from dowse.routing.router import Router
from tests.fakes import FakeClock, RecordingObserver


class Down:
    """A provider that fails whenever it is asked."""

    name, timeout_s = "a", 15.0

    def __init__(self) -> None:
        self.calls = 0

    async def ask(self, _until: Deadline) -> str:
        self.calls += 1
        raise errors.Unavailable(self.name)


def test_few_calls_have_a_floor_and_many_a_share(clock: FakeClock) -> None:
    budget = RetryBudget(clock)
    budget.count_call("a")
    assert [budget.take("a") for _ in range(5)] == [True] * FLOOR + [False] * 2
    for _ in range(99):
        budget.count_call("a")
    assert sum(budget.take("a") for _ in range(100)) == 10 - FLOOR


def test_what_is_long_ago_counts_neither_for_nor_against_a_retry(clock: FakeClock) -> None:
    budget = RetryBudget(clock)
    for _ in range(100):
        budget.count_call("a")
    assert sum(budget.take("a") for _ in range(100)) == 10
    clock.advance(WINDOW_S)
    assert sum(budget.take("a") for _ in range(100)) == FLOOR


def test_old_calls_are_forgotten_although_there_are_newer_ones(clock: FakeClock) -> None:
    budget = RetryBudget(clock)
    for _ in range(100):
        budget.count_call("a")
    clock.advance(WINDOW_S - 1)
    budget.count_call("a")
    clock.advance(1)
    assert sum(budget.take("a") for _ in range(100)) == FLOOR


def test_each_provider_has_a_budget_of_its_own(clock: FakeClock) -> None:
    budget = RetryBudget(clock)
    assert [budget.take("a") for _ in range(4)] == [True] * FLOOR + [False]
    assert budget.take("b")


@pytest.mark.parametrize("per_second", [1, 5, 50, 500])
def test_at_any_rate_of_calls_an_outage_costs_at_most_a_fifth_more_beyond_the_floor(
    clock: FakeClock, per_second: int
) -> None:
    """Every call fails and asks for another try, for two minutes."""
    budget, requests, retries = RetryBudget(clock), 120 * per_second, 0
    for _ in range(requests):
        budget.count_call("a")
        if budget.take("a"):
            retries += 1
            budget.count_call("a")
        clock.advance(1 / per_second)
    floor = FLOOR * 120 / WINDOW_S
    assert retries <= max(floor, 0.2 * requests)


async def test_when_everything_fails_a_provider_is_hardly_asked_more_often_than_users_ask(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a breaker, which would hide what the budget does."""
    monkeypatch.setattr(breaker, "FAILURES_TO_OPEN", 10**9)
    down = Down()
    router = Router[Down]("search", clock=clock, observer=RecordingObserver())
    for _ in range(500):
        with pytest.raises(errors.AllProvidersFailed):
            await router.first([down], Down.ask, Deadline.after(clock, 50))
        clock.advance(0.02)
    assert 500 < down.calls <= 1.2 * 500 + FLOOR
