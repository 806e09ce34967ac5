"""One instance: a failure makes it rest, several put it out, misbehaviour blocks it; an answer forgives the rest."""

from __future__ import annotations

import pytest

from dowse.core.errors import (
    BadAnswer,
    Blocked,
    NetworkFailed,
    ProviderError,
    RateLimited,
    Redirected,
    Skipped,
    TimedOut,
    Unavailable,
)
from dowse.core.wire_errors import WireFailed, WireInsecure
from dowse.providers.searxng.instance import (
    HealthRules,
    Instance,
    InstanceState,
    Misbehaviour,
    block,
    readmit,
    record_failure,
    record_healthy,
    record_success,
)
from tests.support.tables import each_row

NOW = 1_800_000_000.0
RULES = HealthRules()
DAY_S = 86_400.0
ELM = Instance("https://elm.example", grade="A", response_ms=500)
DOWN = Unavailable("searxng_pool", "HTTP 503")


def failing(times: int, error: ProviderError = DOWN, *, rules: HealthRules = RULES) -> tuple[Instance, float]:
    """An instance that failed so often, each time as soon as it was asked again, and the time of the last failure."""
    instance, now = ELM, NOW
    for _ in range(times):
        now = instance.until(now) or now
        instance = record_failure(instance, now, error, rules)
    return instance, now


def caused(error: ProviderError, cause: Exception) -> ProviderError:
    error.__cause__ = cause
    return error


@each_row(("times", "rest_s"), [(1, 60), (2, 120), (3, 240), (6, 1920), (7, 3600), (60, 3600)])
def test_each_rest_is_twice_as_long_as_the_last_up_to_an_hour(times: int, rest_s: float) -> None:
    instance, now = failing(times)
    assert (instance.consecutive_failures, instance.until(now)) == (times, now + rest_s)
    assert instance.state(now + rest_s - 1) is not InstanceState.READY


def test_an_instance_that_failed_once_is_ready_after_its_rest() -> None:
    instance, now = failing(1)
    assert instance.state(now) is InstanceState.RESTING
    assert instance.state(now + 60) is InstanceState.READY
    assert instance.reason == "HTTP 503"


def test_the_third_failure_in_a_row_puts_it_out_also_after_its_rest() -> None:
    instance, now = failing(2)
    assert instance.state(now) is InstanceState.RESTING
    instance, now = failing(3)
    assert instance.state(now) is InstanceState.OUT
    assert instance.state(now + 10 * DAY_S) is InstanceState.OUT


def test_a_check_brings_it_back_and_the_next_failure_makes_it_rest_longer_than_before() -> None:
    """The server being there says little: one that refuses searches would be asked every few minutes otherwise."""
    instance, now = failing(3)
    now = instance.until(now)
    instance = record_healthy(instance, now)
    assert instance.state(now) is InstanceState.READY
    instance = record_failure(instance, now, DOWN, RULES)
    assert (instance.state(now), instance.until(now)) == (InstanceState.OUT, now + 480)


def test_an_answer_forgives_all_failures() -> None:
    instance, now = failing(2)
    instance = record_success(instance, now + 500, 100)
    assert instance == Instance(ELM.url, grade="A", response_ms=420, last_checked=now + 500)


def test_an_answer_does_not_undo_the_limit_that_another_search_ran_into_meanwhile() -> None:
    limited = record_failure(ELM, NOW, RateLimited("searxng_pool", "HTTP 429", retry_after_s=900), RULES)
    answered = record_success(limited, NOW + 1, 100)
    assert (answered.state(NOW + 899), answered.reason) == (InstanceState.RATE_LIMITED, "HTTP 429")
    assert answered.consecutive_failures == 0
    assert record_success(limited, NOW + 900, 100).rate_limited_until == 0


def test_who_was_not_asked_has_not_failed() -> None:
    assert record_failure(ELM, NOW, Skipped("searxng_pool", "no time was left"), RULES) == ELM


def test_a_new_list_brings_it_back_with_its_rest_to_its_end() -> None:
    instance, now = failing(3)
    back = readmit(instance)
    assert (back.state(now), back.consecutive_failures) == (InstanceState.RESTING, 0)
    assert back.state(back.until(now)) is InstanceState.READY
    once, _ = failing(1)
    assert readmit(once) == once


def test_a_rate_limit_holds_as_long_as_the_server_says() -> None:
    instance = record_failure(ELM, NOW, RateLimited("searxng_pool", "HTTP 429", retry_after_s=900), RULES)
    assert (instance.state(NOW + 899), instance.rate_limited_until) == (InstanceState.RATE_LIMITED, NOW + 900)
    assert instance.state(NOW + 900) is InstanceState.READY


def test_a_rate_limit_without_a_time_rests_as_any_failure_and_puts_out_as_well() -> None:
    limited = RateLimited("searxng_pool", "HTTP 429")
    once, now = failing(1, limited)
    assert (once.state(now), once.until(now)) == (InstanceState.RATE_LIMITED, now + 60)
    often, now = failing(3, limited)
    assert often.state(now) is InstanceState.OUT


def test_no_server_can_send_us_away_for_longer_than_a_day() -> None:
    instance = record_failure(ELM, NOW, RateLimited("searxng_pool", retry_after_s=1e9), RULES)
    assert instance.until(NOW) == NOW + DAY_S


def test_one_outage_that_several_searches_ran_into_counts_once() -> None:
    once, _ = failing(1)
    assert record_failure(once, NOW + 1, TimedOut("searxng_pool"), RULES) == once
    limited = record_failure(once, NOW + 1, RateLimited("searxng_pool", retry_after_s=300), RULES)
    assert (limited.consecutive_failures, limited.until(NOW + 1)) == (1, NOW + 301)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (caused(NetworkFailed("searxng_pool"), WireInsecure()), Misbehaviour.BAD_CERTIFICATE),
        (Redirected("searxng_pool", "HTTP 302"), Misbehaviour.FOREIGN_REDIRECT),
    ],
)
def test_misbehaviour_blocks_for_a_day(error: ProviderError, reason: Misbehaviour) -> None:
    instance = record_failure(ELM, NOW, error, RULES)
    assert (instance.state(NOW + DAY_S - 1), instance.reason) == (InstanceState.BLOCKED, reason)
    assert instance.state(NOW + DAY_S) is InstanceState.READY


@pytest.mark.parametrize(
    "error", [caused(NetworkFailed("searxng_pool"), WireFailed("no connection")), Blocked("searxng_pool")]
)
def test_a_failure_that_honest_servers_have_too_does_not_block(error: ProviderError) -> None:
    assert record_failure(ELM, NOW, error, RULES).state(NOW) is InstanceState.RESTING


def test_the_fifth_answer_that_cannot_be_parsed_blocks_although_checks_find_it_well() -> None:
    garbled = BadAnswer("searxng_pool", "the body is not JSON")
    instance, now = ELM, NOW
    for _ in range(4):
        instance = record_failure(instance, now, garbled, RULES)
        assert instance.state(now) is not InstanceState.BLOCKED
        now = instance.until(now)
        instance = record_healthy(instance, now)
    instance = record_failure(instance, now, garbled, RULES)
    assert (instance.state(now), instance.reason) == (InstanceState.BLOCKED, Misbehaviour.UNPARSEABLE)


def test_an_answer_in_between_ends_the_count_of_unparseable_ones() -> None:
    instance, now = failing(4, BadAnswer("searxng_pool"))
    instance = record_failure(record_success(instance, now, 100), now, BadAnswer("searxng_pool"), RULES)
    assert (instance.unparsed, instance.state(now)) == (1, InstanceState.RESTING)


def test_an_answer_does_not_lift_a_block() -> None:
    """Another search was under way when it was found out."""
    blocked = block(ELM, NOW, Misbehaviour.SAME_RESULTS, RULES)
    after = record_success(blocked, NOW + 1, 100)
    assert (after.state(NOW + 1), after.reason) == (InstanceState.BLOCKED, Misbehaviour.SAME_RESULTS)


def test_what_would_block_a_stranger_is_a_failure_of_ones_own() -> None:
    own = HealthRules(blocks=False)
    for instance in (
        record_failure(ELM, NOW, Redirected("searxng"), own),
        block(ELM, NOW, Misbehaviour.STRANGE_LINKS, own),
        failing(1, BadAnswer("searxng"), rules=own)[0],
    ):
        assert (instance.state(NOW), instance.until(NOW)) == (InstanceState.RESTING, NOW + 60)
    often, now = failing(6, BadAnswer("searxng"), rules=own)
    assert often.state(now) is InstanceState.OUT


def test_the_words_of_a_server_are_not_kept() -> None:
    """They may repeat the query."""
    spoken = Unavailable("searxng_pool", "HTTP 500", said="nothing found for otterquestion")
    assert record_failure(ELM, NOW, spoken, RULES).reason == "HTTP 500"
    assert (
        record_failure(ELM, NOW, TimedOut("searxng_pool", said="otterquestion"), RULES).reason
        == "did not answer in time"
    )
