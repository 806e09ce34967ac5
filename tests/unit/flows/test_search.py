"""A whole search over scripted parts: who is asked, what is read, how it is ordered and counted."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from dowse.core.digests import Digest, Source
from dowse.core.errors import (
    AllProvidersFailed,
    BadRequest,
    Blocked,
    NetworkFailed,
    NoInstance,
    NoProvider,
    Offline,
    PageUnreadable,
    ProviderError,
    Skipped,
    Unavailable,
    Unreachable,
)
from dowse.core.models import (
    Attempt,
    Category,
    Clock,
    Deadline,
    Depth,
    Found,
    Hit,
    Page,
    Query,
    SearchOutcome,
    Stats,
    Status,
)
from dowse.core.protocols import Extractor, SearchProvider
from dowse.core.runtime import SystemClock
from dowse.core.tokens import estimate_tokens
from dowse.flows.find import Finder
from dowse.flows.search import SearchFlow
from dowse.providers.disclosure import Disclosure
from dowse.rank.sources import SiteRules
from dowse.routing.fallback import FallbackPolicy
from dowse.routing.router import Router
from dowse.secrets.redact import Redactor
from dowse.secrets.requests import QueryScrubber
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.memory import NO_SEARCHES, remembering
from tests.fakes.reading import reading
from tests.fakes.scripted import HANGS, PlainExtractor, ScriptedFetcher, ScriptedProvider, hits

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
        blocked: tuple[str, ...] = (),
        extractor: Extractor | None = None,
        keyless: frozenset[str] = frozenset(),
    ) -> None:
        self.disclosure = Disclosure()
        self.clock = clock or FakeClock()
        self.observer = RecordingObserver()
        self.fetcher = ScriptedFetcher(pages or {})
        self.steps: list[str] = []
        reader = reading(self.fetcher, clock=self.clock, observer=self.observer)
        policy = FallbackPolicy(keyless=keyless)
        router = Router[SearchProvider]("search", clock=self.clock, observer=self.observer, policy=policy)
        memory = remembering(self.clock, observer=self.observer)
        self.flow = SearchFlow(
            Finder(router, providers, memory, NO_SEARCHES, clock=self.clock, keyless=keyless),
            reader,
            extractor or PlainExtractor(),
            SiteRules(block=blocked),
            clock=self.clock,
            observer=self.observer,
            scrubber=QueryScrubber(Redactor(()), "mask"),
            disclosures=self.disclosure,
            offline=offline,
        )

    async def search(
        self,
        query: Query = QUERY,
        *,
        deadline_s: float = 50.0,
        fetch_content: bool = True,
        offline: bool = False,
        depth: Depth = Depth.NORMAL,
        max_tokens: int = 0,
    ) -> SearchOutcome:
        async def progress(step: str) -> None:
            self.steps.append(step)

        return await self.flow.search(
            query,
            Deadline.after(self.clock, deadline_s),
            fetch_content=fetch_content,
            offline=offline,
            depth=depth,
            max_tokens=max_tokens,
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
    assert bench.steps == ["search: asking serper", "read 0 of 2 pages", "read 1 of 2 pages", "read 2 of 2 pages"]


async def test_unreadable_pages_come_last_and_the_others_keep_their_order() -> None:
    denied = PageUnreadable(Status.DENIED, "address not allowed")
    bench = Bench(ScriptedProvider(hits(A, B, C, "https://example.org/d")), pages={A: denied, B: "b", C: "c"})
    outcome = await bench.search(replace(QUERY, num_results=4))
    assert links(outcome) == [(B, "ok"), (C, "ok"), (A, "denied"), ("https://example.org/d", "not_found")]
    assert outcome.stats == Stats(pages_read=2, pages_failed=2)


@pytest.mark.promise("case-56")
@pytest.mark.parametrize("fetch_content", [True, False])
async def test_scores_start_at_one_and_fall_with_the_rank(fetch_content: bool) -> None:
    """Acceptance case 56."""
    outcome = await Bench(ScriptedProvider(hits(A, B, C)), pages={A: "a", B: "b", C: "c"}).search(
        fetch_content=fetch_content
    )
    assert [result.score for result in outcome.results] == [1.0, 0.909, 0.833]


async def test_duplicates_are_removed_and_read_once() -> None:
    found = hits(A, f"{A}?utm_source=x", B, f"{A}#part")
    bench = Bench(ScriptedProvider(found), pages={A: "a", B: "b"})
    assert links(await bench.search()) == [(A, "ok"), (B, "ok")]
    assert bench.fetcher.asked == [A, B]
    assert bench.observer.searches == [("serper", "what is new", 2)]


@pytest.mark.promise("case-38")
async def test_a_page_that_hangs_is_a_timeout_while_the_others_are_read() -> None:
    """Acceptance case 38: note within the budget, other results unaffected."""
    bench = Bench(ScriptedProvider(hits(A, B)), pages={A: HANGS, B: "b"}, clock=SystemClock())
    outcome = await bench.search(deadline_s=0.5)
    assert links(outcome) == [(B, "ok"), (A, "timeout")]
    assert outcome.stats.pages_failed == 1
    assert outcome.stats.total_ms >= 450


async def test_a_page_that_meets_a_bug_is_an_error_while_the_others_are_read() -> None:
    bench = Bench(ScriptedProvider(hits(A, B)), pages={A: RuntimeError("a bug"), B: "b"})
    outcome = await bench.search()
    assert links(outcome) == [(B, "ok"), (A, "error")]
    assert outcome.stats.pages_failed == 1


@pytest.mark.promise("case-57")
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


@pytest.mark.promise("case-33")
@pytest.mark.parametrize("by_setting", [True, False])
@pytest.mark.parametrize("providers", [0, 1])
async def test_offline_is_decided_first_and_no_provider_is_touched(by_setting: bool, providers: int) -> None:
    """Acceptance case 33."""
    provider = ScriptedProvider(hits(A))
    bench = Bench(*[provider] * providers, offline=by_setting)
    with pytest.raises(Offline, match="search unavailable: offline mode is enabled"):
        await bench.search(offline=not by_setting)
    assert (provider.asked, bench.steps) == ([], [])


@pytest.mark.promise("case-3")
async def test_without_a_provider_the_error_names_the_keys_that_would_help() -> None:
    """Acceptance case 3."""
    with pytest.raises(NoProvider) as caught:
        await Bench().search()
    for name in ("SERPER_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SEARXNG_URL"):
        assert name in str(caught.value)


STORY = " ".join(f"The harbour bridge number {n} was opened in {1900 + n} by the mayor of its town." for n in range(40))


async def test_pages_that_say_the_same_are_one_result_that_names_the_others() -> None:
    mirror = "https://mirror.example/copy"
    bench = Bench(ScriptedProvider(hits(A, mirror, B)), pages={A: STORY, mirror: STORY + " Copied.", B: "Otters swim."})
    outcome = await bench.search()
    assert links(outcome) == [(A, "ok"), (B, "ok")]
    assert [result.duplicates for result in outcome.results] == [(mirror,), ()]
    assert outcome.stats.pages_read == 3


async def test_near_duplicates_are_replaced_by_the_next_hits_so_that_three_results_are_three() -> None:
    mirrors = [f"https://mirror.example/{number}" for number in range(3)]
    found = hits(A, mirrors[0], mirrors[1], mirrors[2], B, C)
    provider = ScriptedProvider(Found(found.hits[:3], spare=found.hits[3:]))
    copies: dict[str, str | Exception] = dict.fromkeys(mirrors, STORY)
    bench = Bench(provider, pages={A: STORY, **copies, B: "Otters swim.", C: "Herons wade."})
    outcome = await bench.search()
    assert links(outcome) == [(A, "ok"), (B, "ok"), (C, "ok")]
    assert outcome.results[0].duplicates == tuple(mirrors)
    assert outcome.stats.pages_read == 6


async def test_spare_hits_are_not_read_where_no_near_duplicate_left_a_place() -> None:
    found = hits(A, B, C, "https://example.org/d")
    pages: dict[str, str | Exception] = {A: STORY, B: "Otters swim.", C: PageUnreadable(Status.BLOCKED)}
    bench = Bench(ScriptedProvider(Found(found.hits[:3], spare=found.hits[3:])), pages=pages)
    assert links(await bench.search()) == [(A, "ok"), (B, "ok"), (C, "blocked")]
    assert bench.fetcher.asked == [A, B, C]


async def test_a_page_that_has_nothing_to_do_with_the_query_is_not_shown_whole() -> None:
    kettles = " ".join(f"Kettle {n} boils {n} litres of water in {n + 2} minutes." for n in range(40))
    bench = Bench(ScriptedProvider(hits(A, B)), pages={A: STORY, B: kettles})
    outcome = await bench.search(replace(QUERY, text="who opened the harbour bridge"), max_tokens=6000)
    right, wrong = outcome.results
    assert right.digest and (right.digest.text, right.remarks) == (STORY, ())
    assert wrong.digest and 10 < estimate_tokens(wrong.digest.text) <= 120
    assert wrong.remarks[-1:] == ("hardly a word of the query is on this page, so only its best lines are shown",)


async def test_a_page_that_says_nothing_comes_after_the_others_and_the_reason_is_told() -> None:
    spam = "Buy this domain. This domain is for sale! The domain example.org is for sale."
    outcome = await Bench(ScriptedProvider(hits(A, B)), pages={A: spam, B: STORY}).search()
    assert links(outcome) == [(B, "ok"), (A, "ok")]
    assert outcome.results[1].remarks[0].startswith("sorted down: ")


async def test_blocked_sites_are_left_out_and_that_is_said() -> None:
    bench = Bench(ScriptedProvider(hits(A, "https://bad.example/x")), pages={A: "a"}, blocked=("bad.example",))
    outcome = await bench.search()
    assert links(outcome) == [(A, "ok")]
    assert outcome.warnings == ("1 result was left out: its site is on the list DOWSE_BLOCK",)
    assert bench.fetcher.asked == [A]


async def test_what_is_shown_of_all_pages_stays_within_the_budget() -> None:
    pages: dict[str, str | Exception] = {A: STORY, B: "Nothing of that. " * 400}
    outcome = await Bench(ScriptedProvider(hits(A, B)), pages=pages).search(max_tokens=300)
    shown = [result.digest.text for result in outcome.results if result.digest]
    assert len(shown) == 2 and all(shown)
    assert sum(map(estimate_tokens, shown)) <= 300


async def test_a_wide_search_shows_as_many_results_as_were_asked_for_and_who_found_them() -> None:
    first, second = ScriptedProvider(hits(A, B, C)), ScriptedProvider(hits(C, "https://example.org/d"), name="tavily")
    outcome = await Bench(first, second).search(depth=Depth.WIDE, fetch_content=False)
    assert [result.hit.url for result in outcome.results] == [C, A, B]
    assert outcome.results[0].found_by == ("serper", "tavily")
    assert outcome.results[0].indexes == ("google", "tavily")
    assert outcome.providers == ("serper", "tavily")


async def test_without_time_for_passages_pages_are_shown_from_their_beginning() -> None:
    class Late(PlainExtractor):
        async def digest(
            self, question: str, sources: Sequence[Source], max_tokens: int, *, timeout_s: float, share: float = 1.0
        ) -> tuple[Digest, ...]:
            raise PageUnreadable(Status.TIMEOUT, "no worker was free in time")

    bench = Bench(ScriptedProvider(hits(A)), pages={A: STORY}, extractor=Late())
    outcome = await bench.search(max_tokens=100)
    digest = outcome.results[0].digest
    assert digest and STORY.startswith(digest.text) and estimate_tokens(digest.text) <= 100
    assert outcome.warnings == ("passage retrieval timed out; pages are shown from their beginning",)


async def test_pictures_are_not_read_as_pages() -> None:
    pictures = Found((Hit("A", A, image_url="https://img.example/a.jpg"), Hit("B", B)))
    bench = Bench(ScriptedProvider(pictures), pages={B: "text of b"})
    outcome = await bench.search()
    assert links(outcome) == [(A, "not_fetched"), (B, "ok")]
    assert bench.fetcher.asked == [B]


async def test_a_secret_in_the_query_reaches_no_provider_and_no_answer() -> None:
    provider = ScriptedProvider(hits(A))
    bench = Bench(provider, pages={A: "text"})
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    outcome = await bench.flow.search(Query(f"why is {secret} rejected"), Deadline.after(bench.clock, 50))
    assert secret not in f"{provider.asked} {outcome}"
    assert any("DOWSE_SCRUB" in warning for warning in outcome.warnings)


async def test_a_provider_that_knows_the_category_is_asked_before_one_that_would_drop_it() -> None:
    without = ScriptedProvider(hits(A), name="exa", categories=frozenset({Category.GENERAL}))
    knowing = ScriptedProvider(hits(B), name="searxng")
    bench = Bench(without, knowing)
    query = Query("cats", category=Category.VIDEOS)
    outcome = await bench.flow.search(query, Deadline.after(bench.clock, 50), fetch_content=False)
    assert (outcome.engine, without.asked) == ("searxng", [])
    assert (await bench.search(fetch_content=False)).engine == "exa"


async def test_if_volunteers_were_all_there_is_the_error_says_what_to_set() -> None:
    members = [ScriptedProvider(BadRequest(name), name=name) for name in ("tavily_keyless", "exa_mcp")]
    bench = Bench(*members, keyless=frozenset({"tavily_keyless", "exa_mcp"}))
    with pytest.raises(AllProvidersFailed) as caught:
        await bench.search()
    assert [attempt.provider for attempt in caught.value.attempts] == ["tavily_keyless", "exa_mcp"]
    assert "SERPER_API_KEY or TAVILY_API_KEY" in str(caught.value)


async def test_a_receiver_of_a_query_that_was_not_chosen_is_named_once() -> None:
    class Volunteer(ScriptedProvider):
        async def search(self, query: Query, deadline: Deadline) -> Found:
            bench.disclosure.tell("Exa (mcp.exa.ai)", self.name)
            return await super().search(query, deadline)

    bench = Bench(Volunteer(hits(A), name="exa_mcp"), keyless=frozenset({"exa_mcp"}))
    first, second = [await bench.search(fetch_content=False) for _ in range(2)]
    assert [warning for warning in first.warnings if "Exa (mcp.exa.ai)" in warning and "DOWSE_KEYLESS" in warning]
    assert second.warnings == ()


async def test_volunteers_step_in_after_all_that_were_chosen_whatever_they_know() -> None:
    chosen = ScriptedProvider(Unavailable("exa"), name="exa", categories=frozenset({Category.GENERAL}))
    bench = Bench(ScriptedProvider(hits(A), name="open"), chosen, keyless=frozenset({"open"}))
    query = Query("cats", category=Category.NEWS)
    outcome = await bench.flow.search(query, Deadline.after(bench.clock, 50), fetch_content=False)
    assert [attempt.provider for attempt in outcome.attempts] == ["exa", "open"]


# No network at all

CHECK = "Check the network of this server, and DOWSE_PROXY if it needs a proxy."


async def failure_of(*errors: ProviderError, keyless: bool = True) -> AllProvidersFailed:
    names = frozenset(error.provider for error in errors)
    providers = [ScriptedProvider(error, name=error.provider) for error in errors]
    bench = Bench(*providers, keyless=names if keyless else frozenset())
    with pytest.raises(AllProvidersFailed) as failed:
        await bench.search()
    return failed.value


@pytest.mark.parametrize("reason", ["host not found", "no connection", "DOWSE_PROXY: no connection to the proxy"])
async def test_without_a_network_the_error_is_about_that_and_proxies_not_about_a_key(reason: str) -> None:
    others = [Skipped("open", "asked for a pause"), NoInstance("pool", "the list could not be fetched")]
    failed = await failure_of(Unreachable("one", reason), Unreachable("two", reason), *others)
    assert str(failed) == f"Nothing could be reached ({reason}). {CHECK}"
    assert [attempt.provider for attempt in failed.attempts][:4] == ["one", "two", "open", "pool"]


async def test_a_single_provider_that_cannot_be_reached_is_named() -> None:
    failed = await failure_of(Unreachable("serper", "host not found"), keyless=False)
    assert str(failed) == f"serper could not be reached: host not found. {CHECK}"


@pytest.mark.parametrize("answered", [Blocked("two", "HTTP 403"), NetworkFailed("two", "the answer broke off")])
async def test_a_provider_that_answered_shows_that_there_is_a_network(answered: ProviderError) -> None:
    failed = await failure_of(Unreachable("one", "no connection"), answered)
    assert CHECK not in str(failed)
    assert "Set SERPER_API_KEY" in str(failed)


async def test_after_open_breakers_no_key_is_asked_for() -> None:
    failed = await failure_of(Skipped("one", "its breaker is open"), Skipped("two", "its breaker is open"))
    assert "SERPER_API_KEY" not in str(failed)
