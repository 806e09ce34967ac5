"""The MCP Inspector lists dowse's tools and calls one; `tests/slow/clients` has everything else that it can do."""

from __future__ import annotations

from tests.clients.inspector import Inspector
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.forked import dowse


async def test_the_inspector_lists_the_tools_with_portable_schemas_and_calls_one(
    inspector: Inspector, server: Server, web: PocketWeb
) -> None:
    command, settings = list(dowse("serve")), server.environment(web.environment("serper"))
    listed = await inspector(command, settings, "--method", "tools/list", "--strict")
    assert (listed.code, listed.stderr) == (0, "")
    assert [tool["name"] for tool in listed.json["tools"]] == ["web_search", "get_content", "answer_question"]

    words = ("--method", "tools/call", "--tool-name", "web_search")
    called = await inspector(command, settings, *words, "--tool-arg", "query=python 3.15 release", "num_results=1")
    assert called.code == 0, called.stderr
    (found,) = called.json["structuredContent"]["results"]
    assert (found["link"], found["status"]) == (web.page("/articles/python-315"), "ok")
