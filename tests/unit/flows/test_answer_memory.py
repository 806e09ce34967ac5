"""What is remembered of answers, and who shares one that is in hand."""

from __future__ import annotations

import asyncio

import pytest

from dowse.core.answers import EXTRACTIVE, CitedAnswer, Question
from dowse.core.errors import KeyRejected, RateLimited, TimedOut, Unavailable
from dowse.core.models import Deadline
from dowse.flows.answer import AnswerOutcome
from tests.fakes.answering import NO_ANSWERS, OTTERS, WRITTEN, AnswerBench, ScriptedAnswers, attempts

DOWN = Unavailable("openai", "HTTP 500")
NOTHING = CitedAnswer("I found nothing.", (), "gpt-5-nano-web-search")


def state(outcome: AnswerOutcome) -> tuple[str, float]:
    return outcome.freshness.state.value, outcome.freshness.age_s


async def test_an_answer_from_a_moment_ago_is_not_paid_for_again() -> None:
    writer = ScriptedAnswers()
    bench = AnswerBench(writer)
    await bench.answer()
    bench.clock.advance(299)
    outcome = await bench.answer()
    assert len(writer.asked) == 1
    assert (outcome.answer, outcome.engine, state(outcome)) == (WRITTEN, "openai", ("hit", 299))
    assert bench.observer.cache == [("answer", "miss"), ("answer", "hit")]
    # In both contracts: who wrote it does not depend on them.
    assert state(await bench.answer(falls_back=False)) == ("hit", 299)


async def test_any_difference_in_the_question_is_another_one() -> None:
    bench = AnswerBench(ScriptedAnswers())
    for question in (OTTERS, Question(OTTERS.text, 4), Question(OTTERS.text, region="AE"), Question("what is new")):
        assert state(await bench.answer(question))[0] == "miss"


async def test_quotes_in_the_place_of_an_answer_are_fresh_for_a_short_time() -> None:
    writer = ScriptedAnswers(DOWN)
    bench = AnswerBench(writer)
    await bench.answer()
    bench.clock.advance(29)
    outcome = await bench.answer()
    assert (outcome.engine, state(outcome)) == (EXTRACTIVE, ("hit", 29))
    assert outcome.warnings == (f"PROVIDER: {DOWN}; the answer is quoted from pages instead",), "for those who follow"
    writer.written = WRITTEN
    bench.clock.advance(31)
    assert (await bench.answer()).answer == WRITTEN


async def test_quotes_are_not_remembered_for_those_who_want_the_provider() -> None:
    writer = ScriptedAnswers(RateLimited("openai"))
    bench = AnswerBench(writer)
    await bench.answer()
    with pytest.raises(RateLimited):
        await bench.answer(falls_back=False)


async def test_quotes_are_fresh_as_long_as_any_answer_where_there_is_no_provider() -> None:
    bench = AnswerBench()
    await bench.answer()
    bench.clock.advance(299)
    assert state(await bench.answer(falls_back=False)) == ("hit", 299)
    assert len(bench.searcher.asked) == 1


async def test_an_answer_without_sources_is_soon_forgotten() -> None:
    bench = AnswerBench(ScriptedAnswers(NOTHING))
    await bench.answer()
    bench.clock.advance(61)
    assert state(await bench.answer()) == ("miss", 0)


async def test_an_old_answer_is_served_when_all_providers_are_down() -> None:
    writer = ScriptedAnswers()
    bench = AnswerBench(writer)
    await bench.answer()
    bench.clock.advance(3600)
    writer.written, bench.searcher.found = DOWN, Unavailable("serper")
    outcome = await bench.answer()
    assert (outcome.answer, state(outcome)) == (WRITTEN, ("stale", 3600))
    assert attempts(outcome)[0][0] == "openai"


async def test_an_old_answer_is_not_served_to_those_who_want_what_is_new() -> None:
    writer = ScriptedAnswers()
    bench = AnswerBench(writer)
    recent = Question("how much do otters weigh", freshness_hours=1)
    await bench.answer(recent, falls_back=False)
    bench.clock.advance(3601)
    writer.written = DOWN
    with pytest.raises(Unavailable):
        await bench.answer(recent, falls_back=False)


async def test_a_rejected_key_is_told_although_there_is_an_old_answer() -> None:
    writer = ScriptedAnswers()
    bench = AnswerBench(writer)
    await bench.answer()
    bench.clock.advance(3600)
    writer.written = KeyRejected("openai")
    with pytest.raises(KeyRejected):
        await bench.answer()


async def test_nothing_is_remembered_where_that_is_switched_off() -> None:
    writer = ScriptedAnswers()
    bench = AnswerBench(writer, lifetimes=NO_ANSWERS)
    await bench.answer()
    await bench.answer()
    assert len(writer.asked) == 2


async def test_the_same_question_at_the_same_time_is_asked_once() -> None:
    gate = asyncio.Event()
    writer = ScriptedAnswers(gate=gate)
    bench = AnswerBench(writer)
    both = [asyncio.create_task(bench.answer()) for _ in range(2)]
    await writer.was_asked.wait()
    gate.set()
    assert [outcome.answer for outcome in await asyncio.gather(*both)] == [WRITTEN, WRITTEN]
    assert len(writer.asked) == 1


async def test_who_leaves_stops_the_call_upstream() -> None:
    class Watched(ScriptedAnswers):
        was_cancelled = False

        async def answer(self, question: Question, deadline: Deadline) -> CitedAnswer:
            try:
                return await super().answer(question, deadline)
            except asyncio.CancelledError:
                self.was_cancelled = True
                raise

    writer = Watched(gate=asyncio.Event())
    bench = AnswerBench(writer)
    task = asyncio.create_task(bench.answer())
    await writer.was_asked.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await bench.settled()
    assert writer.was_cancelled


async def test_who_cannot_wait_for_an_answer_in_hand_is_told() -> None:
    writer = ScriptedAnswers(gate=asyncio.Event())
    bench = AnswerBench(writer)
    patient = asyncio.create_task(bench.answer())
    await writer.was_asked.wait()
    with pytest.raises(TimedOut, match="openai did not answer in time"):
        await bench.answer(deadline_s=0.01)
    patient.cancel()
    await asyncio.gather(patient, return_exceptions=True)
    await bench.settled()
