"""What is remembered between calls: fresh, stale while somebody looks again, stale when nothing else can be had."""

from __future__ import annotations

import asyncio

import pytest

from dowse.cache.entries import RECENT_S, PageLifetimes, Sealed, SearchLifetimes
from dowse.core.errors import AllProvidersFailed, KeyRejected, PageUnreadable, Unavailable
from dowse.core.models import (
    Body,
    Category,
    Deadline,
    Found,
    Onward,
    Page,
    Query,
    SearchOutcome,
    Status,
    Text,
    TimeRange,
    Validators,
)
from dowse.core.protocols import Robots, SearchProvider
from dowse.flows.find import Finder
from dowse.flows.read import content_hash
from dowse.flows.search import SearchFlow
from dowse.providers.disclosure import Disclosure
from dowse.rank.sources import SiteRules
from dowse.routing.router import Router
from dowse.secrets.redact import Redactor
from dowse.secrets.requests import QueryScrubber
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Kept, Key
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.memory import PAGES, SEARCHES, remembering
from tests.fakes.reading import reading
from tests.fakes.scripted import PlainExtractor, ScriptedFetcher, ScriptedProvider, hits

pytestmark = pytest.mark.promise("stale-if-error")

A, B = "https://example.org/a", "https://example.org/b"
QUERY = Query("what is new", num_results=3)
DOWN = Unavailable("serper", "HTTP 500")


class Bench:
    """Flows over scripted parts that share a memory; `again` is another process on the same store."""

    def __init__(
        self,
        found: Found | Exception | None = None,
        pages: dict[str, str | Exception] | None = None,
        *,
        searches: SearchLifetimes = SEARCHES,
        lifetimes: PageLifetimes = PAGES,
        robots: Robots | None = None,
        store: MemoryStore | None = None,
        clock: FakeClock | None = None,
        refreshes: bool = True,
    ) -> None:
        self.clock, self.observer = clock or FakeClock(), RecordingObserver()
        self.store = store or MemoryStore(self.clock, 10_000_000)
        self.provider = ScriptedProvider(hits(A) if found is None else found)
        self.fetcher = ScriptedFetcher(pages if pages is not None else {A: "text of a", B: "text of b"})
        self.memory = remembering(self.clock, store=self.store, observer=self.observer, refreshes=refreshes)
        self.reader = reading(
            self.fetcher,
            clock=self.clock,
            observer=self.observer,
            robots=robots,
            memory=self.memory,
            lifetimes=lifetimes,
        )
        router = Router[SearchProvider]("search", clock=self.clock, observer=self.observer)
        self.flow = SearchFlow(
            Finder(router, [self.provider], self.memory, searches, clock=self.clock),
            self.reader,
            PlainExtractor(),
            SiteRules(),
            clock=self.clock,
            observer=self.observer,
            scrubber=QueryScrubber(Redactor(()), "mask"),
            disclosures=Disclosure(),
        )

    async def search(self, query: Query = QUERY, *, fetch_content: bool = False) -> SearchOutcome:
        outcome = await self.flow.search(query, Deadline.after(self.clock, 50), fetch_content=fetch_content)
        await self.settled()
        return outcome

    async def read(self, url: str = A, *, for_search: bool = False) -> Page:
        page = await self.reader.read(url, Deadline.after(self.clock, 50), for_search=for_search)
        await self.settled()
        return page

    async def settled(self) -> None:
        """Until everything behind the answer is done."""
        while tasks := {*self.memory._flights._tasks.values(), *self.memory._background.tasks}:
            await asyncio.wait(tasks)


def state(answer: SearchOutcome | Page) -> tuple[str, float]:
    return answer.freshness.state.value, answer.freshness.age_s


# Searches


async def test_a_search_that_was_made_a_moment_ago_is_not_made_again() -> None:
    bench = Bench()
    first = await bench.search()
    bench.clock.advance(299)
    second = await bench.search()
    assert len(bench.provider.asked) == 1
    assert (state(first), state(second)) == (("miss", 0), ("hit", 299))
    assert [result.hit for result in first.results] == [result.hit for result in second.results]
    assert second.engine == "serper"
    assert [(attempt.provider, attempt.outcome) for attempt in second.attempts] == [("cache", "ok")]
    assert bench.observer.cache == [("search", "miss"), ("search", "hit")]


@pytest.mark.parametrize(
    "query", [Query("x", category=Category.NEWS), Query("x", time_range=TimeRange.DAY)], ids=["news", "day"]
)
async def test_what_is_asked_to_be_recent_is_fresh_for_a_minute(query: Query) -> None:
    bench = Bench()
    await bench.search(query)
    bench.clock.advance(59)
    assert state(await bench.search(query)) == ("hit", 59)
    bench.clock.advance(1)
    assert state(await bench.search(query)) == ("stale", 60)


async def test_any_difference_in_what_is_asked_is_another_search() -> None:
    bench = Bench()
    for query in (
        QUERY,
        Query("what is new", num_results=4),
        Query("what is new", language="en"),
        Query("What is new"),
    ):
        assert state(await bench.search(query))[0] == "miss"


async def test_results_that_are_a_little_old_are_served_while_newer_ones_are_fetched() -> None:
    bench = Bench()
    await bench.search()
    bench.clock.advance(301)
    bench.provider.found = hits(B)
    assert [result.hit.url for result in (await bench.search()).results] == [A]
    newer = await bench.search()
    assert ([result.hit.url for result in newer.results], state(newer)) == ([B], ("hit", 0))
    assert len(bench.provider.asked) == 2


async def test_results_that_are_older_are_looked_for_again() -> None:
    bench = Bench()
    await bench.search()
    bench.clock.advance(601)
    assert state(await bench.search()) == ("miss", 0)


async def test_old_results_are_served_when_every_provider_is_down() -> None:
    bench = Bench()
    await bench.search()
    bench.clock.advance(86_399)
    bench.provider.found = DOWN
    outcome = await bench.search()
    assert state(outcome) == ("stale", 86_399)
    assert [result.hit.url for result in outcome.results] == [A]
    assert [(attempt.provider, attempt.outcome) for attempt in outcome.attempts][::2] == [
        ("serper", "unavailable"),
        ("cache", "ok"),
    ]
    bench.clock.advance(1)
    with pytest.raises(AllProvidersFailed):
        await bench.search()


async def test_a_rejected_key_is_not_hidden_behind_old_results() -> None:
    bench = Bench()
    await bench.search()
    bench.clock.advance(1000)
    bench.provider.found = KeyRejected("serper", "HTTP 401")
    with pytest.raises(AllProvidersFailed, match="rejected its key"):
        await bench.search()


async def test_a_failed_search_is_not_remembered() -> None:
    bench = Bench(DOWN)
    with pytest.raises(AllProvidersFailed):
        await bench.search()
    bench.provider.found = hits(A)
    assert state(await bench.search()) == ("miss", 0)


async def test_nothing_found_is_remembered_for_half_a_minute_and_never_stale() -> None:
    bench = Bench(Found(()))
    await bench.search()
    bench.clock.advance(29)
    assert state(await bench.search()) == ("hit", 29)
    bench.clock.advance(1)
    bench.provider.found = DOWN
    with pytest.raises(AllProvidersFailed):
        await bench.search()


async def test_a_time_of_zero_keeps_nothing() -> None:
    bench = Bench(searches=SearchLifetimes(0, 0, 30, 86_400))
    await bench.search()
    assert state(await bench.search()) == ("miss", 0)
    assert (await bench.store.usage()).entries == {}


async def test_the_cache_outlives_the_process() -> None:
    bench = Bench()
    await bench.search(fetch_content=True)
    other = Bench(DOWN, {}, store=bench.store, clock=bench.clock)
    outcome = await other.search(fetch_content=True)
    assert state(outcome) == ("hit", 0)
    assert [result.page.text for result in outcome.results] == ["text of a"]


async def test_what_was_put_in_place_of_an_entry_is_a_miss() -> None:
    bench = Bench()
    await bench.search()
    (key,) = bench.store._entries
    sealed = Sealed("search", "something else")
    *intact, last = (await kept(bench, key)).value
    for forged in (b"", b"{}", b"\x80\x04.", sealed.wrap(b"{}"), bytes((*intact, last ^ 1))):
        await bench.store.put(key, forged, 1000)
        bench.clock.advance(RECENT_S)
        assert state(await bench.search()) == ("miss", 0)


async def kept(bench: Bench, key: Key) -> Kept:
    found = await bench.store.get(key)
    assert found is not None
    return found


async def test_a_hundred_identical_searches_at_once_are_one() -> None:
    bench = Bench()
    outcomes = await asyncio.gather(*[bench.search(fetch_content=True) for _ in range(100)])
    assert len(bench.provider.asked) == 1
    assert bench.fetcher.asked == [A]
    assert {outcome.results[0].page.text for outcome in outcomes} == {"text of a"}


# Pages


async def test_a_page_is_fresh_for_an_hour() -> None:
    bench = Bench()
    first = await bench.read()
    bench.clock.advance(3599)
    second = await bench.read()
    assert (state(first), state(second)) == (("miss", 0), ("hit", 3599))
    assert second.text == first.text == "text of a"
    assert second.engine == "direct"
    assert bench.fetcher.asked == [A]


async def test_a_page_that_is_down_is_served_as_it_was() -> None:
    bench = Bench()
    await bench.read()
    bench.clock.advance(10_000)
    bench.fetcher.pages = {A: PageUnreadable(Status.TIMEOUT)}
    assert (await bench.read()).text == "text of a"
    again = await bench.read()
    assert state(again) == ("stale", 10_000)
    assert bench.fetcher.asked == [A, A], "the failure is remembered as well"


GONE = {
    "404": PageUnreadable(Status.NOT_FOUND),
    "451": PageUnreadable(Status.BLOCKED, "HTTP 451", Onward.NONE),
    "login": PageUnreadable(Status.LOGIN_REQUIRED),
    "denied": PageUnreadable(Status.DENIED),
    "unsupported": PageUnreadable(Status.UNSUPPORTED),
}


@pytest.mark.parametrize("why", GONE.values(), ids=GONE)
async def test_a_page_that_is_gone_is_not_served_as_it_was_not_even_at_the_next_outage(why: PageUnreadable) -> None:
    bench = Bench()
    await bench.read()
    bench.clock.advance(10_000)
    bench.fetcher.pages = {A: why}
    assert (await bench.read()).status is why.status
    bench.clock.advance(100)
    bench.fetcher.pages = {A: PageUnreadable(Status.TIMEOUT)}
    assert (await bench.read()).status is Status.TIMEOUT


async def test_a_page_that_turns_out_to_be_gone_while_it_is_served_is_not_served_again() -> None:
    bench = Bench()
    await bench.read()
    bench.clock.advance(3700)
    bench.fetcher.pages = {A: PageUnreadable(Status.NOT_FOUND)}
    assert state(await bench.read()) == ("stale", 3700)
    assert (await bench.read()).status is Status.NOT_FOUND


async def test_a_key_that_turns_out_to_be_rejected_while_old_results_are_served_is_told_next() -> None:
    bench = Bench()
    await bench.search()
    bench.clock.advance(301)
    bench.provider.found = KeyRejected("serper", "HTTP 401")
    assert state(await bench.search()) == ("stale", 301)
    with pytest.raises(AllProvidersFailed, match="rejected its key"):
        await bench.search()


async def test_a_page_that_asks_for_no_copies_from_now_on_takes_the_old_one_along() -> None:
    bench = Bench()
    await bench.read()
    bench.clock.advance(10_000)
    bench.reader = reading(Shy(), clock=bench.clock, observer=bench.observer, memory=bench.memory, lifetimes=PAGES)
    assert (await bench.read()).text == "not for keeping"
    assert (await bench.store.usage()).entries == {}


class Shy:
    """A page that says `no-store`."""

    name = "direct"

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
        return Body(url, b"not for keeping", "text/plain", may_be_kept=False)


async def test_a_page_that_has_become_long_is_found_in_the_store() -> None:
    bench = Bench()
    await bench.read()
    bench.clock.advance(10_000)
    bench.fetcher.pages = {A: "long " * 100_000}
    await bench.read()
    assert state(await bench.read()) == ("hit", 0)


async def test_a_page_that_is_too_long_to_keep_takes_the_old_one_along() -> None:
    bench = Bench()
    await bench.read()
    bench.clock.advance(10_000)
    bench.fetcher.pages = {A: "long " * 900_000}
    await bench.read()
    assert (await bench.store.usage()).entries == {}


async def test_a_page_that_failed_for_want_of_time_is_tried_again_by_who_has_more() -> None:
    bench = Bench(pages={A: PageUnreadable(Status.TIMEOUT)})
    page = await bench.reader.read(A, Deadline.after(bench.clock, 3))
    await bench.settled()
    assert page.status is Status.TIMEOUT
    bench.fetcher.pages = {A: "there it is"}
    assert (await bench.read()).text == "there it is"


async def test_a_process_that_ends_with_its_answer_refreshes_before_it() -> None:
    bench = Bench()
    await bench.search()
    bench.clock.advance(301)
    brief = Bench(store=bench.store, clock=bench.clock, refreshes=False)
    assert state(await brief.search()) == ("miss", 0)


async def test_a_page_that_could_not_be_read_is_tried_again_after_half_a_minute() -> None:
    bench = Bench(pages={A: PageUnreadable(Status.BLOCKED, "HTTP 403")})
    first = await bench.read()
    bench.clock.advance(29)
    second = await bench.read()
    assert (first.status, second.status) == (Status.BLOCKED, Status.BLOCKED)
    assert (state(first), state(second)) == (("miss", 0), ("hit", 29))
    assert (second.engine, second.reason) == (first.engine, first.reason)
    bench.clock.advance(1)
    bench.fetcher.pages = {A: "there it is"}
    assert (await bench.read()).text == "there it is"


@pytest.mark.parametrize("status", [Status.DENIED, Status.ROBOTS])
async def test_what_is_decided_here_is_decided_anew(status: Status) -> None:
    bench = Bench(pages={A: PageUnreadable(status)})
    await bench.read()
    await bench.read()
    assert bench.fetcher.asked == [A, A]


class Site:
    """What a site's robots.txt allows, and whether it has said so yet."""

    def __init__(self, *, allowed: bool, heard: bool = True) -> None:
        self.allowed = allowed
        self.heard = heard

    async def allows(self, url: str) -> bool:
        return self.allowed

    def is_resolved(self, url: str) -> bool:
        return self.heard


async def test_what_a_person_had_read_is_not_handed_to_a_search_that_obeys_robots() -> None:
    bench = Bench(robots=Site(allowed=False))
    assert (await bench.read()).text == "text of a"
    assert (await bench.read(for_search=True)).status is Status.ROBOTS
    assert (await bench.read()).text == "text of a"


async def test_an_old_page_that_a_person_had_read_does_not_stand_in_for_one_that_robots_forbids() -> None:
    bench = Bench(robots=Site(allowed=False))
    await bench.read()
    bench.clock.advance(10_000)
    bench.fetcher.pages = {A: PageUnreadable(Status.TIMEOUT)}
    assert (await bench.read(for_search=True)).status is Status.ROBOTS
    assert (await bench.read()).text == "text of a"


async def test_an_old_page_does_not_stand_in_for_one_of_which_robots_has_not_spoken_yet() -> None:
    bench = Bench(robots=Site(allowed=True, heard=False))
    await bench.read()
    bench.clock.advance(10_000)
    bench.fetcher.pages = {A: PageUnreadable(Status.TIMEOUT)}
    assert (await bench.read(for_search=True)).status is Status.TIMEOUT
    assert (await bench.read()).text == "text of a"


async def test_a_page_that_was_read_before_robots_had_answered_is_asked_about_again() -> None:
    site = Site(allowed=True, heard=False)
    bench = Bench(robots=site)
    assert (await bench.read(for_search=True)).text == "text of a"
    site.allowed, site.heard = False, True
    assert (await bench.read(for_search=True)).status is Status.ROBOTS


async def test_a_page_that_was_read_before_robots_had_answered_is_there_once_it_has_allowed_it() -> None:
    site = Site(allowed=True, heard=False)
    bench = Bench(robots=site)
    await bench.read(for_search=True)
    assert state(await bench.read(for_search=True)) == ("miss", 0)
    site.heard = True
    bench.clock.advance(60)
    assert state(await bench.read(for_search=True)) == ("hit", 60)
    assert bench.fetcher.asked == [A, A]


async def test_who_heeds_robots_does_not_get_a_page_that_another_call_is_reading() -> None:
    bench = Bench(robots=Site(allowed=False))
    pages = await asyncio.gather(bench.read(), bench.read(for_search=True), bench.read(f"{A} obeying robots.txt"))
    assert [page.status for page in pages] == [Status.OK, Status.ROBOTS, Status.NOT_FOUND]


async def test_what_a_search_has_read_is_there_for_every_caller() -> None:
    bench = Bench()
    await bench.read(for_search=True)
    assert state(await bench.read()) == ("hit", 0)


class Revising:
    """A page with a version, which says when it is still the same."""

    name = "direct"

    def __init__(self) -> None:
        self.version = 1
        self.sent: list[bytes] = []

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
        validators = Validators(etag=f'"{self.version}"')
        if known and known.validators == validators:
            return Body(url, b"", "", validators=validators, is_unchanged=True)
        self.sent.append(f"version {self.version}".encode())
        return Body(url, self.sent[-1], "text/plain", validators=validators)


async def test_an_old_page_that_has_not_changed_is_not_sent_again_and_fresh_again() -> None:
    bench, site = Bench(), Revising()
    bench.reader = reading(site, clock=bench.clock, observer=bench.observer, memory=bench.memory, lifetimes=PAGES)
    await bench.read()
    bench.clock.advance(10_000)
    assert ((await bench.read()).text, len(site.sent)) == ("version 1", 1)
    bench.clock.advance(3599)
    assert state(await bench.read()) == ("hit", 3599)
    bench.clock.advance(10_000)
    site.version = 2
    assert ((await bench.read()).text, len(site.sent)) == ("version 2", 2)


async def test_a_text_that_was_begun_is_kept_whatever_becomes_of_the_page() -> None:
    bench = Bench()
    page = await bench.read()
    digest = await bench.reader.keep(page)
    bench.fetcher.pages = {A: "another text"}
    bench.clock.advance(10_000)
    assert (await bench.read()).text == "another text"
    kept_page = await bench.reader.recall(A, digest)
    assert kept_page is not None
    assert (kept_page.text, state(kept_page)) == ("text of a", ("stale", 10_000))
    assert ("text", "stale") in bench.observer.cache
    assert bench.observer.fetches[-1] == ("direct", A, "ok")
    assert await bench.reader.recall(B, digest) is None, "a cursor belongs to its address"
    assert await bench.reader.recall(A, content_hash("no such text")) is None


async def test_a_text_that_is_kept_is_as_old_as_the_page_it_was_taken_from_and_ends_with_it() -> None:
    bench = Bench()
    await bench.read()
    bench.clock.advance(80_000)
    bench.fetcher.pages = {A: PageUnreadable(Status.TIMEOUT)}
    old = await bench.read()
    digest = await bench.reader.keep(old)
    await bench.reader.keep(old)
    kept_page = await bench.reader.recall(A, digest)
    assert kept_page is not None
    assert state(kept_page) == ("stale", 80_000)
    bench.clock.advance(6400)
    assert await bench.reader.recall(A, digest) is None


async def test_a_text_under_a_hash_that_is_not_its_own_is_not_believed() -> None:
    bench = Bench()
    page = await bench.read()
    digest = await bench.reader.keep(page)
    cache = bench.memory.entries
    kept_text = await cache.get("text", f"{digest} {A}")
    assert kept_text is not None
    await cache.put("text", f"{digest} {A}", kept_text.value.replace(b"text of a", b"text of b"), 1000)
    assert await bench.reader.recall(A, digest) is None


async def test_who_can_write_to_the_store_cannot_make_an_old_answer_look_new() -> None:
    bench = Bench()
    await bench.search()
    (key,) = bench.store._entries
    old = (await kept(bench, key)).value
    bench.clock.advance(86_000)
    await bench.store.put(key, old, 1000)
    bench.provider.found = DOWN
    assert state(await bench.search()) == ("stale", 86_000)
