"""The manager: whom it names, what it learns of reports and checks, and that a restart forgets nothing."""

from __future__ import annotations

import asyncio
import logging
from random import Random

import pytest

from dowse.core.errors import BadAnswer, NetworkFailed, NoInstance, RateLimited, Redirected, TimedOut, Unavailable
from dowse.providers.searxng.directory import Excluded, ListedInstance
from dowse.providers.searxng.instance import HealthRules, InstanceState, Misbehaviour
from dowse.providers.searxng.pool import CheckResult, InstancePool, RandomRotation
from tests.fakes import FakeClock
from tests.unit.providers.searxng.given import (
    ALDER,
    BIRCH,
    CEDAR,
    PROVIDER,
    ScriptedAsker,
    ScriptedDirectory,
    a_cache,
    managed,
)

DOWN = Unavailable(PROVIDER, "HTTP 503")
DAY_S = 86_400.0


def three(clock: FakeClock) -> ScriptedDirectory:
    return ScriptedDirectory(
        clock, ListedInstance(ALDER, "A+", 99.0, 300), ListedInstance(BIRCH, "A+"), ListedInstance(CEDAR, "A")
    )


async def named(instances: InstancePool, count: int = 2) -> list[str]:
    return [each.url for each in await instances.choose(count)]


def states(instances: InstancePool, clock: FakeClock) -> dict[str, InstanceState]:
    return {each.url: each.state(clock.utc().timestamp()) for each in instances.table()}


async def test_two_at_most_are_named_in_turn_and_the_best_first(clock: FakeClock) -> None:
    instances = managed(clock, three(clock))
    assert [await named(instances, 9) for _ in range(3)] == [[ALDER, BIRCH], [BIRCH, ALDER], [ALDER, BIRCH]]
    assert await named(instances, 1) == [BIRCH]


async def test_who_fails_is_not_named_until_its_rest_is_over(clock: FakeClock) -> None:
    instances = managed(clock, three(clock))
    await instances.choose()
    await instances.report_failure(ALDER, DOWN)
    assert await named(instances) == [BIRCH, CEDAR]
    clock.advance(59)
    assert ALDER not in await named(instances)
    clock.advance(1)
    assert ALDER in await named(instances)


async def test_the_second_who_was_asked_after_all_has_had_its_turn(clock: FakeClock) -> None:
    directory = ScriptedDirectory(clock, *(ListedInstance(url, "A") for url in (ALDER, BIRCH, CEDAR)))
    instances = managed(clock, directory)
    assert await named(instances) == [ALDER, BIRCH]
    await instances.report_failure(ALDER, DOWN)
    await instances.report_success(BIRCH, 100)
    assert await named(instances) == [CEDAR, BIRCH]


async def test_who_answers_late_keeps_its_place_in_the_order(clock: FakeClock) -> None:
    directory = ScriptedDirectory(clock, *(ListedInstance(url, "A") for url in (ALDER, BIRCH, CEDAR)))
    instances = managed(clock, directory)
    asked = [(await named(instances))[0] for _ in range(2)]
    for url in reversed(asked):
        await instances.report_success(url, 100)
    assert [*asked, *[(await named(instances))[0] for _ in range(3)]] == [ALDER, BIRCH, CEDAR, ALDER, BIRCH]


async def test_none_is_named_where_all_rest_and_the_error_says_until_when(clock: FakeClock) -> None:
    instances = managed(clock, three(clock))
    await instances.choose()
    await instances.report_failure(ALDER, DOWN)
    await instances.report_failure(BIRCH, RateLimited(PROVIDER, "HTTP 429", retry_after_s=40))
    await instances.report_misbehaviour(CEDAR, Misbehaviour.STRANGE_LINKS)
    assert await instances.choose() == []
    error = instances.none_ready()
    assert (error.retry_after_s, error.instances, error.provider) == (pytest.approx(40), (), PROVIDER)
    assert error.detail == ("of 3 instances none is ready (1 rate limited, 1 resting, 1 blocked); do something")
    clock.advance(40)
    assert instances.retry_after_s() is None
    assert await named(instances) == [BIRCH]


async def test_a_list_without_a_good_instance_is_reported_as_such(clock: FakeClock) -> None:
    excluded = (Excluded(ALDER, "its grade is below B"), Excluded(BIRCH, "it is not on https"))
    instances = managed(clock, ScriptedDirectory(clock, excluded=excluded))
    assert await instances.choose() == []
    assert instances.none_ready().detail == "none of the 2 instances on the list is accepted; do something"
    assert (instances.retry_after_s(), instances.exclusions()) == (None, excluded)


async def test_without_a_list_there_is_an_error(clock: FakeClock) -> None:
    directory = three(clock)
    directory.is_down = True
    with pytest.raises(NoInstance, match="there is no list"):
        await managed(clock, directory).choose()


async def test_who_is_out_is_looked_at_when_no_other_is_left_and_named_if_it_is_well(clock: FakeClock) -> None:
    asker = ScriptedAsker()
    instances = managed(clock, ScriptedDirectory(clock, ListedInstance(ALDER, "A")), asker=asker)
    await instances.load()
    for rest_s in (60, 120, 240):
        await instances.report_failure(ALDER, DOWN)
        assert await instances.choose() == []
        clock.advance(rest_s)
    assert states(instances, clock) == {ALDER: InstanceState.OUT}
    assert asker.pinged == {}
    assert await named(instances) == [ALDER]
    assert asker.pinged == {ALDER: 1}


async def test_who_is_still_unwell_then_rests_again(clock: FakeClock) -> None:
    asker = ScriptedAsker()
    asker.errors[ALDER] = TimedOut(PROVIDER)
    instances = managed(
        clock, ScriptedDirectory(clock, ListedInstance(ALDER, "A")), asker=asker, rules=HealthRules(max_failures=1)
    )
    await instances.load()
    await instances.report_failure(ALDER, DOWN)
    clock.advance(60)
    assert [await instances.choose(), await instances.choose()] == [[], []]
    assert (asker.pinged[ALDER], instances.retry_after_s()) == (1, pytest.approx(120))


async def test_many_searches_at_once_look_at_it_once(clock: FakeClock) -> None:
    asker = ScriptedAsker()
    instances = managed(
        clock, ScriptedDirectory(clock, ListedInstance(ALDER, "A")), asker=asker, rules=HealthRules(max_failures=1)
    )
    await instances.load()
    await instances.report_failure(ALDER, DOWN)
    clock.advance(60)
    chosen = await asyncio.gather(*(named(instances) for _ in range(10)))
    assert (chosen, asker.pinged[ALDER]) == ([[ALDER]] * 10, 1)


async def test_at_most_two_are_looked_at_for_a_search(clock: FakeClock) -> None:
    asker = ScriptedAsker()
    instances = managed(clock, three(clock), asker=asker, rules=HealthRules(max_failures=1))
    await instances.load()
    for url in (ALDER, BIRCH, CEDAR):
        await instances.report_failure(url, DOWN)
        asker.errors[url] = DOWN
    clock.advance(60)
    assert await instances.choose() == []
    assert sum(asker.pinged.values()) == 2


async def test_a_restart_keeps_what_is_known(clock: FakeClock) -> None:
    cache = a_cache(clock)
    before = managed(clock, three(clock), cache=cache)
    await before.load()
    await before.report_success(ALDER, 100)
    await before.report_format(ALDER, json=False)
    await before.report_failure(BIRCH, RateLimited(PROVIDER, retry_after_s=600))
    await before.report_misbehaviour(CEDAR, Misbehaviour.SAME_RESULTS)
    await before.close()
    after = managed(clock, three(clock), cache=cache)
    await after.load()
    assert after.table() == before.table()
    assert states(after, clock) == {
        ALDER: InstanceState.READY,
        BIRCH: InstanceState.RATE_LIMITED,
        CEDAR: InstanceState.BLOCKED,
    }
    assert [each.json for each in after.table()] == [False, None, None]
    assert await named(after) == [ALDER]


async def test_a_new_list_right_after_a_restart_forgets_nothing(clock: FakeClock) -> None:
    cache = a_cache(clock)
    before = managed(clock, three(clock), cache=cache)
    await before.load()
    await before.report_misbehaviour(CEDAR, Misbehaviour.SAME_RESULTS)
    await before.close()
    after = managed(clock, three(clock), cache=cache)
    await after.refresh()
    assert states(after, clock)[CEDAR] is InstanceState.BLOCKED


async def test_a_new_list_adds_takes_away_and_regrades_but_forgets_no_block(clock: FakeClock) -> None:
    directory = three(clock)
    instances = managed(clock, directory)
    await instances.load()
    await instances.report_misbehaviour(ALDER, Misbehaviour.BAD_CERTIFICATE)
    await instances.report_success(BIRCH, 200)
    directory.becomes(ListedInstance(BIRCH, "B", 95.0, 900), ListedInstance("https://dogwood.example", "A"))
    clock.advance(60)
    await instances.refresh()
    birch = instances.table()[1]
    assert [each.url for each in instances.table()] == ["https://dogwood.example", BIRCH]
    assert (birch.grade, birch.uptime, birch.response_ms) == ("B", 95.0, 200)
    await instances.report_failure(ALDER, DOWN)
    directory.becomes(ListedInstance(ALDER, "A+"))
    await instances.refresh()
    assert states(instances, clock) == {ALDER: InstanceState.BLOCKED}


async def test_a_new_list_brings_back_who_was_out(clock: FakeClock) -> None:
    directory = three(clock)
    instances = managed(clock, directory, rules=HealthRules(max_failures=1))
    await instances.load()
    await instances.report_failure(ALDER, DOWN)
    clock.advance(61)
    assert states(instances, clock)[ALDER] is InstanceState.OUT
    await instances.refresh()
    assert states(instances, clock)[ALDER] is InstanceState.READY


async def test_the_list_from_before_does_not(clock: FakeClock) -> None:
    cache, directory = a_cache(clock), three(clock)
    clock.advance(10)
    before = managed(clock, directory, cache=cache, rules=HealthRules(max_failures=1))
    await before.load()
    await before.report_failure(ALDER, DOWN)
    await before.close()
    clock.advance(DAY_S / 2)
    after = managed(clock, directory, cache=cache)
    await after.load()
    assert states(after, clock)[ALDER] is InstanceState.OUT


async def test_a_refresh_that_fails_leaves_everything_as_it_was(clock: FakeClock) -> None:
    directory = three(clock)
    instances = managed(clock, directory)
    await instances.load()
    before, directory.is_down = instances.table(), True
    with pytest.raises(NoInstance):
        await instances.refresh()
    assert instances.table() == before


async def test_searches_go_on_during_a_refresh(clock: FakeClock) -> None:
    directory, arrived, may_go = three(clock), asyncio.Event(), asyncio.Event()
    instances, fetch = managed(clock, directory), directory.fetch
    await instances.load()

    async def slowly() -> object:
        arrived.set()
        await may_go.wait()
        return await fetch()

    directory.fetch = slowly  # type: ignore[method-assign, assignment]
    refreshing = asyncio.ensure_future(instances.refresh())
    await arrived.wait()
    assert await named(instances) == [ALDER, BIRCH]
    may_go.set()
    await refreshing


async def test_reports_about_strangers_change_nothing(clock: FakeClock) -> None:
    """A newer list may be without the one that was asked."""
    instances = managed(clock, three(clock))
    await instances.load()
    before = instances.table()
    for report in (
        instances.report_success("https://gone.example", 100),
        instances.report_failure("https://gone.example", DOWN),
        instances.report_misbehaviour("https://gone.example", Misbehaviour.SAME_RESULTS),
        instances.report_format("https://gone.example", json=True),
    ):
        await report
    assert instances.table() == before


async def test_a_block_is_logged_with_its_reason(clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
    instances = managed(clock, three(clock))
    await instances.load()
    with caplog.at_level(logging.WARNING, "dowse"):
        await instances.report_failure(ALDER, Redirected(PROVIDER))
        await instances.report_failure(BIRCH, DOWN)
    assert [(record.getMessage(), record.dowse_fields) for record in caplog.records] == [  # type: ignore[attr-defined]
        ("instance blocked", {"host": "alder.example", "detail": "it redirects to another host"})
    ]


async def test_checks_look_at_those_that_are_unknown_and_those_that_are_out(clock: FakeClock) -> None:
    asker = ScriptedAsker()
    directory = ScriptedDirectory(clock, *(ListedInstance(f"https://{name}.example", "A") for name in "abcde"))
    instances = managed(clock, directory, asker=asker, rules=HealthRules(max_failures=1))
    await instances.load()
    await instances.report_failure("https://a.example", DOWN)
    clock.advance(200)
    await instances.report_success("https://b.example", 100)
    await instances.report_misbehaviour("https://c.example", Misbehaviour.SAME_RESULTS)
    asker.errors["https://d.example"] = DOWN
    await instances.check_silent()
    assert asker.pinged == {"https://a.example": 1, "https://d.example": 1, "https://e.example": 1}
    found = {url[8]: state for url, state in states(instances, clock).items()}
    assert found == {
        "a": InstanceState.READY,
        "b": InstanceState.READY,
        "c": InstanceState.BLOCKED,
        "d": InstanceState.OUT,
        "e": InstanceState.READY,
    }
    await instances.check_silent()
    assert sum(asker.pinged.values()) == 3


async def test_a_server_that_lives_on_checks_instances_in_use(clock: FakeClock) -> None:
    asker = ScriptedAsker()
    instances = managed(clock, three(clock), asker=asker, watches=True, rng=Random(1))
    pinged = asyncio.Event()
    asker.while_pinging = lambda _url: pinged.set()
    await instances.choose()
    await asyncio.wait_for(pinged.wait(), 30)
    await instances.close()
    assert 240 <= clock.slept[0] <= 360


async def test_closing_ends_what_goes_on_in_the_background(clock: FakeClock) -> None:
    directory, asker, asked = three(clock), ScriptedAsker(), asyncio.Event()

    async def hang(url: str) -> None:
        asked.set()
        await asyncio.Event().wait()

    asker.ping = hang  # type: ignore[method-assign]
    instances = managed(clock, directory, asker=asker, watches=True, rng=Random(1))
    await instances.choose()
    await asyncio.wait_for(asked.wait(), 30)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert others
    await asyncio.wait_for(instances.close(), 30)
    assert (directory.is_closed, all(task.done() for task in others)) == (True, True)


async def test_what_is_to_be_known_of_the_list_is_passed_on(clock: FakeClock) -> None:
    directory = three(clock)
    directory.complaints = ("it is old",)
    assert managed(clock, directory).warnings() == ("it is old",)


async def test_a_command_checks_nothing_behind_its_back(clock: FakeClock) -> None:
    asker = ScriptedAsker()
    instances = managed(clock, three(clock), asker=asker)
    await instances.choose()
    await instances.close()
    assert (asker.pinged, clock.slept) == ({}, [])


async def test_a_test_asks_all_that_may_be_asked_and_learns_of_it(clock: FakeClock) -> None:
    asker, steps = ScriptedAsker(), list[str]()

    async def progress(step: str) -> None:
        steps.append(step)

    instances = managed(clock, three(clock), asker=asker)
    await instances.load()
    await instances.report_failure(ALDER, DOWN)
    asker.without_json.add(BIRCH)
    asker.errors[CEDAR] = RateLimited(PROVIDER, "HTTP 429", retry_after_s=600)
    assert await instances.check(progress=progress) == [
        CheckResult(BIRCH, "html", 0),
        CheckResult(CEDAR, "rate_limited", 0, "HTTP 429"),
    ]
    assert (asker.pinged[ALDER], asker.probed) == (0, {BIRCH: 1})
    assert steps == ["1 of 2 instances called", "2 of 2 instances called"]
    assert states(instances, clock) == {
        ALDER: InstanceState.RESTING,
        BIRCH: InstanceState.READY,
        CEDAR: InstanceState.RATE_LIMITED,
    }
    assert [each.json for each in instances.table()] == [None, False, None]


async def test_named_instances_are_asked_even_while_they_rest_or_without_a_list(clock: FakeClock) -> None:
    directory, stranger = three(clock), "https://mine.example"
    instances = managed(clock, directory)
    await instances.load()
    await instances.report_failure(ALDER, DOWN)
    assert [each.outcome for each in await instances.check([ALDER, stranger])] == ["json", "json"]
    assert states(instances, clock)[ALDER] is InstanceState.READY
    directory.is_down = True
    assert (await managed(clock, directory).check([stranger]))[0].is_well
    with pytest.raises(NoInstance):
        await managed(clock, directory).check()


async def test_ones_own_are_asked_in_the_order_given_and_never_blocked(clock: FakeClock) -> None:
    asker, cache = ScriptedAsker(), a_cache(clock)
    urls = ["https://someone:a-password@b.example/", "https://a.example/searx"]
    instances = InstancePool.from_addresses(urls, asker, cache, clock)
    b, a = "https://someone:a-password@b.example", "https://a.example/searx"
    assert [await named(instances) for _ in range(2)] == [[b, a], [a, b]]
    await instances.report_failure(b, Redirected("searxng"))
    await instances.report_misbehaviour(a, Misbehaviour.STRANGE_LINKS)
    assert set(states(instances, clock).values()) == {InstanceState.RESTING}
    assert "SEARXNG_URL" in instances.none_ready().detail
    await instances.close()
    again = InstancePool.from_addresses(urls, asker, cache, clock)
    assert await again.choose() == []
    clock.advance(60)
    assert await named(again) == [b, a]


async def test_ones_own_that_are_out_come_back_by_a_check_only(clock: FakeClock) -> None:
    asker = ScriptedAsker()
    instances = InstancePool.from_addresses(
        [ALDER, BIRCH], asker, a_cache(clock), clock, rules=HealthRules(max_failures=1)
    )
    await instances.load()
    await instances.report_failure(ALDER, NetworkFailed("searxng"))
    clock.advance(DAY_S)
    await instances.refresh()
    assert states(instances, clock)[ALDER] is InstanceState.OUT
    await instances.check_silent()
    assert states(instances, clock)[ALDER] is InstanceState.READY


async def test_random_turns_name_each_before_any_twice(clock: FakeClock) -> None:
    urls = [f"https://{number}.example" for number in range(10)]
    instances = managed(
        clock, ScriptedDirectory(clock, *(ListedInstance(url, "A") for url in urls)), rotation=RandomRotation(Random(3))
    )
    asked = [(await named(instances))[0] for _ in range(20)]
    assert sorted(asked[:10]) == sorted(asked[10:]) == sorted(urls)
    assert asked[:10] != asked[10:]


async def test_unparseable_answers_block_also_across_a_restart(clock: FakeClock) -> None:
    cache, directory = a_cache(clock), ScriptedDirectory(clock, ListedInstance(ALDER, "A"))
    for _ in range(5):
        instances = managed(clock, directory, cache=cache)
        assert await named(instances) == [ALDER]
        await instances.report_failure(ALDER, BadAnswer(PROVIDER, "the body is not JSON"))
        await instances.close()
        clock.advance(3600)
    instances = managed(clock, directory, cache=cache)
    assert await instances.choose() == []
    assert instances.table()[0].reason == Misbehaviour.UNPARSEABLE
