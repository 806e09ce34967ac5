"""The client of MCP servers against a strict one: handshakes, sessions, both eras, and callers that leave."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from dowse.core import errors
from dowse.core.models import Deadline, Query
from dowse.core.runtime import SystemClock
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.mcp.search import McpSearch
from dowse.secrets.redact import Redactor
from dowse.settings.mcp_servers import McpServer
from tests.contract.conftest import DEADLINE
from tests.doubles.firecrawl_mcp import FirecrawlMcp
from tests.doubles.mcp_server import Message
from tests.doubles.seen import SeenRequest
from tests.fakes.served import served

QUERY = Query("python release", num_results=2)


@dataclass(frozen=True, slots=True)
class Bench:
    double: FirecrawlMcp
    provider: McpSearch

    @property
    def methods(self) -> list[object]:
        return [(seen.json or {}).get("method") for seen in self.double.requests]

    async def search(self) -> int:
        return len((await self.provider.search(QUERY, DEADLINE)).hits)


@pytest_asyncio.fixture(loop_scope="module")
async def bench(client: ConfiguredClient) -> AsyncIterator[Bench]:
    async with served(FirecrawlMcp, in_memory=True) as (double, endpoint):
        api = Api("mine", client, 5.0, "", Redactor())
        yield Bench(double, McpSearch(api, McpServer(endpoint, "firecrawl_search", count="limit")))


def _session(seen: SeenRequest) -> str:
    return seen.headers.get("mcp-session-id", "")


async def test_one_handshake_serves_many_calls(bench: Bench) -> None:
    assert [await bench.search() for _ in range(3)] == [2, 2, 2]
    assert bench.methods == ["initialize", "notifications/initialized", *["tools/call"] * 3]
    first, *later = bench.double.requests
    assert "mcp-session-id" not in first.headers
    assert "mcp-protocol-version" not in first.headers
    assert len({_session(seen) for seen in later}) == 1
    assert {seen.headers["mcp-protocol-version"] for seen in later} == {"2025-06-18"}


async def test_a_session_that_the_server_forgot_is_opened_again_and_the_call_repeated_once(bench: Bench) -> None:
    await bench.search()
    bench.double.forgets_sessions()
    bench.double.requests.clear()
    assert await bench.search() == 2
    assert bench.methods == ["tools/call", "initialize", "notifications/initialized", "tools/call"]


async def test_a_server_that_tells_a_lost_session_as_a_bad_request_is_understood(bench: Bench) -> None:
    await bench.search()
    lost = {"jsonrpc": "2.0", "error": {"code": -32000, "message": "Bad Request: No valid session ID"}, "id": None}
    bench.double.replies(json=lost, status=400, times=1)
    assert await bench.search() == 2


async def test_a_server_that_forgets_every_session_at_once_is_asked_twice_and_no_more(bench: Bench) -> None:
    await bench.search()
    bench.double.requests.clear()
    gone: Message = {"jsonrpc": "2.0", "error": {"code": -32001, "message": "Session not found"}, "id": None}
    opened: Message = {"jsonrpc": "2.0", "id": 4, "result": {"protocolVersion": "2025-06-18"}}
    bench.double.replies(json=gone, status=404, times=1)
    bench.double.replies(json=opened, headers={"Mcp-Session-Id": "x"}, times=1)
    bench.double.replies(json={}, status=202, times=1)
    bench.double.replies(json=gone, status=404)
    with pytest.raises(errors.BadRequest):
        await bench.search()
    assert len(bench.double.calls) == 2


async def test_a_server_without_sessions_is_greeted_once_too(bench: Bench) -> None:
    bench.double.keeps_no_sessions()
    assert [await bench.search(), await bench.search()] == [2, 2]
    assert bench.methods.count("initialize") == 1


async def test_a_server_that_knows_no_handshake_is_asked_without_one(bench: Bench) -> None:
    bench.double.knows_no_handshake()
    assert [await bench.search(), await bench.search()] == [2, 2]
    assert bench.methods == ["initialize", "tools/call", "tools/call"]
    assert bench.double.requests[-1].headers["mcp-name"] == "firecrawl_search"


async def test_a_server_that_went_back_to_handshakes_is_found_out_by_the_next_call(bench: Bench) -> None:
    bench.double.knows_no_handshake()
    await bench.search()
    bench.double.works()
    with pytest.raises(errors.BadRequest):
        await bench.search()
    assert await bench.search() == 2


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-11-25"])
async def test_the_version_that_the_server_chooses_is_spoken_if_it_is_known(bench: Bench, version: str) -> None:
    bench.double.replies(json=_greeting(version), headers={"Mcp-Session-Id": "s"}, times=1)
    bench.double.replies(json={}, status=202, times=1)
    bench.double.replies(json={"jsonrpc": "2.0", "id": 2, "result": {"structuredContent": {"results": []}}})
    assert await bench.search() == 0
    assert bench.double.requests[-1].headers["mcp-protocol-version"] == version


async def test_a_version_that_is_not_known_is_no_conversation(bench: Bench) -> None:
    bench.double.replies(json=_greeting("1999-01-01"))
    with pytest.raises(errors.BadAnswer, match="version"):
        await bench.search()


async def test_searches_at_the_same_time_share_the_handshake_and_no_answer(bench: Bench) -> None:
    found = await asyncio.gather(*(bench.provider.search(Query(text, num_results=1), DEADLINE) for text in TOPICS))
    assert bench.methods.count("initialize") == 1
    assert len({_session(seen) for seen in bench.double.calls}) == 1
    numbers = [(seen.json or {})["id"] for seen in bench.double.calls]
    assert len(set(numbers)) == len(TOPICS)
    for result, topic in zip(found, TOPICS, strict=True):
        assert topic in result.hits[0].title.lower()


TOPICS = ("python", "retrying", "asyncio", "sourdough", "bridge")


async def test_a_search_that_is_cancelled_during_the_handshake_leaves_the_next_one_a_clean_start(bench: Bench) -> None:
    bench.double.fails("hang", times=1)
    leaving = asyncio.create_task(bench.search())
    await bench.double.arrived()
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    assert await bench.search() == 2


async def test_a_search_that_is_cancelled_during_its_call_leaves_the_session_to_others(bench: Bench) -> None:
    await bench.search()
    bench.double.fails("hang", times=1)
    leaving = asyncio.create_task(bench.search())
    seen = await bench.double.arrived(4)
    staying = asyncio.create_task(bench.search())
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    async with asyncio.timeout(30):
        await seen.closed.wait()
    assert await staying == 2
    assert bench.methods.count("initialize") == 1


async def test_a_call_that_waits_for_the_handshake_of_another_goes_on_when_that_one_is_cancelled(bench: Bench) -> None:
    bench.double.fails("hang", times=1)
    leaving = asyncio.create_task(bench.search())
    await bench.double.arrived()
    waiting = asyncio.create_task(bench.search())
    await asyncio.sleep(0)
    leaving.cancel()
    assert await waiting == 2
    with pytest.raises(asyncio.CancelledError):
        await leaving


async def test_the_handshake_and_the_call_share_one_timeout(client: ConfiguredClient) -> None:
    async with served(FirecrawlMcp, in_memory=True) as (double, endpoint):
        double.delays(0.1)
        provider = McpSearch(Api("mine", client, 0.25, "", Redactor()), McpServer(endpoint, "firecrawl_search"))
        with pytest.raises(errors.TimedOut):
            await provider.search(QUERY, Deadline.after(SystemClock(), 30))


def _greeting(version: str) -> Message:
    return {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": version, "capabilities": {}, "serverInfo": {}}}


def _deep(levels: int) -> object:
    value: object = []
    for _ in range(levels):
        value = {"data": [value]}
    return value


HOSTILE: list[object] = [
    {"jsonrpc": "2.0", "id": 3, "result": None},
    {"jsonrpc": "2.0", "id": 3, "result": []},
    {"jsonrpc": "2.0", "id": 3, "result": {}},
    {"jsonrpc": "2.0", "id": 3, "result": {"content": "text"}},
    {"jsonrpc": "2.0", "id": 3, "result": {"content": [None, 5, {"type": "text"}, {"type": "text", "text": 7}]}},
    {"jsonrpc": "2.0", "id": 3, "result": {"structuredContent": [1, 2], "content": [{"type": "image", "data": "x"}]}},
    {"jsonrpc": "2.0", "id": 3, "result": {"structuredContent": {"results": "none"}, "_meta": ["x"]}},
    {"jsonrpc": "2.0", "id": 3, "result": {"structuredContent": _deep(200)}},
    {"jsonrpc": "2.0", "id": 3, "result": {"structuredContent": {"results": [{"heading": "T", "where": "?"}]}}},
    {"jsonrpc": "2.0", "id": 3, "error": "text"},
    {"jsonrpc": "2.0", "id": 99, "result": {"structuredContent": {"results": []}}},
    {"jsonrpc": "2.0", "id": 3, "method": "sampling/createMessage", "params": {}},
    {"jsonrpc": "2.0", "id": [3], "result": {}},
    {},
]


async def test_the_answer_to_the_third_request_of_a_client_has_its_number(bench: Bench) -> None:
    """So that those below are refused for what they are, and not for a wrong number."""
    await bench.search()
    bench.double.replies(json={"jsonrpc": "2.0", "id": 3, "result": {"structuredContent": {"results": []}}})
    assert await bench.search() == 0


@pytest.mark.parametrize("answer", HOSTILE, ids=range(len(HOSTILE)))
async def test_an_answer_that_is_none_is_a_parse_error_and_never_an_accident(bench: Bench, answer: object) -> None:
    await bench.search()
    bench.double.replies(json=answer)
    with pytest.raises(errors.BadAnswer):
        await bench.search()


async def test_an_answer_nested_without_end_is_a_parse_error(bench: Bench) -> None:
    await bench.search()
    bench.double.answers({"content": [{"type": "text", "text": "[" * 100_000}]})
    with pytest.raises(errors.BadAnswer):
        await bench.search()


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"code": -32602, "message": "Invalid params"}, errors.BadRequest),
        ({"code": -32601, "message": "Unknown method"}, errors.BadRequest),
        ({"code": -32000, "message": "Rate limit exceeded"}, errors.RateLimited),
        ({"code": -32602, "message": "Too many requests"}, errors.RateLimited),
        ({"code": -32000, "message": "Monthly quota exceeded"}, errors.QuotaSpent),
        ({"code": -32001, "message": "Unauthorized"}, errors.Blocked),
        ({"code": -32603, "message": "Internal error"}, errors.Unavailable),
        ({"code": "x", "message": None, "data": "y"}, errors.Unavailable),
        ({}, errors.Unavailable),
    ],
)
async def test_an_error_of_the_protocol_has_its_type(
    bench: Bench, error: Message, expected: type[errors.ProviderError]
) -> None:
    await bench.search()
    bench.double.replies(json={"jsonrpc": "2.0", "id": 3 if error else None, "error": error})
    with pytest.raises(errors.ProviderError) as caught:
        await bench.search()
    assert type(caught.value) is expected


async def test_an_error_that_says_how_long_to_wait_is_believed(bench: Bench) -> None:
    await bench.search()
    error = {"code": -32000, "message": "rate limited", "data": {"retry_after": 12}}
    bench.double.replies(json={"jsonrpc": "2.0", "id": 3, "error": error})
    with pytest.raises(errors.RateLimited) as caught:
        await bench.search()
    assert caught.value.retry_after_s == 12


async def test_a_session_id_that_is_no_header_is_not_sent_back(bench: Bench) -> None:
    bench.double.replies(json=_greeting("2025-06-18"), headers={"Mcp-Session-Id": "x" * 3000}, times=1)
    bench.double.replies(json={}, status=202, times=1)
    bench.double.replies(json={"jsonrpc": "2.0", "id": 2, "result": {"structuredContent": {"results": []}}})
    await bench.search()
    assert "mcp-session-id" not in bench.double.requests[-1].headers


@pytest.mark.parametrize("code", [[], {"code": 1}])
async def test_a_refusal_with_an_unreadable_code_is_a_failure_of_that_server_only(bench: Bench, code: object) -> None:
    refusal: Message = {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "no"}}
    bench.double.replies(json=refusal, times=1)
    with pytest.raises(errors.Unavailable):
        await bench.search()
