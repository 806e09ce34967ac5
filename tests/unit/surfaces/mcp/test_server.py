"""A contract on the SDK's server, with the SDK's client in the same process, in both protocol eras."""

import io
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from dowse import __version__
from dowse.app import App
from dowse.contracts.arguments import Param
from dowse.contracts.dispatch import Answer, Contract, Tool
from dowse.core.runtime import CallContext
from dowse.core.tokens import estimate_tokens
from dowse.settings.sources import load
from dowse.surfaces.mcp.server import build_server
from dowse.telemetry.log import configure
from tests.doubles import SERPER_KEY

ERAS = ["legacy", "2026-07-28"]
MOST_TOKENS = 1100
SNAPSHOTS = Path(__file__).parent / "snapshots"


@asynccontextmanager
async def connected(settings: Mapping[str, str], mode: str = "legacy", **options: Any) -> AsyncIterator[Client]:
    async with App(load({}, settings).settings) as app, Client(build_server(app), mode=mode, **options) as client:
        yield client


@asynccontextmanager
async def serving(tool: Tool, settings: Mapping[str, str], mode: str = "legacy") -> AsyncIterator[Client]:
    """A client of a server whose contract is one tool of the test's."""
    async with App(load({}, settings).settings) as app:
        configure("info", app.redactor, stream=LOG)
        app.contract = Contract("dowse", "", (tool,))
        async with Client(build_server(app), mode=mode) as client:
            yield client


LOG = io.StringIO()


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


async def listed(client: Client) -> list[dict[str, Any]]:
    tools = (await client.list_tools()).tools
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


SNAPSHOT_SETTINGS = {
    "dowse": {},
    "dowse_structured": {"DOWSE_STRUCTURED": "on"},
    "kindly": {"DOWSE_CONTRACT": "kindly"},
}


@pytest.mark.parametrize("name", SNAPSHOT_SETTINGS)
@pytest.mark.parametrize("era", ERAS)
async def test_the_tools_are_exactly_those_of_the_snapshot(name: str, era: str) -> None:
    """To update: delete snapshots/tools_<name>.json and run this once with UPDATE_SNAPSHOTS=1."""
    path = SNAPSHOTS / f"tools_{name}.json"
    async with connected(SNAPSHOT_SETTINGS[name], era) as client:
        tools = await listed(client)
    if not path.exists() and os.environ.get("UPDATE_SNAPSHOTS") == "1":
        path.write_text(json.dumps(tools, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    assert tools == json.loads(path.read_text(encoding="utf-8"))


async def test_the_list_of_tools_costs_at_most_1100_tokens() -> None:
    """Every conversation pays for it, whether it searches or not."""
    async with connected({}) as client:
        tools = await listed(client)
    assert len(tools) == 3
    assert estimate_tokens(json.dumps(tools, ensure_ascii=False)) <= MOST_TOKENS


@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_every_tool_says_that_it_only_reads(contract: str) -> None:
    async with connected({"DOWSE_CONTRACT": contract}) as client:
        tools = await listed(client)
    assert [tool["annotations"] for tool in tools] == [
        {
            "title": tool["title"],
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": True,
        }
        for tool in tools
    ]


@pytest.mark.parametrize("settings", [{}, {"DOWSE_CONTRACT": "kindly"}, {"DOWSE_STRUCTURED": "off"}])
async def test_without_structured_output_no_output_is_declared(settings: dict[str, str]) -> None:
    async with connected(settings) as client:
        assert [tool for tool in await listed(client) if "outputSchema" in tool] == []


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("contract", "name"), [("dowse", "dowse"), ("kindly", "kindly-web-search")])
async def test_the_server_says_who_it_is(era: str, contract: str, name: str) -> None:
    async with connected({"DOWSE_CONTRACT": contract}, "auto" if era != "legacy" else era) as client:
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == (name, __version__)
        assert client.instructions is not None
        assert "web_search" in client.instructions


@pytest.mark.parametrize("era", ERAS)
async def test_an_unknown_tool_is_a_protocol_error(era: str) -> None:
    async with connected({}, era) as client:
        with pytest.raises(MCPError, match=r"^Unknown tool: n{80}$"):
            await client.call_tool("n" * 200, {})
        assert len(await listed(client)) == 3


@pytest.mark.parametrize("era", ERAS)
async def test_an_error_of_ours_is_an_answer_that_says_so(era: str) -> None:
    async with connected({"DOWSE_OFFLINE": "1"}, era) as client:
        result = await client.call_tool("web_search", {"query": "x"})
    assert (result.is_error, text(result)) == (True, "search unavailable: offline mode is enabled")
    assert result.structured_content is None


@pytest.mark.parametrize("era", ERAS)
async def test_a_crash_is_an_answer_that_says_nothing_of_the_exception(era: str) -> None:
    async def crash(_given: Mapping[str, object], _context: CallContext) -> Answer:
        raise ValueError(f"canary in the coal mine, {SERPER_KEY}")

    LOG.seek(0)
    LOG.truncate()
    tool = Tool("fragile", "Fragile", "Breaks.", (), crash)
    async with serving(tool, {"SERPER_API_KEY": SERPER_KEY}, era) as client:
        result = await client.call_tool("fragile", {})
        assert (result.is_error, text(result)) == (
            True,
            "fragile failed because of an internal error; the server's log has the details.",
        )
        assert len(await listed(client)) == 1
    (line,) = LOG.getvalue().splitlines()
    logged = json.loads(line)
    assert (logged["level"], logged["event"]) == ("error", "tool call crashed")
    assert "ValueError: canary in the coal mine, [redacted]" in logged["traceback"]


@pytest.mark.parametrize("era", ERAS)
async def test_arguments_reach_the_tool_as_the_model_sent_them(era: str) -> None:
    """Wrong types too: our own words refuse them, not the library's."""
    seen: list[Mapping[str, object]] = []

    async def listen(given: Mapping[str, object], _context: CallContext) -> Answer:
        seen.append(given)
        return Answer("heard")

    tool = Tool("listens", "Listens", "Listens.", (Param("number", "integer", "A number.", required=True),), listen)
    async with serving(tool, {}, era) as client:
        for sent in ({"number": "seven"}, {"number": None, "extra": [1]}, {}):
            assert text(await client.call_tool("listens", sent)) == "heard"
    assert seen == [{"number": "seven"}, {"number": None, "extra": [1]}, {}]
