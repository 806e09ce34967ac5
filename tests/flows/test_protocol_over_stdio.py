"""The stdio server as a client sees it: contract, both eras, arguments, progress, cancellation, the end."""

import asyncio
import json
from pathlib import Path

import anyio
import pytest
from mcp_types import CallToolResult

from dowse import __version__
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.stdio import SERVE

ERAS = ["legacy", "2026-07-28"]
SOON_S = 30.0


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


@pytest.mark.promise("case-1")
async def test_with_no_keys_it_starts_lists_its_tools_and_keeps_stdout_clean(server: Server) -> None:
    """Acceptance case 1."""
    async with server.bare({}) as bare:
        listed = await bare.ask("tools/list")
        stdout = await bare.end()
    messages = [json.loads(line) for line in stdout.splitlines()]
    assert [message["id"] for message in messages] == [1, 2]
    assert messages[0]["result"]["serverInfo"]["version"] == __version__
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["web_search", "get_content", "answer_question"]
    assert bare.process.returncode == 0


@pytest.mark.promise("case-2", "case-5")
@pytest.mark.parametrize("contract", ["dowse", "kindly"])
@pytest.mark.parametrize("era", ERAS)
async def test_both_eras_offer_the_same_tools(server: Server, era: str, contract: str) -> None:
    """Acceptance cases 2 and 5."""
    async with server.connect({"DOWSE_CONTRACT": contract}, mode=era) as client:
        tools = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    assert tools["web_search"]["required"] == ["query"]
    assert tools["web_search"]["properties"]["num_results"]["default"] == 3
    # One of url and urls: no schema that every client takes can say so.
    assert tools["get_content"].get("required") == (["url"] if contract == "kindly" else None)
    assert list(tools["get_content"]["properties"])[:2] == (["url"] if contract == "kindly" else ["url", "urls"])
    assert "return_full_pages" not in tools["web_search"]["properties"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_search_answers_in_both_eras(web: PocketWeb, server: Server, era: str) -> None:
    async with server.connect(web.environment("serper"), mode=era) as client:
        result = await client.call_tool("web_search", {"query": "python release"})
    assert len(result.structured_content["results"]) == 3


@pytest.mark.promise("case-4", "case-37")
async def test_every_result_field_is_a_string_even_when_the_page_fails(web: PocketWeb, server: Server) -> None:
    """Acceptance cases 4 and 37."""
    web.serper.finds([web.page("/articles/python-315"), web.page("/missing"), "https://nowhere.invalid/", "/soft"])
    web.pages.fails("/soft", "500")
    async with server.connect(web.environment("serper") | {"DOWSE_CONTRACT": "kindly"}) as client:
        result = await client.call_tool("web_search", {"query": "python", "num_results": 4})
    items = json.loads(text(result))["results"]
    assert len(items) == 4
    for item in items:
        assert set(item) == {"title", "link", "snippet", "page_content"}
        assert all(isinstance(value, str) for value in item.values())
    notes = {item["link"]: item["page_content"] for item in items[1:]}
    for link, note in notes.items():
        assert note.startswith("_Failed to retrieve page content: ")
        assert note.endswith(f"\n\nSource: {link}")


BAD_ARGUMENTS = [
    ({"query": ""}, "query must not be empty."),
    ({"query": " \t\u200b\n "}, "query must not be empty."),
    ({}, "query is required."),
    ({"query": "x" * 501}, "query must have at most 500 characters; it has 501."),
    ({"query": "x", "num_results": 0}, "num_results must be a whole number from 1 to 50, not 0."),
    ({"query": "x", "num_results": -1}, "num_results must be a whole number from 1 to 50, not -1."),
    ({"query": "x", "num_results": "x"}, 'num_results must be a whole number from 1 to 50, not "x".'),
    ({"query": "x", "num_results": 2.5}, "num_results must be a whole number from 1 to 50, not 2.5."),
    ({"query": "x", "language": "not-a-lang"}, 'language must be like en or pt-BR, not "not-a-lang".'),
    ({"query": ["x"]}, "query must be text, not a list."),
    ({"text": "x"}, 'query is required. unknown argument "text" was ignored.'),
]


@pytest.mark.promise("case-6", "case-7", "case-8")
async def test_bad_arguments_are_one_sentence_and_no_network_call(web: PocketWeb, server: Server) -> None:
    """Acceptance cases 6, 7 and 8; the server stays alive."""
    async with server.connect(web.environment("serper", "tavily")) as client:
        for arguments, sentence in BAD_ARGUMENTS:
            result = await client.call_tool("web_search", arguments)
            assert (result.is_error, text(result)) == (True, sentence)
        assert web.serper.requests == []
        assert not (await client.call_tool("web_search", {"query": "python"})).is_error


async def test_sloppy_values_are_clamped_with_a_note(web: PocketWeb, server: Server) -> None:
    arguments = {
        "q": "python",
        "num_results": 100,
        "max_tokens": 100_000,
        "language": "EN",
        "start_date": "2026-1-5",
        "fetch_content": False,
    }
    async with server.connect(web.environment("serper") | {"DOWSE_STRUCTURED": "off"}) as client:
        result = await client.call_tool("web_search", arguments)
    assert not result.is_error
    notes = [line.removeprefix("Note: ") for line in text(result).splitlines() if line.startswith("Note: ")]
    assert notes[:5] == [
        "q was read as query",
        "num_results is at most 50; 100 was read as 50",
        'language "EN" was read as en',
        'start_date "2026-1-5" was read as 2026-01-05',
        "max_tokens is at most 24000; 100000 was read as 24000",
    ]


async def test_sloppy_arguments_are_understood_and_unknown_ones_mentioned(web: PocketWeb, server: Server) -> None:
    arguments = {
        "query": "  python \n release ",
        "max_results": "2",
        "fetch_content": "false",
        "include_domains": "127.0.0.1",
        "return_full_pages": True,
        "num_result": 5,
    }
    async with server.connect(web.environment("serper")) as client:
        result = await client.call_tool("web_search", arguments)
    found = result.structured_content
    assert (found["query"], len(found["results"])) == ("python release", 2)
    assert {item["status"] for item in found["results"]} == {"not_fetched"}
    assert found["warnings"] == ['unknown argument "num_result" was ignored; did you mean num_results?']
    assert web.pages.requests == []


async def test_an_unknown_tool_is_a_protocol_error_and_not_the_end(server: Server) -> None:
    async with server.connect({}) as client:
        with pytest.raises(Exception, match="Unknown tool: nope"):
            await client.call_tool("nope", {})
        assert len((await client.list_tools()).tools) == 3


@pytest.mark.parametrize("era", ERAS)
async def test_progress_is_told_per_attempt_and_per_page_when_asked_for(
    web: PocketWeb, server: Server, era: str
) -> None:
    web.serper.fails("500")
    steps: list[str] = []

    async def listen(_progress: float, _total: float | None, message: str | None) -> None:
        steps.append(message or "")

    async with server.connect(web.environment("serper", "tavily"), mode=era) as client:
        await client.call_tool("web_search", {"query": "python", "num_results": 2}, progress_callback=listen)
    assert steps == [
        "search: asking serper",
        "search: asking tavily",
        "read 0 of 2 pages",
        "read 1 of 2 pages",
        "read 2 of 2 pages",
    ]


@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_reading_a_page_is_told_before_it_is_waited_for(web: PocketWeb, server: Server, contract: str) -> None:
    steps: list[str] = []

    async def listen(_progress: float, _total: float | None, message: str | None) -> None:
        steps.append(message or "")

    url = web.page("/articles/python-315")
    async with server.connect(web.environment() | {"DOWSE_CONTRACT": contract}) as client:
        await client.call_tool("get_content", {"url": url}, progress_callback=listen)
    assert steps == [f"reading {url}"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("stage", ["search", "page"])
async def test_cancelling_closes_the_upstream_connection(web: PocketWeb, server: Server, era: str, stage: str) -> None:
    double = web.serper if stage == "search" else web.pages
    if stage == "search":
        web.serper.fails("hang")
    else:
        web.serper.finds(["/slow"])
        web.pages.fails("/slow", "hang")
    async with server.connect(web.environment("serper"), mode=era) as client:
        with anyio.move_on_after(SOON_S) as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "web_search", {"query": "python"})
                request = await double.arrived()
                group.cancel_scope.cancel()
            await request.closed.wait()
            assert len((await client.list_tools()).tools) == 3
    assert not scope.cancelled_caught


async def test_a_cancelled_call_is_never_answered(web: PocketWeb, server: Server) -> None:
    web.serper.fails("hang")
    async with server.bare(web.environment("serper")) as bare:
        number = await bare.start("tools/call", {"name": "web_search", "arguments": {"query": "python"}})
        request = await web.serper.arrived()
        await bare.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        await asyncio.wait_for(request.closed.wait(), SOON_S)
        await bare.ask("ping")
        stdout = await bare.end()
    assert number not in [json.loads(line).get("id") for line in stdout.splitlines()]


@pytest.mark.promise("case-11")
async def test_closing_stdin_ends_the_process_and_its_workers_while_a_page_hangs(
    web: PocketWeb, server: Server
) -> None:
    """Acceptance case 11; the time it takes is in tests/slow."""
    web.pages.fails("/slow", "hang")
    async with server.bare(web.environment("serper"), SERVE) as bare:
        assert "result" in await bare.call("get_content", url=web.page("/articles/python-315"))
        children = _children(bare.process.pid)
        assert children, "the page was converted in a worker process"
        await bare.start("tools/call", {"name": "get_content", "arguments": {"url": web.page("/slow")}})
        request = await web.pages.arrived(2)
        await bare.end()
    assert bare.process.returncode == 0
    await asyncio.wait_for(request.closed.wait(), SOON_S)
    assert [pid for pid in children if _is_running(pid)] == []


async def test_sigterm_ends_it_cleanly_although_stdin_is_open(server: Server) -> None:
    async with server.bare({}) as bare:
        bare.process.terminate()
        assert await asyncio.wait_for(bare.process.wait(), SOON_S) == 0


async def test_garbage_on_stdin_does_not_end_the_server(server: Server) -> None:
    async with server.bare({}) as bare:
        await bare.send_bytes(b'\xff\xfe not json\n{}\n[]\n\n{"jsonrpc": "2.0"}\n')
        assert (await bare.ask("ping"))["result"] == {}


async def test_logs_are_json_lines_without_the_query_or_the_url(web: PocketWeb, server: Server) -> None:
    web.serper.fails("500")
    query = "canary quetzal question"
    async with server.connect(web.environment("serper", "tavily")) as client:
        await client.call_tool("web_search", {"query": query, "num_results": 1})
    events = [json.loads(line) for line in server.log.splitlines()]
    by_name = {event["event"]: event for event in events}
    searched, fetched = by_name["search completed using engine"], by_name["fetch completed using engine"]
    assert {"engine", "query_hash", "result_count", "ms"} <= set(searched)
    assert {"engine", "host", "url_hash", "ms"} <= set(fetched)
    assert by_name["attempt failed"]["level"] == "warning"
    assert "quetzal" not in server.log
    assert "/articles/" not in server.log


async def test_a_query_that_an_upstream_repeats_is_not_in_the_log(web: PocketWeb, server: Server) -> None:
    """The caller knows what it asked; the log must not, whoever says it."""
    web.serper.replies(json={"error": "I do not understand 'canary quetzal question'"}, status=400)
    async with server.connect(web.environment("serper")) as client:
        result = await client.call_tool("web_search", {"query": "canary quetzal question"})
    assert (result.is_error, "quetzal" in text(result)) == (True, True)
    assert '"outcome": "bad_request"' in server.log
    assert "quetzal" not in server.log


async def test_a_page_that_failed_is_logged_by_host_and_hash(web: PocketWeb, server: Server) -> None:
    async with server.connect(web.environment("serper")) as client:
        await client.call_tool("get_content", {"url": web.page("/missing?canary=quetzal")})
    (failed,) = [json.loads(line) for line in server.log.splitlines() if '"attempt failed"' in line]
    assert (failed["host"], failed["outcome"], failed["detail"]) == ("127.0.0.1", "not_found", "HTTP 404")
    assert "url_hash" in failed
    assert "quetzal" not in server.log


async def test_queries_are_logged_when_asked_for(web: PocketWeb, server: Server) -> None:
    async with server.connect(web.environment("serper") | {"DOWSE_LOG_QUERIES": "true"}) as client:
        await client.call_tool("web_search", {"query": "quetzal", "num_results": 1})
    assert '"query": "quetzal"' in server.log


async def test_without_structured_output_the_text_has_the_pages_in_their_fence(web: PocketWeb, server: Server) -> None:
    async with server.connect(web.environment("serper") | {"DOWSE_STRUCTURED": "off"}) as client:
        result = await client.call_tool("web_search", {"query": "python", "num_results": 1})
    assert result.structured_content is None
    assert "<<< untrusted page 1" in text(result)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
