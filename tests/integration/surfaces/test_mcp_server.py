"""Searches through the SDK's server and client in this process, in both protocol eras."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp_types import CallToolResult

from dowse.app import App
from dowse.contracts.output import WebSearchOutput, schema_of
from dowse.settings.sources import load
from dowse.surfaces.mcp.server import build_server
from tests.doubles import EXA_KEY, SERPER_KEY, Listing, PocketWeb

TYPED = {"DOWSE_STRUCTURED": "on"}
ERAS = ["legacy", "2026-07-28"]


@asynccontextmanager
async def connected(settings: Mapping[str, str], mode: str = "legacy", **options: Any) -> AsyncIterator[Client]:
    async with App(load({}, settings).settings) as app, Client(build_server(app), mode=mode, **options) as client:
        yield client


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


@pytest.mark.parametrize("era", ERAS)
async def test_an_answer_is_text_alone(web: PocketWeb, era: str) -> None:
    """Several clients hand the model `structuredContent` in place of the text, with its fence and its hints."""
    web.serper.finds(["/articles/python-315"])
    async with connected(web.environment("serper"), era) as client:
        tools = (await client.list_tools()).tools
        found = await client.call_tool("web_search", {"query": "python"})
        read = await client.call_tool("get_content", {"url": web.page("/articles/python-315")})
        answered = await client.call_tool(tools[2].name, {"question": "What is new in python?"})
        failed = await client.call_tool(tools[2].name, {})
    assert [tool.output_schema for tool in tools] == [None, None, None]
    assert [each.structured_content for each in (found, read, answered, failed)] == [None] * 4
    assert all("untrusted" in text(each) for each in (found, read, answered))


@pytest.mark.parametrize("contract", ["jan", "swissarmyhammer", "answers"])
async def test_the_drop_ins_keep_their_structured_output(web: PocketWeb, contract: str) -> None:
    async with connected(web.environment("serper") | {"DOWSE_CONTRACT": contract}) as client:
        tool, *_ = (await client.list_tools()).tools
        result = await client.call_tool(tool.name, {"q" if contract == "jan" else "query": "python"})
    assert isinstance(result.structured_content, dict)


@pytest.mark.parametrize("era", ERAS)
async def test_a_search_can_be_text_and_the_typed_object(web: PocketWeb, era: str) -> None:
    async with connected(web.environment("serper") | TYPED, era) as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool("web_search", {"query": "python", "fetch_content": False})
    assert all(tool.output_schema for tool in tools)
    jsonschema.validate(result.structured_content, schema_of(WebSearchOutput))
    assert text(result).startswith("3 results for 'python', found by serper.")
    assert not result.is_error


async def test_kindly_answers_with_one_block_of_json(web: PocketWeb) -> None:
    web.serper.finds(["/missing"])
    async with connected(web.environment("serper") | {"DOWSE_CONTRACT": "kindly"}) as client:
        result = await client.call_tool("web_search", {"query": "python"})
    assert result.structured_content is None
    (item,) = json.loads(text(result))["results"]
    assert item["page_content"].endswith(f"Source: {web.page('/missing')}")


@pytest.mark.promise("case-34")
async def test_secrets_are_masked_in_both_halves_of_a_result(web: PocketWeb) -> None:
    """Acceptance case 34."""
    web.serper.finds([Listing("Leak", web.page("/leak"), f"The keys are {SERPER_KEY} and {EXA_KEY[::-1]}.")])
    async with connected(web.environment("serper", "exa") | TYPED) as client:
        result = await client.call_tool("web_search", {"query": "x", "fetch_content": False})
    assert isinstance(result.structured_content, dict)
    assert result.structured_content["results"][0]["snippet"] == "The keys are [redacted] and [redacted]."
    assert SERPER_KEY not in text(result)
    assert "The keys are [redacted] and [redacted]." in text(result)


@pytest.mark.promise("case-34")
async def test_secrets_are_masked_in_an_error(web: PocketWeb) -> None:
    """Acceptance case 34, when the upstream echoes the key back."""
    web.serper.fails("echo_key")
    async with connected(web.environment("serper")) as client:
        result = await client.call_tool("web_search", {"query": "x"})
    assert result.is_error
    assert SERPER_KEY not in text(result)
    assert text(result).startswith("serper is unavailable: HTTP 500, Internal error while serving key [redacted]")


@pytest.mark.parametrize("era", ERAS)
async def test_progress_is_numbered_for_those_who_ask(web: PocketWeb, era: str) -> None:
    steps: list[tuple[float, float | None, str | None]] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, total, message))

    web.serper.fails("500")
    settings = web.environment("serper", "tavily")
    async with connected(settings, era) as client:
        arguments = {"query": "x", "fetch_content": False}
        await client.call_tool("web_search", arguments, progress_callback=listen)
    assert steps == [(1, None, "search: asking serper"), (2, None, "search: asking tavily")]
