"""Public SearXNG instances: polite towards all of them, on guard against each, and honest when nobody answers."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from dowse.core import errors
from dowse.core.models import Category, Deadline, Query
from dowse.providers.disclosure import Disclosure
from dowse.providers.politeness import Manners
from dowse.providers.searxng.directory import FixedDirectory
from dowse.providers.searxng.instance import Instance, InstanceState, Misbehaviour
from dowse.providers.searxng.pool import InstancePool, RoundRobin
from dowse.providers.searxng.protocol import PublicClient
from dowse.providers.searxng.public import SearxngPool
from tests.doubles.public_instances import NAMES, PublicInstances
from tests.fakes import FakeClock
from tests.fakes.listings import ListingsHere
from tests.fakes.memory import remembering
from tests.fakes.served import served
from tests.fakes.wire import page_clients, raw_servers
from tests.support.authority import Authority

QUERY = Query("python release")
ALDER, BIRCH, CEDAR, *_ = NAMES


@dataclass(frozen=True)
class Bench:
    """The pool as the app would make it, over instances that a test tells how to behave."""

    pool: SearxngPool
    client: PublicClient
    public: PublicInstances
    disclosure: Disclosure
    clock: FakeClock

    async def search(self, query: Query = QUERY, *, within_s: float = 30.0) -> tuple[str, ...]:
        """The addresses that were found."""
        found = await self.pool.search(query, Deadline.after(self.clock, within_s))
        return tuple(hit.url for hit in found.hits)

    async def failure(self, query: Query = QUERY, *, within_s: float = 30.0) -> errors.NoInstance:
        with pytest.raises(errors.NoInstance) as caught:
            await self.search(query, within_s=within_s)
        return caught.value

    def url(self, name: str) -> str:
        return self.public.address(name).rstrip("/")

    def known(self, name: str) -> Instance:
        """What the manager knows of an instance."""
        (found,) = [each for each in self.pool.instances.table() if each.url == self.url(name)]
        return found

    def state(self, name: str) -> InstanceState:
        return self.known(name).state(self.clock.utc().timestamp())


@pytest_asyncio.fixture(loop_scope="module")
async def public() -> AsyncIterator[PublicInstances]:
    async with served(PublicInstances) as (double, _origin):
        yield double


@pytest.fixture
def alone(public: PublicInstances) -> None:
    """There is one instance."""
    public.has(ALDER)


@pytest_asyncio.fixture(loop_scope="module")
async def bench(public: PublicInstances, clock: FakeClock) -> AsyncIterator[Bench]:
    pair = public.address(ALDER).split("/")[2]
    async with page_clients() as build:
        manners = Manners(clock, random.Random(1), rotates=True, delay_s=(0.1, 0.5), user_agent="dowse/test")
        client = PublicClient("searxng_pool", build(pair), manners, ListingsHere(), clock, 5.0)
        disclosure = Disclosure()
        cache = remembering(clock).entries
        directory = FixedDirectory(public.addresses())
        instances = InstancePool("searxng_pool", directory, client, cache, clock, rotation=RoundRobin())
        yield Bench(SearxngPool(client, instances, disclosure, timeout_s=15.0), client, public, disclosure, clock)
        await instances.close()


async def test_an_instance_answers_and_is_named(bench: Bench) -> None:
    found = await bench.pool.search(QUERY, Deadline.after(bench.clock, 30))
    assert found.hits[0].url.endswith("/articles/python-315")
    assert found.instances == (bench.url(ALDER),)
    assert bench.public.names_asked() == [ALDER]
    (news,) = bench.disclosure.news()
    assert "the public SearXNG instance 127.0.0.1" in news


async def test_queries_go_to_one_after_the_other(bench: Bench) -> None:
    for _ in NAMES:
        await bench.search()
    assert bench.public.names_asked() == list(NAMES)


async def test_requests_look_like_those_of_changing_browsers_and_tell_nothing_else(bench: Bench) -> None:
    bench.public[ALDER].json_off()
    for _ in NAMES:
        await bench.search()
    headers = [seen.headers for seen in bench.public.requests]
    first, second, *others = [each["user-agent"] for each in headers]
    assert first == second, "one browser for one query at one instance"
    assert len(set(others)) > 1
    for each in headers:
        assert each["user-agent"].startswith("Mozilla/5.0 ")
        assert each["dnt"] == "1"
        assert "text/html" in each["accept"]
        assert not each.keys() & {"cookie", "referer", "authorization", "x-forwarded-for"}
        assert "dowse" not in str(each)
        assert "aiohttp" not in str(each).lower()


async def test_requests_are_at_least_a_tenth_of_a_second_apart(bench: Bench) -> None:
    bench.public[ALDER].json_off()
    bench.public[BIRCH].json_off()
    await asyncio.gather(*(bench.search() for _ in range(4)))
    assert len(bench.public.requests) == 6
    assert len(bench.clock.slept) == 5
    assert min(bench.clock.slept) >= 0.1


@pytest.mark.usefixtures("alone")
async def test_the_web_page_is_read_where_json_is_refused_which_is_remembered(bench: Bench) -> None:
    bench.public[ALDER].json_off()
    first, second = [await bench.search() for _ in range(2)]
    assert first == second != ()
    assert [seen.params.get("format", "") for seen in bench.public.requests] == ["json", "", ""]
    assert bench.known(ALDER).json is False


async def test_an_instance_that_gives_json_is_known_for_it(bench: Bench) -> None:
    await bench.search()
    assert bench.known(ALDER).json is True


async def test_the_next_instance_answers_where_the_first_fails(bench: Bench) -> None:
    bench.public[ALDER].fails("500")
    found = await bench.pool.search(QUERY, Deadline.after(bench.clock, 30))
    assert found.hits
    assert found.instances == (bench.url(ALDER), bench.url(BIRCH))
    assert bench.state(ALDER) is InstanceState.RESTING
    assert bench.state(BIRCH) is InstanceState.READY


async def test_no_query_goes_to_a_third_instance_and_the_error_says_what_happened(bench: Bench) -> None:
    bench.public.fails("500", times=1).fails("429")
    error = await bench.failure()
    assert bench.public.names_asked() == [ALDER, BIRCH]
    assert error.instances == (bench.url(ALDER), bench.url(BIRCH))
    for part in (f"/{ALDER}: HTTP 500", f"/{BIRCH}: HTTP 429", "SEARXNG_URL"):
        assert part in error.detail
    assert error.retry_after_s is None, "others are ready"


async def test_when_all_rest_none_is_asked_and_the_error_says_until_when(bench: Bench) -> None:
    bench.public.fails("429")
    for _ in range(len(NAMES) // 2):
        await bench.failure()
    asked = len(bench.public.requests)
    error = await bench.failure()
    assert (len(bench.public.requests), error.instances) == (asked, ())
    assert error.retry_after_s is not None
    assert 0 < error.retry_after_s <= 60
    bench.public.works()
    bench.clock.advance(60)
    assert await bench.search()


@pytest.mark.usefixtures("alone")
async def test_the_limiter_of_an_instance_gives_it_a_rest(bench: Bench) -> None:
    bench.public[ALDER].limits()
    for _ in range(4):
        assert await bench.search()
    await bench.failure()
    assert bench.state(ALDER) is InstanceState.RATE_LIMITED


async def test_a_retry_after_is_kept(bench: Bench) -> None:
    bench.public[ALDER].fails("429", retry_after=900)
    await bench.search()
    assert bench.known(ALDER).rate_limited_until == pytest.approx(bench.clock.utc().timestamp() + 900, abs=5)


async def test_a_redirect_within_the_host_is_followed_once(bench: Bench) -> None:
    here = f"{bench.url(BIRCH)}/search?q=python+release&format=json"
    bench.public[ALDER].fails("redirect", redirect_to=here)
    assert await bench.search()
    assert bench.public.names_asked() == [ALDER, BIRCH]
    assert bench.state(ALDER) is InstanceState.READY

    bench.public.reset()
    for name in NAMES:
        bench.public[name].fails("redirect", redirect_to=f"{bench.url(name)}/search?q=x")
    error = await bench.failure()
    assert len(bench.public.requests) == 4
    assert "redirects again" in error.detail


MISBEHAVIOUR = {
    "https://elsewhere.example/search": Misbehaviour.FOREIGN_REDIRECT,
    "//elsewhere.example/search": Misbehaviour.FOREIGN_REDIRECT,
    "javascript:alert(1)": Misbehaviour.FOREIGN_REDIRECT,
}


@pytest.mark.parametrize("target", MISBEHAVIOUR)
async def test_a_redirect_to_another_host_is_not_followed_and_has_consequences(bench: Bench, target: str) -> None:
    bench.public[ALDER].fails("redirect", redirect_to=target)
    assert await bench.search()
    assert (bench.state(ALDER), bench.known(ALDER).reason) == (InstanceState.BLOCKED, MISBEHAVIOUR[target])


@pytest.mark.parametrize("format_off", [False, True])
async def test_links_that_are_not_http_have_consequences(bench: Bench, format_off: bool) -> None:
    links = [
        {"title": "Python release", "url": "javascript:alert(1)"},
        {"title": "Python", "url": "https://e.example/"},
    ]
    bench.public[ALDER].finds(links)
    if format_off:
        bench.public[ALDER].json_off()
    found = await bench.search()
    assert found
    assert "https://e.example/" not in found, "nothing of it is believed"
    assert (bench.state(ALDER), bench.known(ALDER).reason) == (InstanceState.BLOCKED, Misbehaviour.STRANGE_LINKS)


async def test_a_test_of_an_instance_notices_links_that_are_not_http(bench: Bench) -> None:
    bench.public[ALDER].finds([{"title": "Weather", "url": "javascript:alert(1)"}])
    with pytest.raises(errors.BadAnswer, match=Misbehaviour.STRANGE_LINKS):
        await bench.client.probe(bench.public.address(ALDER))


@pytest.mark.usefixtures("alone")
async def test_the_same_results_for_unrelated_queries_have_consequences(bench: Bench) -> None:
    bench.public[ALDER].finds([f"https://shop.example/{number}" for number in range(5)])
    for text in ("asyncio cancellation", "sourdough starter"):
        await bench.failure(Query(text))
        bench.clock.advance(120)
    assert (bench.state(ALDER), bench.known(ALDER).reason) == (InstanceState.BLOCKED, Misbehaviour.SAME_RESULTS)


async def test_a_certificate_that_is_not_good_has_consequences(bench: Bench, tmp_path: Path, clock: FakeClock) -> None:
    asked = False

    async def talk(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked = True

    async with raw_servers() as serve, page_clients() as build:
        port = await serve(talk, Authority(tmp_path).server("127.0.0.1"))
        manners = Manners(clock, random.Random(1), rotates=True, delay_s=(0.1, 0.5), user_agent="dowse/test")
        client = PublicClient("searxng_pool", build(f"127.0.0.1:{port}"), manners, ListingsHere(), clock, 5.0)
        directory = FixedDirectory([f"https://127.0.0.1:{port}"])
        cache = remembering(clock).entries
        instances = InstancePool("searxng_pool", directory, client, cache, clock, rotation=RoundRobin())
        pool = SearxngPool(client, instances, bench.disclosure, timeout_s=15.0)
        with pytest.raises(errors.NoInstance, match="no secure connection"):
            await pool.search(QUERY, Deadline.after(clock, 30))
        (instance,) = instances.table()
        await instances.close()
    assert instance.reason == Misbehaviour.BAD_CERTIFICATE
    assert not asked


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("trouble", ["broken_json", "json_array", "empty_body", "html"])
async def test_an_answer_that_is_none_is_a_failure_and_five_are_one_too_many(bench: Bench, trouble: str) -> None:
    bench.public[ALDER].fails(trouble)
    await bench.failure()
    assert bench.state(ALDER) is InstanceState.RESTING
    assert bench.known(ALDER).unparsed == 1


@pytest.mark.parametrize("trouble", ["huge", "bomb"])
async def test_an_answer_without_end_is_cut_off(bench: Bench, trouble: str) -> None:
    bench.public[ALDER].fails(trouble)
    found = await bench.pool.search(QUERY, Deadline.after(bench.clock, 30))
    assert found.instances == (bench.url(ALDER), bench.url(BIRCH))


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("trouble", ["challenge", "403"])
async def test_a_block_is_told_from_an_empty_answer(bench: Bench, trouble: str) -> None:
    bench.public[ALDER].fails(trouble)
    error = await bench.failure()
    assert "it does not serve programs" in error.detail
    bench.clock.advance(60)
    bench.public[ALDER].works().finds_nothing()
    assert await bench.search() == ()


async def test_engines_that_failed_and_unrelated_results_lead_to_the_next_instance(bench: Bench) -> None:
    bench.public[ALDER].engines_fail()
    bench.public[BIRCH].finds(["/products/kettle"])
    error = await bench.failure()
    assert "all of its engines had failed" in error.detail
    assert "no result shares a word" in error.detail


@pytest.mark.parametrize("trouble", ["engines", "unrelated", "400"])
async def test_what_may_be_the_querys_fault_is_an_instances_only_if_another_has_results(
    bench: Bench, trouble: str
) -> None:
    def give_trouble(name: str) -> None:
        instance = bench.public[name]
        match trouble:
            case "engines":
                instance.engines_fail()
            case "unrelated":
                instance.finds(["/products/kettle"])
            case _:
                instance.fails(trouble)

    give_trouble(ALDER)
    give_trouble(BIRCH)
    await bench.failure()
    assert {bench.state(name) for name in (ALDER, BIRCH)} == {InstanceState.READY}
    bench.public.works()
    give_trouble(CEDAR)
    assert await bench.search()
    assert bench.state(CEDAR) is InstanceState.RESTING


async def test_what_an_instance_says_of_its_engines_is_neither_logged_nor_kept(bench: Bench) -> None:
    bench.public[ALDER].engines_fail()
    await bench.search()
    assert bench.known(ALDER).reason == "answered, but all of its engines had failed"


async def test_an_instance_whose_turn_comes_too_late_is_not_asked_and_not_blamed(
    public: PublicInstances, clock: FakeClock
) -> None:
    pair = public.address(ALDER).split("/")[2]
    async with page_clients() as build:
        manners = Manners(clock, random.Random(1), rotates=True, delay_s=(20.0, 20.0), user_agent="dowse/test")
        client = PublicClient("searxng_pool", build(pair), manners, ListingsHere(), clock, 5.0)
        directory = FixedDirectory([public.address(ALDER)])
        instances = InstancePool(
            "searxng_pool", directory, client, remembering(clock).entries, clock, rotation=RoundRobin()
        )
        pool = SearxngPool(client, instances, Disclosure(), timeout_s=15.0)
        await manners.turn()
        with pytest.raises(errors.NoInstance, match="other instances were called until the deadline"):
            await pool.search(QUERY, Deadline.after(clock, 15))
        (instance,) = instances.table()
        await instances.close()
    assert (instance.consecutive_failures, public.names_asked()) == (0, [])


async def test_a_caller_in_a_hurry_does_not_harm_an_instance(bench: Bench) -> None:
    bench.public.fails("hang")
    error = await bench.failure(within_s=0.2)
    assert "no answer within" in error.detail
    assert {bench.state(name) for name in (ALDER, BIRCH)} == {InstanceState.READY}


async def test_few_pages_are_asked_for_however_many_results_are_wanted(bench: Bench) -> None:
    bench.public[ALDER].finds([f"/files/{number}" for number in range(60)])
    found = await bench.pool.search(Query("files", num_results=50), Deadline.after(bench.clock, 30))
    assert (len(found.hits), bench.public.names_asked()) == (20, [ALDER, ALDER])
    assert found.warnings == ("searxng_pool gives at most 20 results; 50 were requested.",)


async def test_filters_reach_the_instance(bench: Bench) -> None:
    query = Query("harbour bridge", category=Category.IMAGES, language="de", safe_search=2)
    found = await bench.pool.search(query, Deadline.after(bench.clock, 30))
    sent = bench.public.requests[0]
    assert sent.params == {
        "q": "harbour bridge",
        "format": "json",
        "language": "de",
        "categories": "images",
        "safesearch": "2",
    }
    assert sent.headers["accept-language"].startswith("de")
    assert found.hits[0].image_url == "https://img.example/1.jpg"


async def test_a_check_asks_for_the_cheapest_page_and_searches_nothing(bench: Bench) -> None:
    await bench.client.ping(bench.url(ALDER))
    (seen,) = bench.public.requests
    assert (seen.path.rpartition("/")[2], seen.params) == ("healthz", {})
    bench.public[ALDER].fails("404")
    await bench.client.ping(bench.url(ALDER))
    bench.public[BIRCH].fails("503")
    with pytest.raises(errors.Unavailable):
        await bench.client.ping(bench.url(BIRCH))


async def test_a_test_of_instances_tells_json_from_pages_and_from_limiters(bench: Bench) -> None:
    bench.public[BIRCH].json_off()
    bench.public[CEDAR].fails("429")
    checked = await bench.pool.instances.check([bench.url(name) for name in (ALDER, BIRCH, CEDAR)])
    assert [each.outcome for each in checked] == ["json", "html", "rate_limited"]
