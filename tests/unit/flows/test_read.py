"""Reading one page: text or a status, always within the deadline, never an exception but offline."""

import asyncio
import io
import json
from contextlib import nullcontext

import pytest

from dowse.cache import flights
from dowse.core.errors import Offline, PageUnreadable
from dowse.core.models import LOCAL, Attempt, Body, Clock, Deadline, Page, Principal, Status, Text
from dowse.core.protocols import Extractor, Fetcher
from dowse.core.reasons import FailureReason
from dowse.core.runtime import SystemClock
from dowse.secrets.redact import Redactor
from dowse.telemetry.log import configure
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.reading import reading
from tests.fakes.scripted import HANGS, PlainExtractor, ScriptedFetcher
from tests.support.tables import each_row

URL = "https://example.org/page"


class Bench:
    """A flow over a scripted web."""

    def __init__(
        self,
        pages: dict[str, str | Exception],
        *,
        clock: Clock | None = None,
        fetcher: Fetcher | None = None,
        extractor: Extractor | None = None,
        page_timeout_s: float = 10.0,
        max_concurrent: int = 8,
        offline: bool = False,
    ) -> None:
        self.clock = clock or FakeClock()
        self.observer = RecordingObserver()
        self.fetcher = ScriptedFetcher(pages)
        self.flow = reading(
            fetcher or self.fetcher,
            extractor=extractor,
            clock=self.clock,
            observer=self.observer,
            page_timeout_s=page_timeout_s,
            max_concurrent=max_concurrent,
            offline=offline,
        )

    async def read(self, url: str = URL, deadline_s: float = 50.0, caller: Principal = LOCAL) -> Page:
        return await self.flow.read(url, Deadline.after(self.clock, deadline_s), caller=caller)


async def test_a_page_is_its_text_title_and_one_attempt() -> None:
    bench = Bench({URL: "# A page\n\nIts text."})
    assert await bench.read() == Page(
        url=URL,
        status=Status.OK,
        text="# A page\n\nIts text.",
        title="A page",
        final_url=URL,
        engine="direct",
        word_count=5,
        attempts=(Attempt("direct", "read", "ok", 0),),
    )
    assert bench.observer.fetches == [("direct", URL, "ok")]
    assert bench.observer.failed == []


@each_row("status", [status for status in Status if not status.readable])
async def test_an_unreadable_page_is_a_status_and_a_reason(status: Status) -> None:
    failure = PageUnreadable(status, "why", reason=FailureReason.ACCESS_DENIED, http_status=403)
    bench = Bench({URL: failure})
    assert await bench.read() == Page(
        url=URL,
        status=status,
        final_url=URL,
        engine="direct",
        reason=FailureReason.ACCESS_DENIED,
        http_status=403,
        attempts=(Attempt("direct", "read", status.value, 0, "why"),),
    )
    assert bench.observer.failed == [("direct", "read", status.value)]
    assert (bench.observer.details, bench.observer.unread) == (["why"], [URL])
    assert bench.observer.fetches == []


async def test_text_that_cannot_be_made_is_a_status_too() -> None:
    class Broken:
        async def extract(self, body: Body, *, timeout_s: float) -> Text:
            raise PageUnreadable(Status.ERROR, reason=FailureReason.NO_READABLE_CONTENT)

    page = await Bench({URL: "x"}, extractor=Broken()).read()
    assert (page.status, page.reason, page.text) == (Status.ERROR, FailureReason.NO_READABLE_CONTENT, "")


@pytest.mark.parametrize("broken", ["fetcher", "extractor"])
async def test_a_bug_costs_the_page_and_is_logged(broken: str) -> None:
    """The other pages of a search must not pay for it, and the model must not read the exception."""

    class Broken:
        async def extract(self, body: Body, *, timeout_s: float) -> Text:
            raise RecursionError("a bug with internals")

    stream = io.StringIO()
    configure("info", Redactor(), stream)
    pages: dict[str, str | Exception] = {URL: RecursionError("a bug with internals") if broken == "fetcher" else "x"}
    bench = Bench(pages, extractor=Broken() if broken == "extractor" else None)
    assert await bench.read() == Page(
        url=URL,
        status=Status.ERROR,
        final_url=URL,
        engine="direct",
        attempts=(Attempt("direct", "read", "error", 0),),
    )
    assert bench.observer.failed == [("direct", "read", "error")]
    (line,) = stream.getvalue().splitlines()
    logged = json.loads(line)
    assert (logged["level"], logged["event"]) == ("error", "reading a page crashed")
    assert "RecursionError: a bug with internals" in logged["traceback"]


async def test_a_page_that_hangs_is_left_at_the_time_for_one_page() -> None:
    page = await Bench({URL: HANGS}, clock=SystemClock(), page_timeout_s=0.02).read()
    assert page.status is Status.TIMEOUT
    assert page.attempts[0].outcome == "timeout"
    assert page.fetch_ms >= 20


async def test_a_page_that_hangs_is_left_at_the_deadline_of_the_call() -> None:
    page = await Bench({URL: HANGS}, clock=SystemClock()).read(deadline_s=0.02)
    assert page.status is Status.TIMEOUT


async def test_after_the_deadline_nothing_is_waited_for() -> None:
    page = await Bench({URL: HANGS}).read(deadline_s=0)
    assert (page.status, page.fetch_ms) == (Status.TIMEOUT, 0)


async def test_a_page_that_waits_for_its_turn_until_the_deadline_is_a_timeout() -> None:
    other = "https://example.org/other"
    bench = Bench({URL: HANGS, other: "x"}, clock=SystemClock(), max_concurrent=1)
    first, second = await asyncio.gather(bench.read(deadline_s=0.3), bench.read(other, deadline_s=0.2))
    assert (first.status, second.status) == (Status.TIMEOUT, Status.TIMEOUT)
    assert bench.fetcher.asked == [URL]


async def test_the_turn_is_given_back_after_every_outcome() -> None:
    bench = Bench({URL: "x", "bad": PageUnreadable(Status.ERROR), "slow": HANGS}, max_concurrent=1, page_timeout_s=0.01)
    statuses = [(await bench.read(url)).status.value for url in ("bad", "slow", URL, URL)]
    assert statuses == ["error", "timeout", "ok", "ok"]


async def test_the_extractor_gets_the_time_that_fetching_left(clock: FakeClock) -> None:
    given: list[float] = []

    class Slow(ScriptedFetcher):
        async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
            given.append(timeout_s)
            clock.advance(4)
            return await super().fetch(url, timeout_s=timeout_s)

    class Listening(PlainExtractor):
        async def extract(self, body: Body, *, timeout_s: float) -> Text:
            given.append(timeout_s)
            return await super().extract(body, timeout_s=timeout_s)

    bench = Bench({}, clock=clock, fetcher=Slow({URL: "x"}), extractor=Listening())
    page = await bench.read()
    assert given == [10.0, 6.0]
    assert page.fetch_ms == 4000


@pytest.mark.parametrize("by_setting", [True, False])
async def test_offline_is_decided_before_anything_is_fetched(by_setting: bool) -> None:
    bench = Bench({URL: "x"}, offline=by_setting)
    with pytest.raises(Offline, match="scrape unavailable: offline mode is enabled"):
        await bench.flow.read(URL, Deadline.after(bench.clock, 50), offline=not by_setting)
    assert bench.fetcher.asked == []


async def test_cancelling_is_passed_on_and_gives_the_turn_back() -> None:
    bench = Bench({URL: HANGS, "next": "x"}, max_concurrent=1)
    task = asyncio.create_task(bench.read())
    for _ in range(10):  # a few turns of the loop until it is fetched
        await asyncio.sleep(0)
    assert bench.fetcher.asked == [URL]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await bench.read("next")).status is Status.OK


@pytest.mark.promise("case-39")
async def test_no_more_pages_are_in_flight_than_allowed() -> None:
    """Acceptance case 39: five pages, three at a time."""

    class Counting(ScriptedFetcher):
        in_flight = 0
        peak = 0

        async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
            self.in_flight += 1
            self.peak = max(self.peak, self.in_flight)
            for _ in range(20):  # enough turns of the loop for every other page to come along
                await asyncio.sleep(0)
            self.in_flight -= 1
            return await super().fetch(url, timeout_s=timeout_s)

    urls = [f"https://example.org/p{number}" for number in range(5)]
    fetcher = Counting({url: f"page {url}" for url in urls})
    bench = Bench({}, fetcher=fetcher, max_concurrent=3)
    pages = await asyncio.gather(*(bench.read(url) for url in urls))
    assert [page.text for page in pages] == [f"page {url}" for url in urls]
    assert fetcher.peak == 3


@pytest.mark.promise("fair-at-once")
async def test_a_caller_whose_pages_hang_does_not_keep_another_from_reading() -> None:
    slow = [f"https://example.org/slow{number}" for number in range(12)]
    bench = Bench({**dict.fromkeys(slow, HANGS), URL: "x"}, max_concurrent=4)
    hanging = [asyncio.create_task(bench.read(url, caller=Principal("ana"))) for url in slow]
    await asyncio.sleep(0)
    page = await asyncio.wait_for(bench.read(URL, caller=Principal("ben")), 30)
    assert page.text == "x"
    for each in hanging:
        each.cancel()
    await asyncio.gather(*hanging, return_exceptions=True)


async def settled() -> None:
    for _ in range(30):
        await asyncio.sleep(0)


SLOW = [f"https://example.org/slow{number}" for number in range(12)]


async def _read_a_page_that_another_caller_has_queued(bench: Bench) -> bool:
    """Whether the second caller gets the page; the first one gives up after it."""
    tasks = [asyncio.create_task(bench.read(url, caller=Principal("ana"))) for url in (*SLOW, URL)]
    await settled()
    assert bench.fetcher.asked == SLOW[:4], "the page waits behind the others of its caller"
    tasks.append(asyncio.create_task(bench.read(URL, caller=Principal("ben"))))
    await settled()
    is_read = all(task.done() and task.result().text == "x" for task in tasks[-2:])
    for each in tasks:
        each.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return is_read


@pytest.mark.promise("fair-flights")
async def test_a_page_that_waits_for_a_slot_of_one_caller_is_read_at_once_for_another_that_joins() -> None:
    bench = Bench({**dict.fromkeys(SLOW, HANGS), URL: "x"}, max_concurrent=4)
    assert await _read_a_page_that_another_caller_has_queued(bench)
    assert bench.fetcher.asked.count(URL) == 1, "for both"


async def test_a_page_that_waits_for_its_first_caller_only_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positive control."""
    monkeypatch.setattr(flights, "sharing", lambda _sharers: nullcontext())
    bench = Bench({**dict.fromkeys(SLOW, HANGS), URL: "x"}, max_concurrent=4)
    assert not await _read_a_page_that_another_caller_has_queued(bench)
