"""Scrape APIs first: every failure moves on with a warning, a private address is told to nobody, direct is last."""

import pytest

from dowse.core import errors
from dowse.core.errors import PageUnreadable, ProviderError
from dowse.core.models import Attempt, Clock, Deadline, Page, Status
from dowse.core.runtime import SystemClock
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.reading import Everybody, reading
from tests.fakes.scripted import HANGS, ScriptedFetcher, ScriptedReader
from tests.support.tables import each_row

URL = "https://example.org/page"
PRIVATE = "http://wiki.internal/"


class Discreet(Everybody):
    """Knows one private place, and tidies the others up."""

    async def for_others(self, url: str) -> str:
        return "" if url == PRIVATE else f"{url}?tidy"


class Bench:
    """A read flow with scripted APIs in front of a scripted web."""

    def __init__(
        self,
        *readers: ScriptedReader,
        pages: dict[str, str | Exception] | None = None,
        clock: Clock | None = None,
        page_timeout_s: float = 10.0,
    ) -> None:
        self.clock = clock or FakeClock()
        self.observer = RecordingObserver()
        self.fetcher = ScriptedFetcher(pages or {})
        self.readers = readers
        self.flow = reading(
            self.fetcher,
            clock=self.clock,
            observer=self.observer,
            apis=readers,
            apis_first=True,
            discretion=Discreet(),
            page_timeout_s=page_timeout_s,
        )

    async def read(self, url: str = URL, deadline_s: float = 50.0) -> Page:
        return await self.flow.read(url, Deadline.after(self.clock, deadline_s))


async def test_the_first_reader_that_answers_is_the_engine_and_no_other_is_asked() -> None:
    bench = Bench(ScriptedReader("# Text", "a", title="T"), ScriptedReader("other", "b"), pages={URL: "direct"})
    assert await bench.read() == Page(
        url=URL,
        status=Status.OK,
        text="# Text",
        title="T",
        final_url=URL,
        engine="a",
        word_count=2,
        attempts=(Attempt("a", "read", "ok", 0),),
    )
    assert [reader.asked for reader in bench.readers] == [[f"{URL}?tidy"], []]
    assert bench.fetcher.asked == []
    assert bench.observer.fetches == [("a", URL, "ok")]
    assert bench.observer.failed == []


KINDS = [*errors.Transient.__subclasses__(), *errors.Refused.__subclasses__()]


@each_row("kind", KINDS)
async def test_every_failure_moves_on_with_a_warning(kind: type[ProviderError]) -> None:
    failure = kind("a", "why")
    bench = Bench(ScriptedReader(failure, "a"), ScriptedReader("Text", "b"))
    page = await bench.read()
    assert (page.text, page.engine, page.warnings) == ("Text", "b", (str(failure),))
    assert page.attempts == (Attempt("a", "read", kind.code, 0, "why"), Attempt("b", "read", "ok", 0))


@each_row("kind", KINDS)
async def test_after_the_last_reader_comes_direct_and_none_is_asked_twice(kind: type[ProviderError]) -> None:
    bench = Bench(ScriptedReader(kind("a"), "a"), ScriptedReader(kind("b"), "b"), pages={URL: "Direct text"})
    page = await bench.read()
    assert (page.status, page.engine, page.text) == (Status.OK, "direct", "Direct text")
    assert [(attempt.provider, attempt.outcome) for attempt in page.attempts] == [
        ("a", kind.code),
        ("b", kind.code),
        ("direct", "ok"),
    ]
    assert len(page.warnings) == 2
    assert [len(reader.asked) for reader in bench.readers] == [1, 1]
    assert bench.observer.fetches == [("direct", URL, "ok")]


async def test_when_direct_fails_too_its_status_is_the_pages() -> None:
    gone = PageUnreadable(Status.NOT_FOUND, http_status=404)
    bench = Bench(ScriptedReader(errors.TimedOut("a"), "a"), pages={URL: gone})
    page = await bench.read()
    assert (page.status, page.engine, page.http_status) == (Status.NOT_FOUND, "direct", 404)
    assert [attempt.outcome for attempt in page.attempts] == ["timeout", "not_found"]
    assert bench.observer.failed == [("a", "read", "timeout"), ("direct", "read", "not_found")]
    assert bench.observer.fetches == []


async def test_a_private_address_is_read_directly_and_not_disclosed() -> None:
    bench = Bench(ScriptedReader("Text", "a"), pages={PRIVATE: "Inner text"})
    page = await bench.read(PRIVATE)
    assert (page.text, page.engine) == ("Inner text", "direct")
    assert page.attempts == (Attempt("direct", "read", "ok", 0),)
    assert page.warnings == ()
    assert bench.readers[0].asked == []


async def test_a_page_that_was_cut_is_truncated() -> None:
    assert (await Bench(ScriptedReader("Text", "a", is_cut=True)).read()).status is Status.TRUNCATED


async def test_five_failures_open_a_readers_breaker_and_direct_reads_on(clock: FakeClock) -> None:
    bench = Bench(ScriptedReader(errors.Unavailable("a"), "a"), pages={URL: "Direct text"}, clock=clock)
    for _ in range(6):
        page = await bench.read()
    assert len(bench.readers[0].asked) == 5
    assert [attempt.outcome for attempt in page.attempts] == ["skipped", "ok"]
    assert page.warnings == ("a was not asked: breaker open, next try in 30 s",)
    clock.advance(30)
    await bench.read()
    assert len(bench.readers[0].asked) == 6


@pytest.mark.parametrize("kind", [errors.NotRead, errors.KeyRejected, errors.BadRequest])
async def test_what_says_nothing_about_a_readers_health_does_not_open_its_breaker(kind: type[ProviderError]) -> None:
    bench = Bench(ScriptedReader(kind("a"), "a"), pages={URL: "Direct text"})
    for _ in range(20):
        await bench.read()
    assert len(bench.readers[0].asked) == 20
    assert bench.observer.changes == []


@pytest.mark.parametrize(("deadline_s", "first_s"), [(100.0, 15.0), (53.0, 13.25), (8.0, 2.0)])
async def test_readers_share_what_direct_does_not_need(deadline_s: float, first_s: float) -> None:
    """Everybody has their time where there is enough of it; in a hurry all four have equal shares."""
    failing = [ScriptedReader(errors.Unavailable(name), name) for name in "abc"]
    await Bench(*failing, pages={URL: "x"}).read(deadline_s=deadline_s)
    assert failing[0].given_s == [pytest.approx(first_s)]


async def test_readers_that_hang_leave_direct_its_turn() -> None:
    hanging = [ScriptedReader(HANGS, name) for name in "abc"]
    bench = Bench(*hanging, pages={URL: "Direct text"}, clock=SystemClock())
    page = await bench.read(deadline_s=0.4)
    assert (page.engine, page.text) == ("direct", "Direct text")
    assert [attempt.outcome for attempt in page.attempts] == ["timeout", "timeout", "timeout", "ok"]


async def test_the_time_for_one_page_is_direct_readings_alone() -> None:
    clock = FakeClock()
    slow = ScriptedReader("Text", "a", takes_s=8.0, clock=clock)
    page = await Bench(slow, clock=clock, page_timeout_s=1.0).read()
    assert (page.text, page.fetch_ms, page.attempts[0].ms) == ("Text", 8000, 8000)


async def test_direct_is_timed_from_its_own_start() -> None:
    clock = FakeClock()
    slow = ScriptedReader(errors.TimedOut("a"), "a", takes_s=8.0, clock=clock)
    page = await Bench(slow, pages={URL: "Direct text"}, clock=clock).read()
    assert (page.fetch_ms, [attempt.ms for attempt in page.attempts]) == (8000, [8000, 0])


async def test_attempts_are_kept_when_time_runs_out_during_direct() -> None:
    bench = Bench(ScriptedReader(errors.Unavailable("a"), "a"), pages={URL: HANGS}, clock=SystemClock())
    page = await bench.read(deadline_s=0.5)
    assert page.status is Status.TIMEOUT
    assert [(each.provider, each.outcome) for each in page.attempts] == [("a", "unavailable"), ("direct", "timeout")]
