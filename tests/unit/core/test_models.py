"""The nouns: deadlines move with their clock, statuses know what carries text, errors tell one story."""

import pytest

from dowse.core import errors
from dowse.core.models import Attempt, Deadline, Status
from dowse.core.runtime import SystemClock
from tests.fakes import FakeClock
from tests.support.tables import each_row


def test_a_deadline_runs_down_and_never_below_zero(clock: FakeClock) -> None:
    deadline = Deadline.after(clock, 10)
    assert (deadline.remaining_s(), deadline.passed) == (10, False)
    clock.advance(9.5)
    assert deadline.remaining_s() == 0.5
    clock.advance(1)
    assert (deadline.remaining_s(), deadline.passed) == (0.0, True)


def test_a_capped_deadline_ends_earlier_but_never_later(clock: FakeClock) -> None:
    deadline = Deadline.after(clock, 10)
    assert deadline.cap(3).remaining_s() == 3
    assert deadline.cap(30) == deadline


def test_only_two_statuses_carry_text() -> None:
    assert [status.value for status in Status if status.readable] == ["ok", "truncated"]


def test_the_statuses_are_the_contracts() -> None:
    assert {status.value for status in Status} == set(
        [
            "ok",
            "truncated",
            "not_fetched",
            "blocked",
            "not_found",
            "login_required",
            "timeout",
            "too_large",
            "unsupported",
            "denied",
            "robots",
            "offline",
            "error",
        ]
    )


async def test_the_real_clock_goes_forward() -> None:
    clock = SystemClock()
    before = clock.now()
    await clock.sleep(0)
    assert clock.now() >= before
    assert clock.today().year >= 2026


def test_an_error_of_a_provider_says_who_and_what() -> None:
    assert str(errors.Unavailable("exa", "HTTP 502")) == "exa is unavailable: HTTP 502"
    assert str(errors.RateLimited("exa", retry_after_s=3)) == "exa asked us to slow down (rate limit)"


def test_upstreams_own_words_reach_the_caller_and_not_the_log() -> None:
    """They may repeat the query, which is not logged."""
    error = errors.BadRequest("exa", "HTTP 400", said="no results for 'quetzal'")
    assert str(error) == "exa rejected the request: HTTP 400, no results for 'quetzal'"
    assert (error.detail, error.logged_detail) == ("HTTP 400, no results for 'quetzal'", "HTTP 400")


HOSTILE = "one\r\ntwo\x1b[2J\x9b31m\ud800\u202e\u2028three " + "word " * 500


@pytest.mark.parametrize("said", [HOSTILE, ""])
def test_the_detail_of_a_failure_is_one_short_clean_line(said: str) -> None:
    """It may hold a header or an API's text: nobody can write lines of our own into an answer."""
    failed, unreadable = (
        errors.EnginesFailed("searxng", HOSTILE, said=said),
        errors.PageUnreadable(Status.ERROR, HOSTILE),
    )
    for line in (failed.detail, failed.logged_detail, unreadable.detail):
        assert line.startswith("one two[2J31m three word")
        assert len(line) <= errors.DETAIL_CHARS
        assert line.isprintable()
        line.encode()


def _leaves(kind: type[errors.ProviderError]) -> list[type[errors.ProviderError]]:
    below = kind.__subclasses__()
    return [leaf for child in below for leaf in _leaves(child)] if below else [kind]


def test_every_failure_of_a_provider_has_a_code_of_its_own() -> None:
    codes = [leaf.code for leaf in _leaves(errors.ProviderError)]
    # Those that were not asked are one outcome, whatever kept us from asking.
    assert sorted({code for code in codes if codes.count(code) > 1}) == ["skipped"]
    assert len(set(codes)) == 18
    assert "error" not in codes


def test_the_first_failure_leads_and_the_others_follow_in_a_line_each() -> None:
    attempts = (Attempt("a", "search", "timeout", 5), Attempt("b", "search", "bad_answer", 1, "not JSON"))
    assert str(errors.AllProvidersFailed((errors.TimedOut("a"),), attempts)) == (
        "a did not answer in time\nfallback also failed: b bad_answer: not JSON"
    )


def test_the_second_failure_of_a_provider_says_that_it_was_tried_again() -> None:
    attempts = (
        Attempt("a", "search", "unavailable", 5),
        Attempt("b", "search", "unavailable", 1, "HTTP 500"),
        Attempt("b", "search", "rate_limited", 1, "HTTP 429"),
    )
    assert str(errors.AllProvidersFailed((errors.Unavailable("a"),), attempts)).splitlines() == [
        "a is unavailable",
        "fallback also failed: b unavailable: HTTP 500",
        "tried again: b rate_limited: HTTP 429",
    ]


@each_row(
    ("waits_s", "soonest_s"),
    [
        ({"a": [30.2], "b": [7.1]}, 8),
        ({"a": [30.0000001]}, 30),
        ({"a": [30], "b": [None]}, None),
        ({"a": [None, 12]}, 12),
        ({"a": [12, None]}, None),
        ({"a": [0.0]}, 0),
    ],
)
def test_when_to_come_back_is_known_if_every_provider_has_said_so_last(
    waits_s: dict[str, list[float | None]], soonest_s: int | None
) -> None:
    failures = tuple(errors.RateLimited(name, retry_after_s=wait) for name, waits in waits_s.items() for wait in waits)
    assert errors.AllProvidersFailed(failures, ()).retry_after_s == soonest_s


@pytest.mark.parametrize(("detail", "said"), [("", "blocked"), ("challenge page", "challenge page")])
def test_an_unreadable_page_says_its_detail_or_its_status(detail: str, said: str) -> None:
    assert str(errors.PageUnreadable(Status.BLOCKED, detail)) == said


def test_offline_names_what_was_refused() -> None:
    assert str(errors.Offline("search")) == "search unavailable: offline mode is enabled"
