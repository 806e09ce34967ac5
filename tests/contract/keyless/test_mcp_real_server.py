"""The small client against the server of the official SDK, in every manner that one can be run in."""

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import uvicorn
from mcp.server.mcpserver import MCPServer

from dowse.core import errors
from dowse.core.models import Query
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.mcp.search import McpSearch
from dowse.secrets.redact import Redactor
from dowse.settings.mcp_servers import McpServer
from tests.contract.conftest import DEADLINE

MANNERS = {
    "sessions": {},
    "stateless": {"stateless_http": True},
    "json": {"json_response": True},
    "stateless json": {"json_response": True, "stateless_http": True},
}


async def find_structured(query: str, limit: int) -> dict[str, list[dict[str, str]]]:
    return {"results": [{"title": f"{query} {place}", "url": f"https://a.example/{place}"} for place in range(limit)]}


async def find_written(query: str) -> str:
    return "\n\n".join(f"Title: {query} {place}\nURL: https://a.example/{place}\nText: x" for place in range(2))


@pytest_asyncio.fixture(loop_scope="module")
async def client() -> AsyncIterator[ConfiguredClient]:
    """On real connections, as the server is."""
    client = ConfiguredClient("dowse/test")
    yield client
    await client.close()


@pytest_asyncio.fixture(params=MANNERS, loop_scope="module")
async def endpoint(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    server = MCPServer("real", log_level="CRITICAL")
    server.tool()(find_structured)
    server.tool()(find_written)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        # Who comes before the server is ready waits in line.
        listener.listen()
        app = server.streamable_http_app(**MANNERS[request.param])
        running = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none"))
        serving = asyncio.create_task(running.serve(sockets=[listener]))
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        running.should_exit = True
        await serving


def _provider(client: ConfiguredClient, server: McpServer) -> McpSearch:
    return McpSearch(Api("real", client, 5.0, "", Redactor()), server)


async def test_it_is_asked_several_times_and_answers(endpoint: str, client: ConfiguredClient) -> None:
    for server in (McpServer(endpoint, "find_structured", count="limit"), McpServer(endpoint, "find_written")):
        provider = _provider(client, server)
        found = [await provider.search(Query("word", num_results=2), DEADLINE) for _ in range(2)]
        assert [[hit.title for hit in each.hits] for each in found] == [["word 0", "word 1"]] * 2


@pytest.mark.parametrize(("tool", "argument"), [("find_nothing", "query"), ("find_written", "wrong")])
async def test_its_refusals_are_bad_requests(endpoint: str, client: ConfiguredClient, tool: str, argument: str) -> None:
    with pytest.raises(errors.BadRequest):
        await _provider(client, McpServer(endpoint, tool, query=argument)).search(Query("x"), DEADLINE)
