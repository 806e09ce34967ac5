"""The double of an MCP server is as strict as the real ones: what would fail there fails here first."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from dowse.net.clients import ConfiguredClient, Reply
from tests.doubles.exa_mcp import ExaMcp
from tests.fakes.served import served

ACCEPT = {"accept": "application/json, text/event-stream"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
CALL = {"name": "web_search_exa", "arguments": {"query": "x", "objective": "x"}}


class Talk:
    def __init__(self, client: ConfiguredClient, endpoint: str) -> None:
        self._client = client
        self._endpoint = endpoint

    async def say(self, method: str, params: object, verb: str = "POST", **headers: str) -> Reply:
        named = {**ACCEPT, **{name.replace("_", "-"): value for name, value in headers.items()}}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await self._client.send(verb, self._endpoint, headers=named, json=message, timeout_s=5.0)

    async def greeted(self) -> dict[str, str]:
        session = (await self.say("initialize", HELLO)).headers["mcp-session-id"]
        headers = {"mcp_session_id": session, "mcp_protocol_version": "2025-06-18"}
        assert (await self.say("notifications/initialized", {}, **headers)).status == 202
        return headers


@pytest_asyncio.fixture(loop_scope="module")
async def talk(client: ConfiguredClient) -> AsyncIterator[Talk]:
    async with served(ExaMcp, in_memory=True) as (_, endpoint):
        yield Talk(client, endpoint)


async def test_a_polite_conversation_is_answered(talk: Talk) -> None:
    reply = await talk.say("tools/call", CALL, **await talk.greeted())
    assert reply.status == 200
    assert b"Title: " in reply.body


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"mcp_session_id": "unknown"}, 404),
        ({"mcp_session_id": ""}, 400),
        ({"mcp_protocol_version": "1999-01-01"}, 400),
        ({"accept": "application/json"}, 406),
        ({"authorization": "Bearer x"}, 401),
        ({"verb": "GET"}, 405),
    ],
)
async def test_a_call_with_wrong_headers_is_refused(talk: Talk, changed: dict[str, str], status: int) -> None:
    assert (await talk.say("tools/call", CALL, **{**await talk.greeted(), **changed})).status == status


async def test_a_call_before_the_greeting_is_complete_is_refused(talk: Talk) -> None:
    session = (await talk.say("initialize", HELLO)).headers["mcp-session-id"]
    reply = await talk.say("tools/call", CALL, mcp_session_id=session, mcp_protocol_version="2025-06-18")
    assert reply.status == 400


@pytest.mark.parametrize(
    "params",
    [
        {"name": "web_search", "arguments": {"query": "x", "objective": "x"}},
        {"name": "web_search_exa", "arguments": {"query": "x"}},
        {"name": "web_search_exa", "arguments": {"query": "x", "objective": "x", "numResults": "8"}},
        {"name": "web_search_exa", "arguments": {"query": "x", "objective": "x", "num_results": 8}},
        {"name": "web_search_exa"},
    ],
)
async def test_a_tool_that_is_called_wrongly_says_so_in_its_result(talk: Talk, params: object) -> None:
    reply = await talk.say("tools/call", params, **await talk.greeted())
    assert reply.status == 200
    assert b'"isError": true' in reply.body
    assert b"-32602" in reply.body


async def test_a_method_that_it_does_not_have_is_not_found(talk: Talk) -> None:
    assert (await talk.say("tools/delete", {}, **await talk.greeted())).status == 404
