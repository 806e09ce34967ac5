"""A whole search over scripted parts: who is asked, what is read, how it is ordered and counted."""

import pytest

from dowse.clock import SystemClock
from dowse.errors import AllProvidersFailed, NoProvider, Offline, PageUnreadable, Unavailable
from dowse.flows.search import SearchFlow
from dowse.interfaces import SearchProvider
from dowse.models import Attempt, Clock, Deadline, Found, Hit, Page, Query, SearchOutcome, Stats, Status
from dowse.routing.router import Router
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.memory import NO_SEARCHES, remembering
from tests.fakes.reading import reading
from tests.fakes.scripted import HANGS, ScriptedFetcher, ScriptedProvider, hits

A, B, C = (f"https://example.org/{name}" for name in "abc")
QUERY = Query("what is new", num_results=3)


class Bench:
    """A flow over scripted providers and pages."""

    def __init__(
        self,
        *providers: ScriptedProvider,
        pages: dict[str, str | Exception] | None = None,
        clock: Clock | None = None,
        offline: bool = False,
    ) -> None:
        self.clock = clock or FakeClock()
        self.observer = RecordingObserver()
        self.fetcher = ScriptedFetcher(pages or {})
        self.steps: list[str] = []
        reader = reading(self.fetcher, clock=self.clock, observer=self.observer)
        router = Router[SearchProvider]("search", providers, clock=self.clock, observer=self.observer)
        memory = remembering(self.clock, observer=self.observer)
        self.flow = SearchFlow(
            router, reader, memory, NO_SEARCHES, clock=self.clock, observer=self.observer, offline=offline
        )

    async def search(
        self, *, deadline_s: float = 50.0, fetch_content: bool = True, offline: bool = False
    ) -> SearchOutcome:
        async def progress(step: str) -> None:
            self.steps.append(step)

        return await self.flow.search(
            QUERY,
            Deadline.after(self.clock, deadline_s),
            fetch_content=fetch_content,
            offline=offline,
            progress=progress,
        )


def links(outcome: SearchOutcome) -> list[tuple[str, str]]:
    return [(result.hit.url, result.page.status.value) for result in outcome.results]


async def test_pages_are_found_read_and_counted() -> None:
    bench = Bench(ScriptedProvider(hits(A, B)), pages={A: "text of a", B: "text of b"})
    outcome = await bench.search()
    assert links(outcome) == [(A, "ok"), (B, "ok")]
    assert [result.page.text for result in outcome.results] == ["text of a", "text of b"]
    assert (outcome.query, outcome.engine) == (QUERY, "serper")
    assert outcome.attempts == (Attempt("serper", "search", "ok", 0),)
    assert outcome.stats == Stats(pages_read=2)
    assert bench.observer.searches == [("serper", "what is new", 2)]


async def test_progress_names_the_provider_and_counts_the_pages() -> None:
    bench = Bench(ScriptedProvider(hits(A, B)), pages={A: "a", B: "b"})
    await bench.search()
    assert bench.steps == ["search: asking serper", "read 1 of 2 pages", "read 2 of 2 pages"]


async def test_unreadable_pages_come_last_and_the_others_keep_their_order() -> None:
    denied = PageUnreadable(Status.DENIED, "address not allowed")
    bench = Bench(ScriptedProvider(hits(A, B, C, "https://example.org/d")), pages={A: denied, B: "b", C: "c"})
    outcome = await bench.search()
    assert links(outcome) == [(B, "ok"), (C, "ok"), (A, "denied"), ("https://example.org/d", "not_found")]
    assert outcome.stats == Stats(pages_read=2, pages_failed=2)


async def test_scores_start_at_one_and_fall_with_the_rank() -> None:
    """Acceptance case 56."""
    outcome = await Bench(ScriptedProvider(hits(A, B, C)), pages={A: "a", B: "b", C: "c"}).search()
    assert [result.score for result in outcome.results] == [1.0, 0.909, 0.833]


async def test_duplicates_are_removed_and_read_once() -> None:
    found = hits(A, f"{A}?utm_source=x", B, f"{A}#part")
    bench = Bench(ScriptedProvider(found), pages={A: "a", B: "b"})
    assert links(await bench.search()) == [(A, "ok"), (B, "ok")]
    assert bench.fetcher.asked == [A, B]
    assert bench.observer.searches == [("serper", "what is new", 2)]


async def test_a_page_that_hangs_is_a_timeout_while_the_others_are_read() -> None:
    """Acceptance case 38: note within the budget, other results unaffected."""
    bench = Bench(ScriptedProvider(hits(A, B)), pages={A: HANGS, B: "b"}, clock=SystemClock())
    outcome = await bench.search(deadline_s=0.05)
    assert links(outcome) == [(B, "ok"), (A, "timeout")]
    assert outcome.stats.pages_failed == 1
    assert outcome.stats.total_ms >= 50


async def test_a_page_that_meets_a_bug_is_an_error_while_the_others_are_read() -> None:
    bench = Bench(ScriptedProvider(hits(A, B)), pages={A: RuntimeError("a bug"), B: "b"})
    outcome = await bench.search()
    assert links(outcome) == [(B, "ok"), (A, "error")]
    assert outcome.stats.pages_failed == 1


async def test_without_content_no_page_is_touched() -> None:
    """Acceptance case 57."""
    bench = Bench(ScriptedProvider(hits(A, B)), pages={A: "a", B: "b"})
    outcome = await bench.search(fetch_content=False)
    assert [result.page for result in outcome.results] == [
        Page(A, Status.NOT_FETCHED, final_url=A),
        Page(B, Status.NOT_FETCHED, final_url=B),
    ]
    assert outcome.stats == Stats()
    assert bench.fetcher.asked == []


@pytest.mark.parametrize(("fetch_content", "share_s"), [(True, 8.0), (False, 10.0)])
async def test_providers_never_get_the_time_that_reading_needs(fetch_content: bool, share_s: float) -> None:
    clock = FakeClock()
    late = clock.now() + share_s

    class Slow(ScriptedProvider):
        async def search(self, query: Query, deadline: Deadline) -> Found:
            clock.time = late
            raise Unavailable(self.name)

    second = ScriptedProvider(hits(A), name="tavily")
    bench = Bench(Slow(hits()), second, clock=clock)
    with pytest.raises(AllProvidersFailed, match="tavily skipped: no time was left"):
        await bench.search(deadline_s=10, fetch_content=fetch_content)
    assert second.asked == []


async def test_no_result_is_an_answer() -> None:
    second = ScriptedProvider(hits(A), name="tavily")
    outcome = await Bench(ScriptedProvider(hits()), second).search()
    assert (outcome.results, outcome.engine, second.asked) == ((), "serper", [])


async def test_answers_suggestions_and_warnings_of_the_provider_are_handed_on() -> None:
    found = Found((Hit("A", A),), ("42",), ("what is old",), ("it cannot filter by date",))
    outcome = await Bench(ScriptedProvider(found), pages={A: "a"}).search()
    assert (outcome.answers, outcome.suggestions, outcome.warnings) == (
        ("42",),
        ("what is old",),
        ("it cannot filter by date",),
    )


async def test_the_next_provider_is_asked_and_both_attempts_are_told() -> None:
    failed = ScriptedProvider(Unavailable("serper", "HTTP 500"))
    outcome = await Bench(failed, ScriptedProvider(hits(A), name="tavily"), pages={A: "a"}).search()
    assert outcome.engine == "tavily"
    assert [(attempt.provider, attempt.outcome) for attempt in outcome.attempts] == [
        ("serper", "unavailable"),
        ("tavily", "ok"),
    ]


@pytest.mark.parametrize("by_setting", [True, False])
@pytest.mark.parametrize("providers", [0, 1])
async def test_offline_is_decided_first_and_no_provider_is_touched(by_setting: bool, providers: int) -> None:
    """Acceptance case 33."""
    provider = ScriptedProvider(hits(A))
    bench = Bench(*[provider] * providers, offline=by_setting)
    with pytest.raises(Offline, match="search unavailable: offline mode is enabled"):
        await bench.search(offline=not by_setting)
    assert (provider.asked, bench.steps) == ([], [])


async def test_without_a_provider_the_error_names_the_keys_that_would_help() -> None:
    """Acceptance case 3."""
    with pytest.raises(NoProvider) as caught:
        await Bench().search()
    for name in ("SERPER_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SEARXNG_URL"):
        assert name in str(caught.value)
