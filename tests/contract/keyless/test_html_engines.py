"""DuckDuckGo and Mojeek: asked as a browser asks, seldom, and never believed when they did not look."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl

import pytest
import pytest_asyncio

from dowse.core import errors
from dowse.core.listings import Listing
from dowse.core.models import Body, Category, Deadline, Query, Status, TimeRange
from dowse.core.protocols import ListingReader
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.disclosure import Disclosure
from dowse.providers.duckduckgo import DuckDuckGo, region
from dowse.providers.html_engines import BAN_S, LOWEST_GAP_S, HtmlEngine
from dowse.providers.mojeek import Mojeek
from dowse.providers.politeness import Manners
from dowse.secrets.redact import Redactor
from dowse.worker.pool import WorkerPool
from tests.doubles.duckduckgo import DuckDuckGo as DuckDuckGoDouble
from tests.doubles.html_engines import HtmlEngineDouble
from tests.doubles.mojeek import Mojeek as MojeekDouble
from tests.fakes import FakeClock
from tests.fakes.listings import ListingsHere
from tests.fakes.served import served
from tests.support.tables import each_row

ENGINES: dict[str, tuple[type[HtmlEngineDouble], type[HtmlEngine]]] = {
    "duckduckgo": (DuckDuckGoDouble, DuckDuckGo),
    "mojeek": (MojeekDouble, Mojeek),
}
QUERY = Query("python release", num_results=3)


@dataclass(frozen=True)
class Bench:
    """An engine as the app would make it, and its double."""

    double: HtmlEngineDouble
    endpoint: str
    make: Callable[[ListingReader], HtmlEngine]
    engine: HtmlEngine
    disclosure: Disclosure
    clock: FakeClock

    def deadline(self, seconds: float = 30.0) -> Deadline:
        return Deadline.after(self.clock, seconds)

    async def sent(self, query: Query) -> dict[str, str]:
        """The fields of the form that a query becomes."""
        await self.engine.search(query, self.deadline())
        seen = self.double.requests[-1]
        return dict(parse_qsl(seen.body.decode())) or seen.params

    async def failure(self, kind: type[errors.ProviderError]) -> errors.ProviderError:
        with pytest.raises(kind) as caught:
            await self.engine.search(QUERY, self.deadline())
        return caught.value


@pytest_asyncio.fixture(params=ENGINES, loop_scope="module")
async def bench(request: pytest.FixtureRequest, client: ConfiguredClient, clock: FakeClock) -> AsyncIterator[Bench]:
    double_kind, engine_kind = ENGINES[request.param]
    disclosure = Disclosure()
    async with served(double_kind, in_memory=True) as (double, endpoint):

        def make(listings: ListingReader) -> HtmlEngine:
            return engine_kind(
                Api(engine_kind.spec.name, client, 5.0, "", Redactor()),
                endpoint,
                listings=listings,
                manners=Manners(clock, random.Random(1), rotates=True, delay_s=(0.1, 0.5), user_agent="dowse/test"),
                disclosure=disclosure,
            )

        yield Bench(double, endpoint, make, make(ListingsHere()), disclosure, clock)


async def test_results_are_found_and_the_engine_is_named(bench: Bench) -> None:
    found = await bench.engine.search(QUERY, bench.deadline())

    assert len(found.hits) == 3
    assert found.hits[0].title == "Python 3.15: what changes for your code"
    assert found.hits[0].url.endswith("/articles/python-315")
    assert found.hits[0].snippet.startswith("Lazy imports")
    (told,) = bench.disclosure.news()
    assert f"sent to {bench.engine.spec.title} (127.0.0.1)" in told


async def test_requests_are_those_of_changing_browsers_without_a_past(bench: Bench) -> None:
    for _ in range(6):
        await bench.engine.search(QUERY, bench.deadline())
    headers = [request.headers for request in bench.double.requests]

    assert len({each["user-agent"] for each in headers}) > 1
    assert all(each["user-agent"].startswith("Mozilla/5.0") and each["dnt"] == "1" for each in headers)
    assert not any({"cookie", "referer"} & each.keys() for each in headers)
    assert not any("dowse" in value or "aiohttp" in value for each in headers for value in each.values())


async def test_an_engine_is_asked_once_in_two_seconds(bench: Bench) -> None:
    started = bench.clock.now()
    for _ in range(3):
        await bench.engine.search(QUERY, bench.deadline())

    assert bench.clock.now() - started >= 2 * LOWEST_GAP_S


async def test_whose_turn_does_not_come_in_time_is_not_kept_waiting(bench: Bench) -> None:
    await bench.engine.search(QUERY, bench.deadline())
    with pytest.raises(errors.Skipped):
        await bench.engine.search(QUERY, bench.deadline(1.0))

    assert len(bench.double.requests) == 1


async def test_a_challenge_is_a_block_that_lasts_and_is_met_once(bench: Bench) -> None:
    bench.double.challenges()
    error = await bench.failure(errors.Blocked)

    assert error.retry_after_s == BAN_S
    assert "SEARXNG_URL" in str(error)
    assert len(bench.double.requests) == 1


@pytest.mark.parametrize("status", [202, 403, 429])
async def test_a_refusal_is_a_block_whatever_its_page(bench: Bench, status: int) -> None:
    bench.double.shows("<p>No.</p>", status=status)
    error = await bench.failure(errors.Blocked)

    assert (error.http_status, error.retry_after_s) == (status, BAN_S)


async def test_a_challenge_that_comes_as_a_success_is_a_block_too(bench: Bench) -> None:
    bench.double.shows("<title>Just a moment...</title><script>window._cf_chl_opt={}</script>")
    error = await bench.failure(errors.Blocked)

    assert "challenge page (Cloudflare)" in str(error)


async def test_nothing_found_is_an_answer(bench: Bench) -> None:
    bench.double.finds_nothing()

    assert (await bench.engine.search(QUERY, bench.deadline())).hits == ()


async def test_results_about_something_else_are_refused(bench: Bench) -> None:
    bench.double.finds([{"title": "Lottery numbers", "url": "https://lottery.example/", "snippet": "Six out of 49."}])
    await bench.failure(errors.Irrelevant)


async def test_an_unknown_page_is_a_bad_answer(bench: Bench) -> None:
    bench.double.shows("<h1>Our new design</h1><p>Enjoy.</p>")
    await bench.failure(errors.BadAnswer)


@pytest.mark.parametrize(
    ("trouble", "kind"), [("500", "Unavailable"), ("reset", "NetworkFailed"), ("redirect", "Redirected")]
)
async def test_other_failures_are_what_they_are(bench: Bench, trouble: str, kind: str) -> None:
    bench.double.fails(trouble)
    await bench.failure(getattr(errors, kind))


class Unable:
    """A reader of pages that cannot read any."""

    def __init__(self, status: Status) -> None:
        self._status = status

    async def listing(self, engine: str, body: Body, query: str, *, timeout_s: float) -> Listing:
        raise errors.PageUnreadable(self._status, "no worker was free in time")


@pytest.mark.parametrize(("status", "kind"), [(Status.TIMEOUT, errors.TimedOut), (Status.ERROR, errors.BadAnswer)])
async def test_a_page_that_cannot_be_read_is_a_failure_of_its_own(
    bench: Bench, status: Status, kind: type[errors.ProviderError]
) -> None:
    with pytest.raises(kind):
        await bench.make(Unable(status)).search(QUERY, bench.deadline())


async def test_the_worker_of_the_app_reads_the_page(bench: Bench) -> None:
    pool = WorkerPool(size=1)
    try:
        found = await bench.make(pool).search(QUERY, bench.deadline())
    finally:
        await pool.close()

    assert found == await bench.engine.search(QUERY, bench.deadline())


async def test_the_double_admits_browsers_only(bench: Bench, client: ConfiguredClient) -> None:
    browser = {"Accept": "text/html", "Accept-Language": "en", "User-Agent": "Mozilla/5.0 (X11)"}
    for telltale in ({"User-Agent": "python-httpx/1"}, {"Cookie": "a=b"}, {"Referer": bench.endpoint}):
        reply = await client.send("GET", bench.endpoint, headers={**browser, **telltale}, timeout_s=5)
        assert reply.status == bench.double.challenge().status


@pytest.mark.parametrize("bench", ["duckduckgo"], indirect=True)
@pytest.mark.parametrize(
    ("query", "form"),
    [
        (Query("x"), {}),
        (Query("x", language="pt-BR"), {"kl": "br-pt"}),
        (Query("x", language="de", country="at"), {"kl": "at-de"}),
        (Query("x", time_range=TimeRange.WEEK), {"df": "w"}),
        (Query("x", safe_search=0), {"kp": "-2"}),
        (Query("x", safe_search=2), {"kp": "1"}),
    ],
)
async def test_duckduckgos_form_is_filled_in(bench: Bench, query: Query, form: dict[str, str]) -> None:
    assert await bench.sent(query) == {"q": "x"} | form


@pytest.mark.parametrize("bench", ["duckduckgo"], indirect=True)
@pytest.mark.parametrize("text", ["!w python", "\\python", "python !g !important"])
async def test_duckduckgos_shortcuts_to_other_sites_are_words(bench: Bench, text: str) -> None:
    assert (await bench.sent(Query(text)))["q"] == text.replace("!", "").replace("\\", "")


@each_row(
    ("language", "country", "name"),
    [
        ("", "", ""),
        ("all", "", ""),
        ("en", "", "us-en"),
        ("en", "gb", "uk-en"),
        ("en-GB", "", "uk-en"),
        ("ja", "", "jp-jp"),
        ("zh-TW", "", "tw-tzh"),
        ("zh", "", "cn-zh"),
        ("", "CH", "ch-de"),
        ("fr", "ch", "ch-fr"),
        ("sv", "fi", "se-sv"),
        ("xx", "", ""),
    ],
)
def test_a_region_is_the_nearest_that_duckduckgo_has(language: str, country: str, name: str) -> None:
    assert region(language, country) == name


@pytest.mark.parametrize("bench", ["mojeek"], indirect=True)
@pytest.mark.parametrize(
    ("query", "params"),
    [
        (Query("x"), {}),
        (Query("x", language="pt-BR"), {"lb": "pt", "arc": "br"}),
        (Query("x", language="all"), {}),
        (Query("x", time_range=TimeRange.DAY), {"since": "20261114"}),
        (Query("x", start_date="2026-01-31"), {"since": "20260131"}),
        (Query("x", safe_search=2), {"safe": "1"}),
        (Query("x", safe_search=0), {"safe": "0"}),
        (Query("x", category=Category.NEWS), {"fmt": "news"}),
    ],
)
async def test_mojeeks_parameters_are_its_own(bench: Bench, query: Query, params: dict[str, str]) -> None:
    assert await bench.sent(query) == {"q": "x"} | params


@pytest.mark.parametrize("bench", ["mojeek"], indirect=True)
async def test_mojeeks_pictures_have_no_page_to_read(bench: Bench) -> None:
    found = await bench.engine.search(Query("python", category=Category.IMAGES), bench.deadline())

    assert found.hits and all(hit.is_media for hit in found.hits)


async def test_what_an_engine_cannot_do_is_said(bench: Bench) -> None:
    found = await bench.engine.search(Query("python", num_results=20, category=Category.MAP), bench.deadline())

    assert [warning.split(",")[0].split(";")[0] for warning in found.warnings] == [
        f"{bench.engine.name} cannot filter by category",
        f"{bench.engine.name} gives at most 10 results",
    ]
    assert Category.MAP not in bench.engine.categories
