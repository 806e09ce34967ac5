"""The second try of the last provider: within the retry budget, and only while its breaker stays closed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from dowse.core import errors
from dowse.core.models import Deadline, Routed
from dowse.routing.breaker import Breakers, State
from dowse.routing.fallback import FLOOR, RETRY_DELAY_S, FallbackPolicy
from dowse.routing.router import Router
from dowse.stores.coordination import FAILURES_TO_OPEN
from tests.fakes import FakeClock, RecordingObserver


@dataclass
class Provider:
    """Fails or answers, in the order of its script."""

    script: Iterator[bool]
    name: str = "a"
    timeout_s: float = 15.0
    calls: int = 0

    async def call(self, _: Deadline) -> str:
        self.calls += 1
        if next(self.script):
            return "found"
        raise errors.Unavailable(self.name)


class InterruptedClock(FakeClock):
    """While anything sleeps, other calls fail until the breaker opens."""

    breakers: Breakers

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        while self.breakers.state("a") is State.CLOSED:
            (await self.breakers.admit("a", 10.0)).record_failure()


async def ask(router: Router[Provider], provider: Provider, clock: FakeClock, deadline_s: float = 50.0) -> Routed[str]:
    return await router.first([provider], Provider.call, Deadline.after(clock, deadline_s))


async def test_once_the_retry_budget_is_spent_a_failure_is_not_tried_again() -> None:
    """When everything fails, a second try of everything would double the load."""
    clock, provider = FakeClock(), Provider(itertools.cycle([False, True]))
    router = Router[Provider]("search", clock=clock, observer=RecordingObserver())
    for _ in range(FLOOR):
        assert (await ask(router, provider, clock)).answer == "found"
    assert provider.calls == 2 * FLOOR

    with pytest.raises(errors.AllProvidersFailed) as caught:
        await ask(router, provider, clock)

    assert provider.calls == 2 * FLOOR + 1
    assert [attempt.outcome for attempt in caught.value.attempts] == ["unavailable"]


async def test_a_second_try_that_would_begin_after_the_deadline_is_not_waited_for() -> None:
    clock, provider = FakeClock(), Provider(itertools.repeat(False))
    router = Router[Provider]("search", clock=clock, observer=RecordingObserver())

    with pytest.raises(errors.AllProvidersFailed):
        await ask(router, provider, clock, deadline_s=RETRY_DELAY_S[0])

    assert (provider.calls, clock.slept) == (1, [])


async def test_a_second_try_comes_after_a_delay_that_the_policy_draws() -> None:
    clock, provider, ranges = FakeClock(), Provider(itertools.repeat(False)), list[tuple[float, float]]()

    def longest(low: float, high: float) -> float:
        ranges.append((low, high))
        return high

    policy = FallbackPolicy(jitter=longest)
    router = Router[Provider]("search", clock=clock, observer=RecordingObserver(), policy=policy)

    with pytest.raises(errors.AllProvidersFailed):
        await ask(router, provider, clock)

    assert (provider.calls, clock.slept, ranges) == (2, [RETRY_DELAY_S[1]], [RETRY_DELAY_S])


async def test_a_failure_that_opens_the_breaker_is_not_tried_again() -> None:
    clock, provider = FakeClock(), Provider(itertools.repeat(False))
    breakers = Breakers("search", clock, RecordingObserver())
    router = Router[Provider]("search", clock=clock, observer=RecordingObserver(), breakers=breakers)
    for _ in range(FAILURES_TO_OPEN - 1):
        (await breakers.admit(provider.name, 10.0)).record_failure()

    with pytest.raises(errors.AllProvidersFailed):
        await ask(router, provider, clock)

    assert breakers.state(provider.name) is State.OPEN
    assert (provider.calls, clock.slept) == (1, [])


async def test_a_breaker_that_opens_during_the_pause_ends_the_second_try() -> None:
    clock, provider = InterruptedClock(), Provider(itertools.repeat(False))
    clock.breakers = Breakers("search", clock, RecordingObserver())
    router = Router[Provider]("search", clock=clock, observer=RecordingObserver(), breakers=clock.breakers)

    with pytest.raises(errors.AllProvidersFailed) as caught:
        await ask(router, provider, clock)

    assert len(clock.slept) == provider.calls == 1
    assert [attempt.outcome for attempt in caught.value.attempts] == ["unavailable"]
