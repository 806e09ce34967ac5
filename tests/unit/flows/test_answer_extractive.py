"""Answers without a model: what is searched for, which pages count, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dowse.core.answers import EXTRACTIVE, CitedAnswer, Question
from dowse.core.errors import NoProvider, PageUnreadable, Unavailable
from dowse.core.models import Body, Deadline, Facts, Found, Hit, Query, Routed, Status, Text, TimeRange
from dowse.flows.extractive import time_range
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.answering import quoting
from tests.fakes.memory import remembering
from tests.fakes.scripted import PlainExtractor, ScriptedProvider, hits
from tests.support.tables import each_row

A, B, C = (f"https://example.org/{name}" for name in "abc")
OTTERS = Question("how much do otters weigh")
PAGES: dict[str, str | Exception] = {
    A: "# Otters\n\nOtters weigh nine kilograms. They eat fish.",
    B: "# Rivers\n\nIn rivers otters weigh a little less, about seven kilograms.",
}


class Bench:
    """The clock says noon on 15 November 2026."""

    def __init__(
        self,
        found: Found | Exception,
        pages: dict[str, str | Exception] | None = None,
        *,
        facts: dict[str, Facts] | None = None,
        usual: Query | None = None,
        has_searcher: bool = True,
    ) -> None:
        self.clock = FakeClock()
        self.searcher = ScriptedProvider(found)
        self.steps: list[str] = []
        observer = RecordingObserver()
        self.quoting = quoting(
            (self.searcher,) if has_searcher else (),
            PAGES if pages is None else pages,
            clock=self.clock,
            observer=observer,
            memory=remembering(self.clock, observer=observer),
            extractor=Dating(facts or {}),
            usual=usual,
        )

    async def routed(self, question: Question = OTTERS) -> Routed[CitedAnswer]:
        return await self.quoting.answer(question, Deadline.after(self.clock, 50), self._progress)

    async def answer(self, question: Question = OTTERS) -> CitedAnswer:
        answer = (await self.routed(question)).answer
        assert all(answer.text[each.start : each.end] == each.snippet for each in answer.citations)
        return answer

    async def _progress(self, step: str) -> None:
        self.steps.append(step)


class Dating(PlainExtractor):
    """Knows facts about pages by their address."""

    def __init__(self, facts: dict[str, Facts]) -> None:
        self._facts = facts

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        text = await super().extract(body, timeout_s=timeout_s)
        return replace(text, facts=self._facts.get(body.url, Facts()))


def dated(published: str, confidence: str = "high") -> Facts:
    return Facts(published=published, published_confidence=confidence)


def sources(answer: CitedAnswer) -> list[str]:
    return list(dict.fromkeys(citation.url for citation in answer.citations))


async def test_the_pages_are_quoted_and_every_sentence_has_its_source() -> None:
    answer = await Bench(hits(A, B)).answer()
    assert answer.text.split("\n") == [
        "Quoted from the pages found; no model wrote this.",
        "",
        '"Otters weigh nine kilograms." [1]',
        '"In rivers otters weigh a little less, about seven kilograms." [2]',
        "",
        "Sources:",
        f"[1] Otters — {A}",
        f"[2] Rivers — {B}",
    ]
    assert [(citation.url, citation.rank) for citation in answer.citations] == [(A, 1), (B, 2)]
    assert (answer.provider, answer.usage) == (EXTRACTIVE, None)


async def test_who_was_asked_and_the_steps_are_told() -> None:
    bench = Bench(hits(A, B))
    routed = await bench.routed()
    assert routed.provider == EXTRACTIVE
    assert [(attempt.provider, attempt.outcome) for attempt in routed.attempts] == [("serper", "ok")]
    assert bench.steps == ["search: asking serper", "read 0 of 2 pages", "read 1 of 2 pages", "read 2 of 2 pages"]


async def test_the_question_becomes_a_query_with_the_users_own_habits() -> None:
    bench = Bench(hits(A), usual=Query("", language="en", safe_search=2))
    await bench.answer(Question("how much do otters weigh", max_results=3, freshness_hours=30, region="AE"))
    assert bench.searcher.asked == [
        Query(
            "how much do otters weigh",
            num_results=5,
            language="en",
            safe_search=2,
            country="ae",
            time_range=TimeRange.WEEK,
        )
    ]


@each_row(
    ("hours", "wider"), [(0, ""), (1, "day"), (24, "day"), (25, "week"), (168, "week"), (169, "month"), (9999, "")]
)
def test_the_time_is_the_nearest_wider_one_that_engines_know(hours: int, wider: str) -> None:
    assert time_range(hours) == wider


async def test_no_more_sources_are_named_than_were_asked_for() -> None:
    assert sources(await Bench(hits(A, B)).answer(replace(OTTERS, max_results=1))) == [A]


async def test_a_page_that_cannot_be_read_makes_room_for_the_next() -> None:
    bench = Bench(hits(C, A), PAGES | {C: PageUnreadable(Status.BLOCKED, "a challenge")})
    assert sources(await bench.answer(replace(OTTERS, max_results=1))) == [A]


async def test_where_no_page_can_be_read_the_search_engine_is_quoted_and_the_answer_says_so() -> None:
    found = Found((Hit("Otters", A, "Otters weigh <b>nine</b> kilograms."), Hit("Gone", B, "Otters weigh a ton.")))
    pages: dict[str, str | Exception] = {A: PageUnreadable(Status.BLOCKED, "a challenge")}
    answer = await Bench(found, pages).answer()
    assert answer.text.startswith("Quoted from the snippets of the search engine, because the pages could not be read;")
    assert [(each.url, each.snippet) for each in answer.citations] == [(A, "Otters weigh nine kilograms.")]


async def test_sources_alone_are_listed_without_reading_them() -> None:
    bench = Bench(Found((Hit("Otters", f"{A}?utm_source=x", published="2026-11-14"), Hit("Rivers", B))))
    answer = await bench.answer(replace(OTTERS, wants_summary=False))
    assert answer.text == f"[1] Otters — {A} (2026-11-14)\n[2] Rivers — {B}"
    assert sources(answer) == [A, B]
    assert bench.steps == ["search: asking serper"]


async def test_nothing_found_is_an_answer_that_says_so() -> None:
    answer = await Bench(Found(())).answer()
    assert answer == CitedAnswer("Nothing was found for this question. Rephrase it.", (), EXTRACTIVE)


@each_row(
    ("published", "is_recent"),
    [
        ("2026-11-14T11:59:00+00:00", False),
        ("2026-11-14T12:01:00+00:00", True),
        ("2026-11-14T13:01:00+02:00", False),
        ("2026-11-14T12:01:00", True),
        ("2026-11-14T12:01:00Z", True),
        ("2026-11-14", True),
        ("2026-11-13", False),
        ("last Tuesday", True),
        ("", True),
    ],
)
async def test_pages_that_are_known_to_be_older_are_dropped(published: str, is_recent: bool) -> None:
    answer = await Bench(hits(A), facts={A: dated(published)}).answer(replace(OTTERS, freshness_hours=24))
    assert sources(answer) == ([A] if is_recent else [])


@pytest.mark.parametrize("wants_summary", [True, False])
async def test_an_answer_says_that_older_pages_were_left_out(wants_summary: bool) -> None:
    found = Found((Hit("Otters", A, published="2020-01-01"), Hit("Rivers", B, published="2021-01-01")))
    question = replace(OTTERS, freshness_hours=24, wants_summary=wants_summary)
    answer = await Bench(found).answer(question)
    assert (answer.text, answer.too_old) == ("Nothing of the last 24 hours was found; 2 older pages were left out.", 2)


async def test_a_date_that_is_only_guessed_drops_no_page() -> None:
    bench = Bench(hits(A), facts={A: dated("2020-01-01", "low")})
    answer = await bench.answer(replace(OTTERS, freshness_hours=24))
    assert answer.text.endswith(f"[1] Otters — {A}")


async def test_of_two_dates_the_later_one_counts() -> None:
    found = Found((Hit("Otters", A, published="2026-11-15"),))
    answer = await Bench(found, facts={A: dated("2020-01-01")}).answer(replace(OTTERS, freshness_hours=24))
    assert answer.text.endswith(f"[1] Otters — {A} (2026-11-15)")


async def test_sources_alone_are_read_where_their_age_counts() -> None:
    bench = Bench(hits(A, B), facts={A: dated("2020-01-01")})
    answer = await bench.answer(replace(OTTERS, freshness_hours=24, wants_summary=False))
    assert sources(answer) == [B]


async def test_without_a_search_provider_there_is_no_answer() -> None:
    with pytest.raises(NoProvider):
        await Bench(Unavailable("serper"), has_searcher=False).answer()
