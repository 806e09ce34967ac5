"""Who reads a page after whom: the table of docs/reading.md, row by row."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from dowse.contracts.render import describe_failure
from dowse.core import errors
from dowse.core.errors import NoBrowser, PageUnreadable
from dowse.core.models import Body, Deadline, Onward, Page, Status, Text
from dowse.core.reasons import FailureReason
from dowse.core.urls import Url
from dowse.core.wire_errors import NotReachedByProxy
from dowse.fetch.direct import unreadable
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.memory import PAGES, remembering
from tests.fakes.reading import Everybody, reading
from tests.fakes.scripted import PlainExtractor, ScriptedFetcher, ScriptedReader
from tests.support.tables import each_row

URL = "https://example.org/page"
SECRET = f"{URL}?access_token=0123456789abcdef"


@dataclass
class ScriptedLoader(ScriptedReader):
    """A loader for one host."""

    name: str = "site"
    host: str = "example.org"

    def accepts(self, url: Url) -> bool:
        return url.host == self.host


@dataclass
class ScriptedRobots:
    allowed: bool = False
    asked: list[str] = field(default_factory=list)

    def is_resolved(self, url: str) -> bool:
        return True

    async def allows(self, url: str) -> bool:
        self.asked.append(url)
        return self.allowed


class Private(Everybody):
    async def for_others(self, url: str) -> str:
        return ""


class ThinExtractor(PlainExtractor):
    """Says of a page that it is thin if the page says so."""

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        text = await super().extract(body, timeout_s=timeout_s)
        return replace(text, is_thin="thin" in text.markdown)


class Bench:
    """Everybody who could read a page; each remembers whether they were asked."""

    def __init__(
        self,
        direct: str | PageUnreadable,
        *,
        browser: str | Exception = "rendered",
        apis: Sequence[ScriptedReader] | None = None,
        loader: str | Exception | None = None,
        discretion: Everybody | None = None,
        robots: ScriptedRobots | None = None,
        apis_first: bool = False,
        has_browser: bool = True,
    ) -> None:
        self.observer, self.clock = RecordingObserver(), FakeClock()
        self.direct = ScriptedFetcher({URL: direct, SECRET: direct})
        self.browser = ScriptedFetcher({URL: browser}, name="browser")
        self.apis = [ScriptedReader("by the API", "serper")] if apis is None else list(apis)
        self.loaders = [] if loader is None else [ScriptedLoader(loader)]
        self.flow = reading(
            self.direct,
            clock=self.clock,
            observer=self.observer,
            browser=self.browser if has_browser else None,
            extractor=ThinExtractor(),
            apis=self.apis,
            loaders=self.loaders,
            discretion=discretion,
            robots=robots,
            apis_first=apis_first,
        )

    async def read(self, url: str = URL, *, for_search: bool = True) -> Page:
        return await self.flow.read(url, Deadline.after(self.clock, 50.0), for_search=for_search)


def tried(page: Page) -> list[str]:
    return [f"{attempt.provider} {attempt.outcome}" for attempt in page.attempts]


async def test_content_ends_the_chain() -> None:
    page = await Bench("# Found").read()
    assert (page.text, page.engine, tried(page), page.warnings) == ("# Found", "direct", ["direct ok"], ())


@each_row(
    "status",
    [
        Status.NOT_FOUND,
        Status.DENIED,
        Status.ROBOTS,
        Status.TOO_LARGE,
        Status.UNSUPPORTED,
        Status.LOGIN_REQUIRED,
    ],
)
async def test_what_no_other_reader_could_read_ends_the_chain(status: Status) -> None:
    bench = Bench(PageUnreadable(status, "why"))
    page = await bench.read()
    assert (page.status, page.attempts[0].detail, tried(page)) == (status, "why", [f"direct {status}"])
    assert bench.browser.asked == bench.apis[0].asked == []


async def test_a_refusal_by_law_or_a_name_that_does_not_exist_ends_the_chain_too() -> None:
    for failure in (
        PageUnreadable(Status.BLOCKED, "HTTP 451", Onward.NONE),
        PageUnreadable(Status.ERROR, "host not found", Onward.NONE),
    ):
        assert len(tried(await Bench(failure).read())) == 1


@pytest.mark.parametrize(
    "failure",
    [
        PageUnreadable(Status.BLOCKED, "HTTP 403"),
        PageUnreadable(Status.ERROR, "no readable content", Onward.ANY_READER),
    ],
    ids=["challenge", "shell"],
)
async def test_a_challenge_and_an_empty_shell_go_to_the_browser_then_to_the_apis(failure: PageUnreadable) -> None:
    page = await Bench(failure).read()
    assert (page.text, page.engine) == ("rendered", "browser")
    page = await Bench(failure, browser=PageUnreadable(Status.BLOCKED, "challenge page")).read()
    assert (page.text, page.engine) == ("by the API", "serper")
    assert tried(page) == [f"direct {failure.status}", "browser blocked", "serper ok"]


async def test_a_page_with_little_text_is_shown_to_the_browser() -> None:
    page = await Bench("a thin page", browser="a page with much more to say").read()
    assert (page.text, page.engine) == ("a page with much more to say", "browser")
    assert tried(page) == ["direct error", "browser ok"]
    assert page.attempts[0].detail == "little text; a browser may show more"


@pytest.mark.parametrize(
    ("browser", "told"),
    [
        (PageUnreadable(Status.TIMEOUT, "", Onward.SCRAPE_APIS), "browser timeout"),
        (PageUnreadable(Status.NOT_FOUND), "browser not_found"),
        (NoBrowser("browser", "no Chromium was found"), "browser skipped"),
        ("thin", "browser ok"),
    ],
)
async def test_little_text_is_better_than_none_and_no_api_is_paid_for_more(browser: str | Exception, told: str) -> None:
    bench = Bench("a thin page", browser=browser)
    page = await bench.read()
    assert (page.status, page.text, page.engine) == (Status.OK, "a thin page", "direct")
    assert tried(page) == ["direct error", told, "direct ok"]
    assert bench.apis[0].asked == []


async def test_what_the_browser_shows_need_not_be_longer_than_menus() -> None:
    page = await Bench("a thin page of links and links and links", browser="the article").read()
    assert (page.text, page.engine) == ("the article", "browser")


async def test_little_text_is_content_where_there_is_no_browser_or_from_it() -> None:
    page = await Bench("a thin page", has_browser=False).read()
    assert (page.text, tried(page)) == ("a thin page", ["direct ok"])
    page = await Bench(PageUnreadable(Status.BLOCKED, "HTTP 403"), browser="a thin page").read()
    assert (page.text, page.engine) == ("a thin page", "browser")


NO_CHROMIUM = NoBrowser("browser", "no Chromium was found: install it")
SHELL = PageUnreadable(Status.ERROR, onward=Onward.ANY_READER, reason=FailureReason.NO_READABLE_CONTENT)


@pytest.mark.promise("case-53")
async def test_a_shell_that_no_browser_can_show_says_what_to_install() -> None:
    """Acceptance case 53: no browser installed gives an actionable note."""
    page = await Bench(SHELL, browser=NO_CHROMIUM, apis=[]).read()
    assert (page.status, page.reason, page.engine) == (Status.ERROR, FailureReason.NEEDS_BROWSER, "direct")
    assert tried(page) == ["direct error", "browser skipped"]
    assert page.warnings == ("browser could not be used: no Chromium was found: install it",)


async def test_without_a_browser_the_apis_have_their_turn_and_the_user_hears_of_it() -> None:
    page = await Bench(SHELL, browser=NO_CHROMIUM).read()
    assert (page.text, page.engine, len(page.warnings)) == ("by the API", "serper", 1)


async def test_a_site_that_refuses_us_is_no_matter_of_installing_a_browser() -> None:
    refusal = PageUnreadable(Status.BLOCKED, "HTTP 403", http_status=403)
    page = await Bench(refusal, browser=NO_CHROMIUM, apis=[]).read()
    assert (page.status, page.reason, page.http_status) == (Status.BLOCKED, None, 403)


@pytest.mark.parametrize("status", [Status.TIMEOUT, Status.ERROR])
async def test_what_did_not_come_at_all_goes_to_the_apis_at_once(status: Status) -> None:
    bench = Bench(PageUnreadable(status, "reset"))
    page = await bench.read()
    assert (page.engine, bench.browser.asked, tried(page)) == ("serper", [], [f"direct {status}", "serper ok"])


async def test_the_status_is_what_dowse_found_out_and_the_apis_failures_are_warnings() -> None:
    apis = [
        ScriptedReader(errors.Unavailable("serper", "HTTP 500"), "serper"),
        ScriptedReader(errors.NotRead("exa"), "exa"),
    ]
    page = await Bench(
        PageUnreadable(Status.BLOCKED, "HTTP 403"), browser=PageUnreadable(Status.BLOCKED), apis=apis
    ).read()
    assert (page.status, page.text) == (Status.BLOCKED, "")
    assert tried(page) == ["direct blocked", "browser blocked", "serper unavailable", "exa not_read"]
    assert page.warnings == ("serper is unavailable: HTTP 500", "exa could not read the page")


async def test_a_private_page_is_told_to_no_api() -> None:
    bench = Bench(PageUnreadable(Status.TIMEOUT), discretion=Private())
    page = await bench.read()
    assert (page.status, bench.apis[0].asked, tried(page)) == (Status.TIMEOUT, [], ["direct timeout"])


async def test_an_api_that_brings_a_bot_check_has_not_read_the_page() -> None:
    check = "# Just a moment...\n\nVerify you are human by completing the action below. Checking your browser."
    apis = [ScriptedReader(check, "serper", title="Just a moment..."), ScriptedReader("by the second API", "exa")]
    page = await Bench(PageUnreadable(Status.TIMEOUT), apis=apis).read()
    assert (page.text, tried(page)) == ("by the second API", ["direct timeout", "serper not_read", "exa ok"])
    assert page.warnings[0].startswith("serper could not read the page: it got no content: ")


async def test_an_api_that_keeps_failing_is_left_alone_while_direct_goes_on() -> None:
    """Its breaker is its own: five pages that time out say nothing about reading directly."""
    api = ScriptedReader(errors.Unavailable("serper"), "serper")
    bench = Bench(PageUnreadable(Status.TIMEOUT), apis=[api])
    for _ in range(7):
        page = await bench.read()
    assert len(api.asked) == 5
    assert len(bench.direct.asked) == 7
    assert tried(page) == ["direct timeout", "serper skipped"]


async def test_an_api_that_crashes_costs_no_other_its_turn() -> None:
    crashing = ScriptedReader(KeyError("a bug"), "serper")
    page = await Bench("general", apis=[crashing], apis_first=True).read()
    assert (page.text, tried(page)) == ("general", ["serper not_read", "direct ok"])
    assert page.warnings == ("serper could not read the page: because of an internal error",)


async def test_pages_that_are_slow_to_the_end_never_close_direct_reading() -> None:
    """One breaker for the whole web would keep pages of other sites from being read."""
    bench = Bench(PageUnreadable(Status.TIMEOUT), apis=[])
    direct = errors.TimedOut("direct", "by the router's own clock")
    bench.flow = reading(
        ScriptedFetcher({URL: direct, "https://well.example/": "well"}), clock=bench.clock, observer=bench.observer
    )
    for _ in range(7):
        assert (await bench.read()).status is Status.TIMEOUT
    assert (await bench.read("https://well.example/")).text == "well"


async def test_what_was_tried_is_told_although_time_ran_out_before_the_next() -> None:
    class SlowNames(Everybody):
        async def for_others(self, url: str) -> str:
            await asyncio.Event().wait()
            return url

    bench = Bench(
        PageUnreadable(Status.BLOCKED, "HTTP 403"), discretion=SlowNames(), browser=PageUnreadable(Status.BLOCKED)
    )
    page = await bench.flow.read(URL, Deadline.after(bench.clock, 0.1))
    assert (page.status, tried(page)) == (Status.BLOCKED, ["direct blocked", "browser blocked"])


async def test_a_bug_in_finding_the_readers_costs_one_page() -> None:
    class Broken(ScriptedLoader):
        def accepts(self, url: Url) -> bool:
            raise ValueError("a bug")

    bench = Bench("general")
    bench.flow = reading(bench.direct, clock=bench.clock, observer=bench.observer, loaders=[Broken("")])
    page = await bench.read()
    assert (page.status, page.text, page.attempts) == (Status.ERROR, "", ())


@pytest.mark.parametrize(("deadline_s", "given_s"), [(100.0, 10.0), (12.0, 6.0), (2.0, 1.0)])
async def test_direct_leaves_time_for_one_api_not_for_all(deadline_s: float, given_s: float) -> None:
    apis = [ScriptedReader("x", name) for name in ("serper", "exa", "tavily")]
    given: list[float] = []

    class Noting(ScriptedFetcher):
        async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
            given.append(timeout_s)
            return await super().fetch(url, timeout_s=timeout_s)

    bench = Bench("general")
    bench.flow = reading(Noting({URL: "general"}), clock=bench.clock, observer=bench.observer, apis=apis)
    await bench.flow.read(URL, Deadline.after(bench.clock, deadline_s))
    assert given == [pytest.approx(given_s)]


# Loaders


async def test_a_loader_that_accepts_the_url_reads_it_and_no_other_is_asked() -> None:
    bench = Bench("general", loader="# A thread")
    page = await bench.read()
    assert (page.text, page.engine, bench.direct.asked) == ("# A thread", "site", [])


@pytest.mark.parametrize(
    ("failure", "outcome", "warnings"),
    [
        (errors.RateLimited("site", retry_after_s=60), "rate_limited", 1),
        (PageUnreadable(Status.NOT_FOUND, "no such thread"), "not_found", 0),
        (RuntimeError("a bug"), "not_read", 1),
    ],
    ids=["api", "page", "bug"],
)
async def test_any_failure_of_a_loader_is_followed_by_the_general_reader(
    failure: Exception, outcome: str, warnings: int
) -> None:
    page = await Bench("general", loader=failure).read()
    assert (page.text, page.engine, tried(page)) == ("general", "direct", [f"site {outcome}", "direct ok"])
    assert len(page.warnings) == warnings


async def test_a_loader_that_was_told_to_wait_is_not_asked_again_before() -> None:
    bench = Bench("general", loader=errors.RateLimited("site", retry_after_s=60))
    await bench.read()
    assert tried(await bench.read()) == ["site skipped", "direct ok"]
    assert len(bench.loaders[0].asked) == 1


async def test_other_hosts_are_not_the_loaders_business() -> None:
    bench = Bench("general", loader="# A thread")
    bench.loaders[0].host = "other.example"
    assert (await bench.read()).engine == "direct"


# robots.txt


async def test_a_page_of_a_search_that_robots_txt_forbids_is_not_read() -> None:
    bench = Bench("general", robots=ScriptedRobots(allowed=False))
    page = await bench.read()
    assert (page.status, tried(page)) == (Status.ROBOTS, ["direct robots"])
    assert bench.direct.asked == bench.apis[0].asked == []


async def test_scrape_apis_do_not_get_what_robots_txt_forbids() -> None:
    bench = Bench("general", robots=ScriptedRobots(allowed=False), apis_first=True)
    page = await bench.read()
    assert (page.status, bench.apis[0].asked, tried(page)) == (Status.ROBOTS, [], ["direct robots"])


async def test_a_requested_page_is_for_its_caller_to_judge() -> None:
    robots = ScriptedRobots(allowed=False)
    assert (await Bench("general", robots=robots).read(for_search=False)).text == "general"
    assert robots.asked == []


async def test_robots_txt_is_about_pages_not_about_a_sites_own_api() -> None:
    robots = ScriptedRobots(allowed=False)
    assert (await Bench("general", loader="# A thread", robots=robots).read()).engine == "site"
    assert robots.asked == []


async def test_robots_txt_is_asked_once_for_a_page() -> None:
    robots = ScriptedRobots(allowed=True)
    await Bench(PageUnreadable(Status.BLOCKED), browser=PageUnreadable(Status.BLOCKED), robots=robots).read()
    assert robots.asked == [URL]


# Secrets


async def test_a_url_with_a_secret_is_not_sent_and_the_caller_learns_why() -> None:
    bench = Bench("general", loader="# A thread", robots=ScriptedRobots())
    page = await bench.read(SECRET)
    assert (page.status, page.text, page.attempts, page.engine) == (Status.DENIED, "", (), "")
    assert bench.direct.asked == bench.loaders[0].asked == bench.apis[0].asked == []
    (warning,) = page.warnings
    assert "'access_token'" in warning
    assert "0123456789abcdef" not in warning


async def test_what_a_reader_has_to_say_reaches_the_caller() -> None:
    class Talkative(ScriptedLoader):
        async def read(self, url: str, deadline: Deadline) -> Text:
            return Text("# A thread", url="https://example.org/final", warnings=("20 of 30 comments",))

    bench = Bench("general")
    bench.flow = reading(
        bench.direct, clock=bench.clock, observer=bench.observer, loaders=[Talkative("")], robots=ScriptedRobots(True)
    )
    page = await bench.read()
    assert (page.final_url, page.warnings) == ("https://example.org/final", ("20 of 30 comments",))


async def test_the_code_of_a_scrape_api_is_not_the_one_of_the_page() -> None:
    refusal = PageUnreadable(Status.BLOCKED, "HTTP 403", Onward.ANY_READER, http_status=403)
    api = ScriptedReader(errors.Unavailable("serper", "HTTP 500", http_status=500), "serper")
    page = await Bench(refusal, has_browser=False, apis=[api]).read()
    assert describe_failure(page) == "Status: blocked (HTTP 403)."
    assert tried(page) == ["direct blocked", "serper unavailable"]


async def test_a_code_of_a_proxy_is_not_the_one_of_the_page() -> None:
    failure = unreadable(NotReachedByProxy(FailureReason.PROXY_REACHES_NOTHING, "HTTP 502"))
    page = await Bench(failure, apis=[]).read()
    assert describe_failure(page) == "Status: error (DOWSE_PROXY: no connection through the proxy)."
    assert page.attempts[0].detail == "DOWSE_PROXY: no connection through the proxy (HTTP 502)"


class CachedBench:
    """One page behind the negative cache."""

    def __init__(self, failure: PageUnreadable) -> None:
        self.clock, self.fetcher = FakeClock(), ScriptedFetcher({URL: failure})
        self.memory = remembering(self.clock)
        self.flow = reading(
            self.fetcher, clock=self.clock, observer=RecordingObserver(), memory=self.memory, lifetimes=PAGES
        )

    async def read(self) -> Page:
        return await self.flow.read(URL, Deadline.after(self.clock, 50.0))


@each_row("reason", [None, *FailureReason])
async def test_a_failure_from_the_cache_has_the_code_and_the_reason_of_the_first_one(
    reason: FailureReason | None,
) -> None:
    bench = CachedBench(PageUnreadable(Status.NOT_FOUND, "HTTP 404", reason=reason, http_status=404))
    first, again = await bench.read(), await bench.read()
    assert (again.reason, again.http_status) == (first.reason, first.http_status) == (reason, 404)
    assert describe_failure(again) == describe_failure(first)
    assert len(bench.fetcher.asked) == 1


@each_row(
    ("reason", "code", "fetches"),
    [
        ("host not found", "", 0),
        ("login wall (title, form)", "HTTP 404", 1),
        ("", "HTTP 404", 1),
    ],
)
async def test_a_failure_cached_by_an_earlier_version_is_read_again_or_has_no_code(
    reason: str, code: str, fetches: int
) -> None:
    """Their reason was any text, and the code stood only there."""
    bench = CachedBench(PageUnreadable(Status.NOT_FOUND, http_status=404))
    entry = {
        "answer": None,
        "provider": "",
        "failure": {"status": "not_found", "reason": reason, "engine": "direct", "onward": "none"},
    }
    await bench.memory.entries.put("page", URL, json.dumps(entry).encode(), 30)
    page = await bench.read()
    assert (describe_failure(page), len(bench.fetcher.asked)) == (f"Status: not_found ({code or reason}).", fetches)
