"""The MCP Inspector, a client of other makers, against the real server: its schema lint, both eras, HTTP."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.clients.inspector import Inspector, Run
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.forked import dowse

ERAS = ["legacy", "modern"]
# As a client starts it; where that is not what a test is about, one is forked.
DOWSE = [sys.executable, "-m", "dowse", "serve"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_the_schemas_are_portable_and_the_same_in_both_eras(
    inspector: Inspector, server: Server, era: str, contract: str
) -> None:
    run = await inspector(
        list(dowse("serve")),
        server.environment({"DOWSE_CONTRACT": contract}),
        *("--method", "tools/list", "--strict", "--protocol-era", era),
    )
    assert (run.code, run.stderr) == (0, "")
    further = ["answer_question"] if contract == "dowse" else []
    assert [tool["name"] for tool in run.json["tools"]] == ["web_search", "get_content", *further]


@pytest.mark.parametrize("era", ERAS)
async def test_a_search_brings_results_with_their_pages(
    inspector: Inspector, server: Server, web: PocketWeb, era: str
) -> None:
    run = await inspector(
        DOWSE,
        server.environment(web.environment("serper")),
        *("--method", "tools/call", "--tool-name", "web_search", "--protocol-era", era),
        *("--tool-arg", "query=python 3.15 release", "num_results=2"),
    )
    assert run.code == 0, run.stderr
    found = run.json["structuredContent"]
    assert (found["engine"], len(found["results"])) == ("serper", 2)
    assert found["results"][0]["link"] == web.page("/articles/python-315")
    assert found["results"][0]["status"] == "ok"


@pytest.mark.parametrize("era", ERAS)
async def test_a_failed_call_is_an_error_result_and_not_a_broken_connection(
    inspector: Inspector, server: Server, web: PocketWeb, era: str
) -> None:
    web.serper.fails("401")
    run = await inspector(
        list(dowse("serve")),
        server.environment(web.environment("serper")),
        *("--method", "tools/call", "--tool-name", "web_search", "--tool-arg", "query=python", "--protocol-era", era),
    )
    assert run.json["isError"] is True
    assert run.json["content"][0]["text"].startswith("serper rejected its key: HTTP 401")


TOKEN = "a-token-of-the-inspector"


async def over_http(inspector: Inspector, url: str, *options: str, token: str = "") -> Run:
    credentials = ("--header", f"Authorization: Bearer {token}") if token else ()
    return await inspector([url], {}, "--transport", "http", *credentials, *options)


@pytest.mark.parametrize("era", ERAS)
async def test_over_http_it_lists_and_calls_with_a_token(
    inspector: Inspector, server: Server, web: PocketWeb, era: str
) -> None:
    async with server.here(web.environment("serper") | {"DOWSE_TOKENS": f"inspector:{TOKEN}"}) as http:
        listed = await over_http(
            inspector, http.url, "--method", "tools/list", "--strict", "--protocol-era", era, token=TOKEN
        )
        called = await over_http(
            *(inspector, http.url, "--method", "tools/call", "--tool-name", "web_search", "--protocol-era", era),
            *("--tool-arg", "query=python 3.15 release", "num_results=1"),
            token=TOKEN,
        )
    assert listed.code == 0, listed.stderr
    assert [tool["name"] for tool in listed.json["tools"]] == ["web_search", "get_content", "answer_question"]
    assert called.code == 0, called.stderr
    assert called.json["structuredContent"]["results"][0]["status"] == "ok"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("token", ["", "a-token-of-somebody-else"])
async def test_over_http_without_the_token_it_sees_nothing(
    inspector: Inspector, server: Server, web: PocketWeb, era: str, token: str
) -> None:
    async with server.here(web.environment("serper") | {"DOWSE_TOKENS": f"inspector:{TOKEN}"}) as http:
        for method in (("tools/list",), ("tools/call", "--tool-name", "web_search", "--tool-arg", "query=python")):
            run = await over_http(inspector, http.url, "--method", *method, "--protocol-era", era, token=token)
            assert run.code != 0
            assert '"auth_required"' in run.stderr, run.stderr
            assert "web_search" not in run.stdout
    assert web.serper.requests == []


STRANGE = """
import anyio, mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "properties": {"query": {"$ref": "https://schemas.example/query.json"}}}

async def list_tools(context, params):
    return types.ListToolsResult(tools=[types.Tool(name="strange", description="x", input_schema=SCHEMA)])

async def main():
    server = Server("strange", on_list_tools=list_tools)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())

anyio.run(main)
"""


async def test_the_lint_would_find_a_schema_that_is_not_portable(
    inspector: Inspector, server: Server, tmp_path: Path
) -> None:
    script = tmp_path / "strange.py"
    script.write_text(STRANGE)
    run = await inspector([sys.executable, str(script)], server.environment({}), "--method", "tools/list", "--strict")
    assert "1 warning across 1 tool" in run.stderr
