"""Six hours with fifty instances of three grades, of which some fail, some refuse and one lies, on a clock of our own.

A query comes every five seconds, a round of checks every five minutes, and a restart in the middle of it all.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from functools import cache
from random import Random

import pytest

from dowse.core.errors import ProviderError, RateLimited, Unavailable
from dowse.providers.searxng.directory import ListedInstance
from dowse.providers.searxng.instance import Instance, InstanceState, Misbehaviour
from dowse.providers.searxng.pool import InstancePool, RandomRotation, RoundRobin
from tests.fakes import FakeClock
from tests.unit.providers.searxng.given import PROVIDER, ScriptedAsker, ScriptedDirectory, a_cache, managed

HOUR_S = 3600.0
HOURS = 6
STEP_S = 5.0
CHECKS_EVERY_S = 300.0
RETRY_AFTER_S = 900.0
TURNS = {"in turn": RoundRobin, "at random": RandomRotation}

BEST = [f"https://best{number}.example" for number in range(20)]
GOOD = [f"https://good{number}.example" for number in range(20)]
LAST = [f"https://last{number}.example" for number in range(10)]
LISTED = [ListedInstance(url, grade) for grade, urls in (("A+", BEST), ("A", GOOD), ("B", LAST)) for url in urls]

# Down for minutes, for an hour, for ever; a limiter; a liar. All others of the best are well but for the outage of all.
BRIEFLY, LONG, FOR_EVER, LIMITED, LIAR = BEST[:2], BEST[2:4], BEST[4], BEST[5], BEST[6]
WELL = BEST[7:]
ALL_BEST_DOWN = (2 * HOUR_S, 3 * HOUR_S)
OUTAGES = {
    **{url: [(0.2 * HOUR_S, 0.25 * HOUR_S)] for url in BRIEFLY},
    **{url: [(0.5 * HOUR_S, 1.5 * HOUR_S)] for url in LONG},
    FOR_EVER: [(0.0, HOURS * HOUR_S)],
}
RESTART_AT_S = 2.5 * HOUR_S
# The rest before the last check that failed, the next round of checks, and some time for the first turn.
BACK_AFTER_S = HOUR_S + 2 * CHECKS_EVERY_S


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: when, to whom, how the instance was, how many were still to be tried, and who was ready."""

    at: float
    url: str
    state: InstanceState
    is_first: bool
    best_ready: int


class World(ScriptedAsker):
    """The fifty servers; times are seconds since the beginning."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock
        self._began = clock.now()
        self._asked: Counter[tuple[str, int]] = Counter()

    @property
    def time(self) -> float:
        return self._clock.now() - self._began

    def is_down(self, url: str) -> bool:
        outages = [*OUTAGES.get(url, []), *([ALL_BEST_DOWN] if url in BEST else [])]
        return any(start <= self.time < end for start, end in outages)

    async def ping(self, url: str) -> None:
        await super().ping(url)
        if self.is_down(url):
            raise Unavailable(PROVIDER, "HTTP 503")

    def failure(self, url: str) -> ProviderError | None:
        """What a search comes to; the limiter lets ten an hour through."""
        self._asked[url, int(self.time // HOUR_S)] += 1
        if self.is_down(url):
            return Unavailable(PROVIDER, "HTTP 503")
        is_too_often = url == LIMITED and self._asked[url, int(self.time // HOUR_S)] > 10
        return RateLimited(PROVIDER, "HTTP 429", retry_after_s=RETRY_AFTER_S) if is_too_often else None


class Simulation:
    """The hours as they went: who was asked, what became of queries, and what a restart made of the states."""

    def __init__(self, turns: str) -> None:
        self.requests: list[Asked] = []
        self.per_query: Counter[int] = Counter()
        self.unanswered: list[float] = []
        self.before_restart: list[Instance] = []
        self.after_restart: list[Instance] = []
        self._clock = FakeClock()
        self.world = World(self._clock)
        self._kept = {"cache": a_cache(self._clock), "asker": self.world, "interval_s": CHECKS_EVERY_S}
        self._directory = ScriptedDirectory(self._clock, *LISTED)
        self._turns = turns
        self._instances = self._started()

    def _started(self) -> InstancePool:
        return managed(self._clock, self._directory, rotation=TURNS[self._turns](Random(1)), **self._kept)

    async def run(self) -> None:
        for step in range(int(HOURS * HOUR_S / STEP_S)):
            if self.world.time == RESTART_AT_S:
                await self._restart()
            await self._query()
            self._clock.advance(STEP_S)
            if not step % int(CHECKS_EVERY_S / STEP_S):
                await self._instances.check_silent()

    async def _restart(self) -> None:
        await self._instances.close()
        self.before_restart = self._instances.table()
        self._instances = self._started()
        await self._instances.load()
        self.after_restart = self._instances.table()

    async def _query(self) -> None:
        chosen = await self._instances.choose()
        asked = 0
        for instance in chosen:
            asked += 1
            if await self._ask(instance.url, is_first=asked == 1):
                break
        else:
            self.unanswered.append(self.world.time)
        self.per_query[asked] += 1

    async def _ask(self, url: str, *, is_first: bool) -> bool:
        now = self._clock.utc().timestamp()
        states = {each.url: each.state(now) for each in self._instances.table()}
        best_ready = sum(states[each] is InstanceState.READY for each in BEST)
        self.requests.append(Asked(self.world.time, url, states[url], is_first, best_ready))
        error = self.world.failure(url)
        if error:
            await self._instances.report_failure(url, error)
        elif url == LIAR:
            await self._instances.report_misbehaviour(url, Misbehaviour.SAME_RESULTS)
        else:
            await self._instances.report_success(url, 100)
        return error is None and url != LIAR

    def counts(self, urls: list[str], start_s: float = 0.0, end_s: float = HOURS * HOUR_S) -> list[int]:
        """How often each of these was asked in a while."""
        asked = Counter(request.url for request in self.requests if start_s <= request.at < end_s)
        return [asked[url] for url in urls]


@cache
def simulated(turns: str) -> Simulation:
    simulation = Simulation(turns)
    asyncio.run(simulation.run())
    return simulation


@pytest.fixture(params=list(TURNS))
def simulation(request: pytest.FixtureRequest) -> Simulation:
    return simulated(request.param)


def is_even(counts: list[int]) -> bool:
    """Whether all are within ten percent of their mean."""
    mean = sum(counts) / len(counts)
    return mean > 0 and all(abs(count - mean) <= 0.1 * mean for count in counts)


def test_equals_that_are_well_are_asked_alike(simulation: Simulation) -> None:
    assert is_even(simulation.counts(WELL))
    assert is_even(simulation.counts(WELL, end_s=2 * HOUR_S))


def test_those_of_the_next_tier_are_asked_alike_while_the_best_are_down(simulation: Simulation) -> None:
    start, end = ALL_BEST_DOWN
    assert is_even(simulation.counts(GOOD, start + CHECKS_EVERY_S, end))


def test_no_instance_is_asked_that_rests_is_out_or_is_blocked(simulation: Simulation) -> None:
    assert {request.state for request in simulation.requests} == {InstanceState.READY}


def test_a_lower_tier_comes_first_only_where_no_better_one_is_ready(simulation: Simulation) -> None:
    lower = [request for request in simulation.requests if request.is_first and request.url not in BEST]
    assert lower
    assert {request.best_ready for request in lower} == {0}
    assert sum(simulation.counts(LAST)) == 0


def test_at_most_two_are_asked_for_a_query_and_nearly_all_are_answered(simulation: Simulation) -> None:
    assert max(simulation.per_query) == 2
    # While all of the best go down at once, a few queries meet two of them.
    start, end = ALL_BEST_DOWN
    assert all(start <= at < end for at in simulation.unanswered)
    assert len(simulation.unanswered) < 0.01 * HOURS * HOUR_S / STEP_S


def test_who_was_down_gets_its_share_again_after_its_rest(simulation: Simulation) -> None:
    assert is_even(simulation.counts([*WELL, *BRIEFLY], 0.25 * HOUR_S + BACK_AFTER_S, 2 * HOUR_S))
    everybody = [*WELL, *BRIEFLY, *LONG]
    assert is_even(simulation.counts(everybody, ALL_BEST_DOWN[1] + BACK_AFTER_S))


def test_rests_grow_so_that_one_that_is_down_for_ever_is_hardly_bothered(simulation: Simulation) -> None:
    [searches], checks = simulation.counts([FOR_EVER]), simulation.world.pinged[FOR_EVER]
    # Six doubled rests are two hours; then it is one check an hour.
    assert (1 <= searches <= 3, 6 <= searches + checks <= 12) == (True, True)


def test_a_limiter_is_left_alone_for_as_long_as_it_says(simulation: Simulation) -> None:
    times = [request.at for request in simulation.requests if request.url == LIMITED and request.at < 2 * HOUR_S]
    refused = times[10]
    assert min(at for at in times if at > refused) >= refused + RETRY_AFTER_S


def test_a_liar_is_asked_once(simulation: Simulation) -> None:
    assert simulation.counts([LIAR]) == [1]


def test_a_restart_changes_nothing(simulation: Simulation) -> None:
    assert simulation.after_restart == simulation.before_restart
    now = FakeClock().utc().timestamp() + RESTART_AT_S
    states = Counter(each.state(now) for each in simulation.after_restart)
    assert (states[InstanceState.BLOCKED], states[InstanceState.OUT] + states[InstanceState.RESTING] >= 15) == (1, True)
