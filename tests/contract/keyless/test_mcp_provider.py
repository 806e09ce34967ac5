"""Any MCP server as a provider: a description of it in the settings says how it is asked and where its results are."""

import json
from collections.abc import AsyncIterator
from typing import ClassVar

import pytest
import pytest_asyncio
from pydantic import SecretStr

from dowse.core import errors
from dowse.core.models import Query
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.mcp.search import McpSearch
from dowse.secrets.redact import Redactor
from dowse.settings.mcp_servers import McpServer
from dowse.settings.sources import load
from tests.contract.conftest import DEADLINE
from tests.doubles.checks import number_in, one_of, text, texts, texts_in, whole
from tests.doubles.listings import Wanted
from tests.doubles.mcp_server import McpDouble, Message
from tests.fakes.served import served

KEY = "k-5f0c1d7e9b2a48c6"


class Library(McpDouble):
    """A server with names of its own: a key, a list of terms, and answers in a place nobody would look for."""

    name = "library"
    tool = "find_pages"
    fields: ClassVar = {"terms": texts, "why": text, "most": whole(1, 50), "shelf": one_of("web")}
    required = ("terms", "why", "shelf")

    def result(self, arguments: Message) -> Message:
        found = self.listings(Wanted.from_operators(texts_in(arguments, "terms")[0]))
        books = [{"name": each.title, "href": each.url, "summary": each.snippet} for each in found]
        shelf = {"books": books[: number_in(arguments, "most", 50)]}
        return {"content": [{"type": "text", "text": "See the shelf."}], "structuredContent": {"shelf": shelf}}


DESCRIPTION = {
    "tool": "find_pages",
    "query": "terms[], why",
    "count": "most",
    "arguments": {"shelf": "web"},
    "headers": {"Authorization": f"Bearer {KEY}"},
    "results": "shelf.books",
}


@pytest_asyncio.fixture(loop_scope="module")
async def library() -> AsyncIterator[tuple[Library, str]]:
    async with served(Library, KEY, in_memory=True) as served_library:
        yield served_library


def _provider(client: ConfiguredClient, server: McpServer) -> McpSearch:
    secrets = [value.get_secret_value() for value in server.headers.values()]
    return McpSearch(Api("library", client, 5.0, "DOWSE_MCP_PROVIDERS", Redactor(secrets)), server)


async def test_a_server_is_described_in_the_settings_and_answers(
    client: ConfiguredClient, library: tuple[Library, str]
) -> None:
    double, endpoint = library
    described = json.dumps({"library": {"url": endpoint, **DESCRIPTION}})
    server = load({}, {"DOWSE_MCP_PROVIDERS": described}).settings.mcp_providers["library"]
    found = await _provider(client, server).search(Query("python release", num_results=2), DEADLINE)
    assert found.hits[0].title == "Python 3.15: what changes for your code"
    assert len(found.hits) == 2
    assert all(hit.snippet for hit in found.hits)
    params = (double.calls[0].json or {})["params"]
    assert params == {
        "name": "find_pages",
        "arguments": {"shelf": "web", "terms": ["python release"], "why": "python release", "most": 2},
    }


async def test_a_rejected_key_names_the_variable_and_not_the_key(
    client: ConfiguredClient, library: tuple[Library, str]
) -> None:
    server = McpServer(library[1], "find_pages", headers={"authorization": SecretStr("Bearer wrong-key-123456")})
    with pytest.raises(errors.KeyRejected, match="DOWSE_MCP_PROVIDERS") as caught:
        await _provider(client, server).search(Query("x"), DEADLINE)
    assert "wrong-key" not in str(caught.value)


async def test_arguments_that_the_tool_does_not_take_are_a_bad_request_that_says_which(
    client: ConfiguredClient, library: tuple[Library, str]
) -> None:
    headers = {"Authorization": SecretStr(f"Bearer {KEY}")}
    server = McpServer(library[1], "find_pages", query="query", headers=headers)
    with pytest.raises(errors.BadRequest, match="terms"):
        await _provider(client, server).search(Query("x"), DEADLINE)


async def test_a_key_that_a_tool_repeats_is_masked(client: ConfiguredClient, library: tuple[Library, str]) -> None:
    double, endpoint = library
    double.answers({"isError": True, "content": [{"type": "text", "text": f"failed with {KEY}"}]})
    server = McpServer(endpoint, "find_pages", headers={"Authorization": SecretStr(f"Bearer {KEY}")})
    with pytest.raises(errors.Unavailable) as caught:
        await _provider(client, server).search(Query("x"), DEADLINE)
    assert KEY not in str(caught.value)


async def test_headers_of_the_protocol_win_over_those_of_the_description(
    client: ConfiguredClient, library: tuple[Library, str]
) -> None:
    """A description copied from elsewhere must not make every answer unreadable."""
    headers = {"Authorization": SecretStr(f"Bearer {KEY}"), "Accept": SecretStr("text/html")}
    server = McpServer(library[1], "find_pages", headers=headers)
    with pytest.raises(errors.BadRequest, match="terms"):
        await _provider(client, server).search(Query("x"), DEADLINE)


async def test_without_the_key_of_a_chosen_server_the_error_says_which_variable_to_set(
    client: ConfiguredClient, library: tuple[Library, str]
) -> None:
    with pytest.raises(errors.KeyRejected, match="check DOWSE_MCP_PROVIDERS"):
        await _provider(client, McpServer(library[1], "find_pages")).search(Query("x"), DEADLINE)


async def test_results_from_other_domains_than_those_asked_for_are_no_answer_so_that_others_are_asked(
    client: ConfiguredClient, library: tuple[Library, str]
) -> None:
    """Semantic engines make of `site:` what they like; that is not the same as nothing found."""
    double, endpoint = library
    books = [{"name": "A page", "href": "https://elsewhere.example/page"}]
    double.answers({"content": [], "structuredContent": {"shelf": {"books": books}}})
    server = McpServer(
        endpoint, "find_pages", headers={"Authorization": SecretStr(f"Bearer {KEY}")}, results="shelf.books"
    )
    with pytest.raises(errors.NotCovered, match="requested domains"):
        await _provider(client, server).search(Query("x", include_domains=("docs.example",)), DEADLINE)
