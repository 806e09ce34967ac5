"""Who answers a question, and what happens when they fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dowse.core.answers import EXTRACTIVE, Question, TokenUsage, code_of
from dowse.core.errors import (
    AllProvidersFailed,
    BadAnswer,
    BadRequest,
    DowseError,
    InvalidRequest,
    KeyRejected,
    NetworkFailed,
    NoProvider,
    Offline,
    QuotaSpent,
    RateLimited,
    TimedOut,
    Unavailable,
)
from tests.fakes import FakeClock
from tests.fakes.answering import NO_ANSWERS, OTTERS, WRITTEN, AnswerBench, ScriptedAnswers, attempts
from tests.support.tables import each_row

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
DOWN = Unavailable("openai", "HTTP 500")
LIMITED = RateLimited("openai", "HTTP 429", retry_after_s=20)


# Who answers


async def test_the_provider_answers_without_a_search() -> None:
    writer = ScriptedAnswers()
    bench = AnswerBench(writer)
    outcome = await bench.answer()
    assert (outcome.answer, outcome.warnings, attempts(outcome)) == (WRITTEN, (), [("openai", "ok")])
    assert (writer.asked, bench.searcher.asked) == ([OTTERS], [])
    assert bench.steps == ["answer: asking openai"]


@pytest.mark.parametrize("falls_back", [True, False])
async def test_without_a_provider_pages_are_quoted(falls_back: bool) -> None:
    outcome = await AnswerBench().answer(falls_back=falls_back)
    assert outcome.answer.provider == EXTRACTIVE
    assert [citation.snippet for citation in outcome.answer.citations] == ["Otters weigh nine kilograms."]
    assert (outcome.warnings, attempts(outcome)) == ((), [("serper", "ok")])


async def test_without_any_provider_the_user_is_told_what_to_set() -> None:
    with pytest.raises(NoProvider, match="SERPER_API_KEY"):
        await AnswerBench(has_searcher=False).answer()


async def test_a_second_provider_is_asked_after_the_first() -> None:
    second = ScriptedAnswers(name="other")
    outcome = await AnswerBench(ScriptedAnswers(DOWN), second).answer(falls_back=False)
    assert attempts(outcome) == [("openai", "unavailable"), ("other", "ok")]


async def test_offline_no_provider_is_asked() -> None:
    writer = ScriptedAnswers()
    with pytest.raises(Offline):
        await AnswerBench(writer).answer(offline=True)
    assert writer.asked == []


async def test_a_secret_in_the_question_reaches_no_provider() -> None:
    writer = ScriptedAnswers(DOWN)
    bench = AnswerBench(writer)
    outcome = await bench.answer(Question(f"do otters weigh more with {TOKEN}"))
    told = f"{writer.asked} {bench.searcher.asked} {bench.observer.searches} {outcome}"
    assert TOKEN not in told
    assert sum("masked before it was sent" in warning for warning in outcome.warnings) == 1


async def test_a_question_that_is_only_a_secret_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        await AnswerBench(ScriptedAnswers()).answer(Question(TOKEN))


# Failures


@each_row(
    ("error", "code"),
    [
        (LIMITED, "RATE_LIMIT"),
        (QuotaSpent("openai"), "RATE_LIMIT"),
        (DOWN, "PROVIDER"),
        (NetworkFailed("openai"), "PROVIDER"),
        (TimedOut("openai"), "PROVIDER"),
        (BadAnswer("openai"), "PARSE"),
    ],
)
async def test_where_the_provider_fails_pages_are_quoted_and_the_code_is_told(error: DowseError, code: str) -> None:
    bench = AnswerBench(ScriptedAnswers(error))
    outcome = await bench.answer()
    assert outcome.answer.provider == EXTRACTIVE
    assert outcome.warnings == (f"{code}: {error}; the answer is quoted from pages instead",)
    assert [provider for provider, _ in attempts(outcome)] == ["openai", "serper"]
    assert bench.steps[:3] == ["answer: asking openai", "answer: quoting pages instead", "search: asking serper"]


@pytest.mark.parametrize("error", [KeyRejected("openai"), BadRequest("openai")], ids=["AUTH", "VALIDATION"])
async def test_what_the_user_has_to_mend_is_never_hidden_by_quotes(error: DowseError) -> None:
    bench = AnswerBench(ScriptedAnswers(error))
    with pytest.raises(type(error)):
        await bench.answer()
    assert bench.searcher.asked == []


@each_row(
    ("error", "code"),
    [(KeyRejected("openai"), "AUTH"), (LIMITED, "RATE_LIMIT"), (BadRequest("openai"), "VALIDATION"),
     (BadAnswer("openai"), "PARSE"), (DOWN, "PROVIDER"), (TimedOut("openai"), "PROVIDER")],
)  # fmt: skip
async def test_where_nothing_else_may_answer_the_error_itself_is_raised(error: DowseError, code: str) -> None:
    with pytest.raises(type(error)) as raised:
        await AnswerBench(ScriptedAnswers(error)).answer(falls_back=False)
    assert raised.value is error
    assert code_of(raised.value) == code


async def test_of_several_errors_the_one_that_ended_it_is_raised() -> None:
    second = ScriptedAnswers(KeyRejected("other"), name="other")
    with pytest.raises(KeyRejected):
        await AnswerBench(ScriptedAnswers(DOWN), second).answer(falls_back=False)
    with pytest.raises(Unavailable):
        await AnswerBench(ScriptedAnswers(DOWN), ScriptedAnswers(LIMITED, name="other")).answer(falls_back=False)


async def test_the_provider_tries_again_itself_and_is_asked_once() -> None:
    writer = ScriptedAnswers(DOWN)
    await AnswerBench(writer).answer()
    assert len(writer.asked) == 1


async def test_where_the_search_fails_as_well_both_failures_are_told() -> None:
    bench = AnswerBench(ScriptedAnswers(LIMITED), found=Unavailable("serper", "HTTP 502"))
    with pytest.raises(AllProvidersFailed) as raised:
        await bench.answer()
    assert str(raised.value).startswith(str(LIMITED))
    assert "serper unavailable: HTTP 502" in str(raised.value)


async def test_without_a_search_provider_the_providers_error_is_raised() -> None:
    with pytest.raises(RateLimited):
        await AnswerBench(ScriptedAnswers(LIMITED), has_searcher=False).answer()


async def test_a_provider_that_keeps_failing_is_not_asked_for_a_while() -> None:
    """The global breaker of seed 004."""
    writer = ScriptedAnswers(DOWN)
    bench = AnswerBench(writer, lifetimes=NO_ANSWERS)
    for _ in range(8):
        outcome = await bench.answer()
    assert len(writer.asked) < 8
    assert attempts(outcome)[0] == ("openai", "skipped")
    assert outcome.answer.provider == EXTRACTIVE


# Time


@pytest.mark.parametrize(
    ("deadline_s", "falls_back", "given_s"), [(50, True, 15), (20, True, 10), (20, False, 15), (10, False, 10)]
)
async def test_a_provider_leaves_time_for_quotes(deadline_s: float, falls_back: bool, given_s: float) -> None:
    writer = ScriptedAnswers()
    await AnswerBench(writer).answer(deadline_s=deadline_s, falls_back=falls_back)
    assert writer.given_s == [given_s]


async def test_quotes_get_what_a_slow_provider_left() -> None:
    clock = FakeClock()
    bench = AnswerBench(ScriptedAnswers(TimedOut("openai"), takes_s=15, clock=clock), clock=clock)
    await bench.answer(deadline_s=35)
    # Searching itself leaves a fifth for reading.
    assert bench.searcher.given_s == [pytest.approx(min(15, 20 * 0.8))]


# Telemetry


async def test_an_answer_is_counted_with_its_sources() -> None:
    bench = AnswerBench(ScriptedAnswers())
    await bench.answer()
    assert bench.observer.searches == [("openai", OTTERS.text, 1)]
    assert bench.observer.succeeded == [("openai", "answer")]


async def test_what_a_model_has_read_and_written_is_counted_once() -> None:
    usage = TokenUsage(321, 45)
    bench = AnswerBench(ScriptedAnswers(replace(WRITTEN, usage=usage)))
    await bench.answer()
    assert (await bench.answer()).answer.usage == usage
    assert bench.observer.tokens == [("openai", usage)], "not again for the one from memory"


async def test_a_quoted_answer_is_counted_beside_its_search() -> None:
    bench = AnswerBench(ScriptedAnswers(DOWN))
    await bench.answer()
    assert bench.observer.searches == [("serper", OTTERS.text, 1), (EXTRACTIVE, OTTERS.text, 1)]
    assert bench.observer.failed == [("openai", "answer", "unavailable")]
