"""The vendors' MCP servers as members without a key: asked as they want it, read as they write, and told of."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from dowse.core import errors
from dowse.core.models import Deadline, Query, TimeRange
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.disclosure import Disclosure
from dowse.providers.mcp.search import McpSearch, make_hosted
from dowse.secrets.redact import Redactor
from tests.contract.conftest import DEADLINE
from tests.doubles.exa_mcp import ExaMcp
from tests.doubles.firecrawl_mcp import FirecrawlMcp
from tests.doubles.mcp_server import McpDouble, failed
from tests.doubles.parallel_mcp import LONGEST_QUERY, ParallelMcp
from tests.fakes import FakeClock
from tests.fakes.served import served

MEMBERS = {
    "exa_mcp": (ExaMcp, "Exa"),
    "parallel_mcp": (ParallelMcp, "Parallel"),
    "firecrawl_mcp": (FirecrawlMcp, "Firecrawl"),
}


@dataclass(frozen=True, slots=True)
class Member:
    vendor: str
    double: McpDouble
    disclosure: Disclosure
    client: ConfiguredClient
    endpoint: str

    def provider(self, timeout_s: float = 5.0) -> McpSearch:
        api = Api(self.double.name, self.client, timeout_s, "", Redactor())
        return make_hosted(api, self.disclosure, self.endpoint)


@pytest_asyncio.fixture(params=MEMBERS, loop_scope="module")
async def member(request: pytest.FixtureRequest, client: ConfiguredClient) -> AsyncIterator[Member]:
    kind, vendor = MEMBERS[request.param]
    async with served(kind, in_memory=True) as (double, endpoint):
        yield Member(vendor, double, Disclosure(), client, endpoint)


async def test_results_come_back_with_title_link_snippet_and_the_member_is_named(member: Member) -> None:
    member.double.finds(
        [{"title": "Bridges", "url": "https://a.example/bridges", "snippet": "How they are built."}, "/docs/retrying"]
    )
    provider = member.provider()
    found = await provider.search(Query("bridges", num_results=2), DEADLINE)
    assert provider.name == member.double.name
    assert (found.hits[0].title, found.hits[0].url) == ("Bridges", "https://a.example/bridges")
    assert found.hits[0].snippet.startswith("How they are built.")
    assert len(found.hits) == 2
    assert found.warnings == ()


async def test_dates_are_read_where_the_server_has_them(member: Member) -> None:
    member.double.finds([{"title": "T", "url": "https://a.example/", "published": "2026-10-02"}])
    (hit,) = (await member.provider().search(Query("x"), DEADLINE)).hits
    assert hit.published == ("" if member.double.name == "firecrawl_mcp" else "2026-10-02")


async def test_the_same_results_come_out_of_a_stream_of_events(member: Member) -> None:
    asked = Query("python release", num_results=3)
    plain = await member.provider().search(asked, DEADLINE)
    member.double.streams()
    assert await member.provider().search(asked, DEADLINE) == plain
    assert len(plain.hits) == 3


async def test_a_stream_that_stays_open_behind_the_answer_is_left(member: Member) -> None:
    member.double.streams(without_end=True)
    found = await member.provider(timeout_s=20.0).search(Query("python release"), DEADLINE)
    assert found.hits


async def test_no_more_results_than_asked_for_come_back_and_a_second_page_goes_on(member: Member) -> None:
    urls = [f"https://a.example/{number}" for number in range(6)]
    member.double.finds([{"title": f"T {url}", "url": url} for url in urls])
    first = await member.provider().search(Query("x", num_results=2), DEADLINE)
    second = await member.provider().search(Query("x", num_results=2, page=2), DEADLINE)
    assert [hit.url for hit in first.hits + second.hits] == urls[:4]


async def test_nothing_found_is_an_answer(member: Member) -> None:
    member.double.finds_nothing()
    assert (await member.provider().search(Query("x"), DEADLINE)).hits == ()


async def test_no_request_carries_a_credential_and_all_carry_the_honest_user_agent(member: Member) -> None:
    await member.provider().search(Query("python"), DEADLINE)
    assert len(member.double.requests) == 3
    for seen in member.double.requests:
        assert not {"authorization", "x-api-key", "cookie", "referer"} & seen.headers.keys()
        assert seen.headers["user-agent"] == "dowse/test"


async def test_the_receiver_of_a_query_is_named_with_its_host(member: Member) -> None:
    await member.provider().search(Query("python"), DEADLINE)
    (news,) = member.disclosure.news()
    assert f"{member.vendor} (127.0.0.1)" in news
    assert member.double.name in news


async def test_the_party_is_told_also_where_the_request_fails(member: Member) -> None:
    """The query may have arrived all the same."""
    member.double.fails("hang")
    with pytest.raises(errors.TimedOut):
        await member.provider(timeout_s=0.1).search(Query("python"), DEADLINE)
    assert member.disclosure.news()


async def test_domains_are_asked_for_by_operator_and_strays_are_left_out(member: Member) -> None:
    listed = [("https://docs.a.example/x", "In"), ("https://b.example/", "Stray"), ("https://bad.a.example/", "Out")]
    results = [{"title": title, "url": url} for url, title in listed]
    member.double.answers({"content": [], "structuredContent": {"results": results, "data": {"web": results}}})
    query = Query("x", num_results=5, include_domains=("a.example",), exclude_domains=("bad.a.example",))
    found = await member.provider().search(query, DEADLINE)
    assert [hit.title for hit in found.hits] == ["In"]
    assert "site:a.example" in str(member.double.calls[0].json)


async def test_a_filter_that_the_tool_lacks_is_left_out_aloud(member: Member) -> None:
    found = await member.provider().search(Query("python", time_range=TimeRange.WEEK, language="de"), DEADLINE)
    assert found.warnings == tuple(
        f"{member.double.name} cannot filter by {name}, so it was left out." for name in ("language", "time_range")
    )


FAILURES: list[tuple[str, type[errors.ProviderError]]] = [
    ("500", errors.Unavailable),
    ("503", errors.Unavailable),
    ("429", errors.RateLimited),
    ("402", errors.QuotaSpent),
    ("not_enough_credits", errors.QuotaSpent),
    ("401", errors.Blocked),
    ("403", errors.Blocked),
    ("400", errors.BadRequest),
    ("404", errors.BadRequest),
    ("reset", errors.NetworkFailed),
    ("wrong_length", errors.NetworkFailed),
    ("huge", errors.NetworkFailed),
    ("bomb", errors.NetworkFailed),
    ("broken_json", errors.BadAnswer),
    ("json_array", errors.BadAnswer),
    ("json_null", errors.BadAnswer),
    ("empty_body", errors.BadAnswer),
    ("html", errors.BadAnswer),
    ("challenge", errors.Blocked),
    ("redirect", errors.Redirected),
]


@pytest.mark.parametrize(("trouble", "expected"), FAILURES)
async def test_every_failure_has_its_type(member: Member, trouble: str, expected: type[errors.ProviderError]) -> None:
    member.double.fails(trouble)
    with pytest.raises(errors.ProviderError) as caught:
        await member.provider().search(Query("x"), DEADLINE)
    assert type(caught.value) is expected
    assert caught.value.provider == member.double.name


@pytest.mark.parametrize("trouble", ["hang", "stall", "trickle"])
async def test_silence_ends_at_the_members_own_timeout(member: Member, trouble: str) -> None:
    member.double.fails(trouble)
    with pytest.raises(errors.TimedOut):
        await member.provider(timeout_s=0.1).search(Query("x"), DEADLINE)


async def test_a_failure_in_the_middle_leaves_nothing_broken(member: Member) -> None:
    provider = member.provider()
    await provider.search(Query("x"), DEADLINE)
    member.double.fails("503", times=1)
    with pytest.raises(errors.Unavailable):
        await provider.search(Query("x"), DEADLINE)
    assert (await provider.search(Query("python"), DEADLINE)).hits


async def test_a_tool_that_is_not_there_any_more_is_a_bad_request_with_the_servers_words(member: Member) -> None:
    member.double.answers(failed(f"MCP error -32602: Tool {member.double.tool} not found"))
    with pytest.raises(errors.BadRequest, match="not found") as caught:
        await member.provider().search(Query("x"), DEADLINE)
    assert "not found" not in caught.value.logged_detail


async def test_words_of_the_server_stay_out_of_the_log(member: Member) -> None:
    member.double.answers(failed("Search error (500): could not find 'my secret plan'"))
    with pytest.raises(errors.Unavailable, match="my secret plan") as caught:
        await member.provider().search(Query("my secret plan"), DEADLINE)
    assert "secret" not in caught.value.logged_detail


async def test_exas_spent_free_tier_is_a_rate_limit_although_it_is_no_error(client: ConfiguredClient) -> None:
    async with served(ExaMcp, in_memory=True) as (double, endpoint):
        double.has_spent_its_free_tier()
        provider = Member("Exa", double, Disclosure(), client, endpoint).provider()
        with pytest.raises(errors.RateLimited, match="free tier"):
            await provider.search(Query("x"), DEADLINE)


async def test_firecrawls_spent_free_tier_says_when_to_come_again(client: ConfiguredClient) -> None:
    async with served(FirecrawlMcp, in_memory=True) as (double, endpoint):
        double.has_spent_its_free_tier(retry_after_s=1800)
        provider = Member("Firecrawl", double, Disclosure(), client, endpoint).provider()
        with pytest.raises(errors.RateLimited) as caught:
            await provider.search(Query("x"), DEADLINE)
    assert caught.value.retry_after_s == 1800


async def test_parallel_knows_one_process_by_one_session_and_gets_no_longer_queries_than_it_takes(
    client: ConfiguredClient,
) -> None:
    async with served(ParallelMcp, in_memory=True) as (double, endpoint):
        member = Member("Parallel", double, Disclosure(), client, endpoint)
        await member.provider().search(Query("x"), DEADLINE)
        found = await member.provider().search(Query("word " * 100), DEADLINE)
        sent = [_arguments(seen.json) for seen in double.calls]
    assert len({str(arguments["session_id"]) for arguments in sent}) == 1
    assert len(str(sent[1]["search_queries"][0])) <= LONGEST_QUERY
    assert "the query was cut" in found.warnings[0]


async def test_the_time_for_a_search_is_one_whatever_it_takes(member: Member) -> None:
    """The clock of the caller says when: a deadline that has passed leaves no time for a handshake either."""
    clock = FakeClock()
    deadline = Deadline.after(clock, 1.0)
    clock.advance(2.0)
    with pytest.raises(errors.TimedOut):
        await member.provider().search(Query("x"), deadline)
    assert member.double.calls == []


def _arguments(message: dict[str, object] | None) -> dict[str, list[str]]:
    params = (message or {})["params"]
    assert isinstance(params, dict)
    arguments: dict[str, list[str]] = params["arguments"]
    return arguments
