"""The HTTP server as clients see it: both eras, JSON and streams, and what it refuses without falling over."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from dowse import __version__
from dowse.surfaces.http import body as http_body
from dowse.surfaces.http import serve
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import LEGACY, MODERN, HttpServer, call, call_headers
from tests.support.tables import each_row

ERAS = [LEGACY, MODERN]
MODES = ["legacy", MODERN]
QUICKLY: dict[str, object] = {"query": "python release", "num_results": 1, "fetch_content": False}
MIB = 1024 * 1024


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def http(module_server: Server, module_web: PocketWeb) -> AsyncIterator[HttpServer]:
    """One server for all: whatever it refuses, it answers the next request."""
    async with module_server.here(module_web.environment("serper")) as running:
        yield running


@pytest.fixture(autouse=True)
def fresh_web(web: PocketWeb) -> None:
    """No test finds the requests of another."""


async def answers(http: HttpServer) -> bool:
    async with http.post("web_search", QUICKLY) as response:
        return response.status == 200 and not (await response.json())["result"]["isError"]


@pytest.mark.promise("case-2", "case-5")
@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_a_client_lists_and_calls_in_both_eras(server: Server, web: PocketWeb, contract: str) -> None:
    """Acceptance cases 2 and 5, over HTTP and with the server in a process of its own."""
    async with server.http(web.environment("serper"), "--contract", contract) as http:
        for mode in MODES:
            async with http.client(mode) as client:
                listed = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
                found = await client.call_tool("web_search", {"query": f"python {mode}", "num_results": 2})
            assert list(listed) == ["web_search", "get_content", *(["answer_question"] if contract == "dowse" else [])]
            assert listed["web_search"]["required"] == ["query"]
            assert not found.is_error
            assert "Python 3.15" in found.content[0].text
            assert (found.structured_content is None) == (contract == "kindly")


async def test_the_handshake_names_the_server_and_starts_no_session(http: HttpServer) -> None:
    params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    async with http.session.post(http.url, json=hello, headers=call_headers("")) as response:
        result = (await response.json())["result"]
    assert result["serverInfo"] == {"name": "dowse", "title": "dowse", "version": __version__}
    assert result["protocolVersion"] == LEGACY
    assert "Mcp-Session-Id" not in response.headers


@each_row("version", ERAS)
@each_row("path", ["/mcp", "/v1/mcp"])
async def test_without_a_progress_token_the_answer_is_one_json_document(
    http: HttpServer, version: str, path: str
) -> None:
    async with http.post("web_search", QUICKLY, version=version, path=path) as response:
        answer = await response.json()
    assert (response.status, response.content_type) == (200, "application/json")
    assert answer["result"]["structuredContent"]["engine"] == "serper"


@each_row("version", ERAS)
async def test_with_a_progress_token_the_steps_are_streamed_before_the_answer(http: HttpServer, version: str) -> None:
    async with http.post("web_search", QUICKLY, version=version, progress_token="token-7") as response:
        assert response.content_type == "text/event-stream"
        step, answer = [json.loads(line[6:]) async for line in response.content if line.startswith(b"data: ")]
    assert step["method"] == "notifications/progress"
    assert step["params"] == {"progressToken": "token-7", "progress": 1, "message": "search: asking serper"}
    assert answer["result"]["structuredContent"]["engine"] == "serper"


@each_row("version", ERAS)
async def test_who_takes_no_stream_gets_json_although_it_asked_for_progress(http: HttpServer, version: str) -> None:
    only_json = {"Accept": "application/json"}
    async with http.post(
        "web_search", QUICKLY, version=version, progress_token="token-7", headers=only_json
    ) as response:
        assert (response.status, response.content_type) == (200, "application/json")


@each_row("mode", MODES)
async def test_a_client_is_told_the_steps_in_order(http: HttpServer, web: PocketWeb, mode: str) -> None:
    steps: list[str] = []

    async def listen(_progress: float, _total: float | None, message: str | None) -> None:
        steps.append(message or "")

    async with http.client(mode) as client:
        await client.call_tool("web_search", {"query": "python", "num_results": 2}, progress_callback=listen)
    assert steps == ["search: asking serper", "read 0 of 2 pages", "read 1 of 2 pages", "read 2 of 2 pages"]


@each_row("version", ERAS)
async def test_an_unknown_tool_is_a_protocol_error(http: HttpServer, version: str) -> None:
    async with http.post("nope", {}, version=version) as response:
        error = (await response.json())["error"]
    assert (error["code"], error["message"]) == (-32602, "Unknown tool: nope")


@each_row("version", ERAS)
async def test_errors_repeat_little_of_what_was_sent(http: HttpServer, version: str) -> None:
    async with http.post("t" * 100_000, {}, version=version, headers={"Mcp-Name": "t"}) as response:
        assert len(await response.text()) < 300
    message = call("", {}, version=version) | {"method": "m" * 100_000}
    headers = call_headers("", version) | {"Mcp-Method": "m"}
    async with http.session.post(http.url, json=message, headers=headers) as response:
        assert len(await response.text()) < 300


async def test_an_unknown_method_is_told_back_with_80_characters_at_most(http: HttpServer) -> None:
    message = call("", {}) | {"method": "m" * 1000}
    async with http.session.post(http.url, json=message, headers=call_headers("")) as response:
        error = (await response.json())["error"]
    assert error == {"code": -32601, "message": "Method not found", "data": "m" * 80}


@each_row("path", ["/mcp/", "/v1/mcp/"])
async def test_a_slash_at_the_end_leads_to_the_same_place(http: HttpServer, path: str) -> None:
    async with http.post("web_search", QUICKLY, path=path, allow_redirects=False) as response:
        assert (response.status, response.content_type) == (200, "application/json")


async def test_no_request_is_redirected(http: HttpServer) -> None:
    async with http.session.get(http.origin + "/healthz/", allow_redirects=False) as response:
        assert response.status == 404


@each_row("path", ["/mcp", "/v1/mcp"])
@each_row("method", ["GET", "DELETE", "PUT"])
async def test_only_post_is_served(http: HttpServer, method: str, path: str) -> None:
    async with http.session.request(method, http.origin + path) as response:
        assert (response.status, response.headers["Allow"]) == (405, "POST")


async def test_health_and_readiness_are_one_word_each(http: HttpServer) -> None:
    told = {}
    for path in ("/healthz", "/readyz"):
        async with http.session.get(http.origin + path) as response:
            told[path] = (response.status, await response.text())
    assert told == {"/healthz": (200, "ok\n"), "/readyz": (200, "ready\n")}


MALFORMED = [b"", b"{nope", b"\xff\xfe{}", b"[" * 100_000, b"17", b"[]", b"{}", b'{"jsonrpc": "2.0", "id": 1}']


@each_row("version", ERAS)
async def test_a_body_that_is_no_request_is_a_json_rpc_error_and_not_the_end(http: HttpServer, version: str) -> None:
    headers = call_headers("web_search", version) | {"Content-Type": "application/json"}
    for body in MALFORMED:
        async with http.session.post(http.url, data=body, headers=headers) as response:
            answer = await response.json()
        assert response.status == 400, body[:20]
        assert answer["error"]["code"] in (-32700, -32600, -32602), body[:20]
    assert await answers(http)


@each_row("version", ERAS)
@each_row("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
async def test_another_content_type_is_refused_and_no_tool_runs(
    http: HttpServer, web: PocketWeb, version: str, content_type: str
) -> None:
    """A form on any web page can send these without asking the server first."""
    headers = call_headers("web_search", version) | {"Content-Type": content_type}
    body = json.dumps(call("web_search", QUICKLY, version=version))
    async with http.session.post(http.url, data=body.encode(), headers=headers) as response:
        assert response.status == 400
    assert web.serper.requests == []


async def test_a_body_over_1_mib_is_refused_before_it_is_read(http: HttpServer) -> None:
    reader, writer = await http.connection()
    writer.write(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
    writer.write(b"Content-Length: %d\r\n\r\n" % (MIB + 1))
    assert (await reader.readline()).startswith(b"HTTP/1.1 413 ")
    assert b"\r\nconnection: close\r\n" in (await reader.read()).lower()
    writer.close()
    assert await answers(http)


async def test_a_body_of_unknown_length_is_refused_once_it_is_over_1_mib(http: HttpServer) -> None:
    reader, writer = await http.connection()
    writer.write(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    writer.write(b"100001\r\n" + b"x" * (MIB + 1) + b"\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 413 ")
    writer.close()
    assert await answers(http)


async def test_a_body_of_1_mib_is_taken(http: HttpServer) -> None:
    message = call("web_search", QUICKLY | {"note": ""})
    size = len(json.dumps(message))
    message["params"]["arguments"]["note"] = "x" * (MIB - size)  # type: ignore[index]
    async with http.session.post(http.url, json=message, headers=call_headers("web_search")) as response:
        assert response.status == 200


async def test_a_body_that_does_not_arrive_in_time_is_given_up(
    http: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_body, "BODY_TIMEOUT_S", 0.01)
    reader, writer = await http.connection()
    writer.write(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
    assert (await reader.readline()).startswith(b"HTTP/1.1 408 ")
    await reader.read()
    writer.close()


@each_row("said", [b"", b"POST /mcp HT", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"])
async def test_a_connection_that_does_not_say_what_it_wants_is_closed(
    http: HttpServer, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(serve, "HEADERS_TIMEOUT_S", 0.01)
    reader, writer = await http.connection()
    writer.write(said)
    assert await reader.read() == b""
    writer.close()


async def test_a_kept_connection_that_stops_within_a_further_head_is_closed(
    http: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, writer = await http.connection()
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    await reader.readuntil(b"ok\n")
    monkeypatch.setattr(serve, "HEADERS_TIMEOUT_S", 0.01)
    writer.write(b"GET /healthz HT")
    assert await reader.read() == b""
    writer.close()


@each_row("sent", ["at once", "in pieces"])
async def test_a_head_over_128_kb_is_refused(http: HttpServer, sent: str) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"x" * 130 * 1024 + b"\r\n\r\n"
    reader, writer = await http.connection()
    size = len(head) if sent == "at once" else 5000
    for start in range(0, len(head), size):
        writer.write(head[start : start + size])
        await writer.drain()
    assert (await reader.readline()).startswith(b"HTTP/1.1 400 ")
    await reader.read()
    writer.close()
    assert await answers(http)


async def test_a_head_of_120_kb_is_taken(http: HttpServer) -> None:
    async with http.session.get(http.origin + "/healthz", headers={"X-Long": "x" * 120 * 1024}) as response:
        assert response.status == 200


async def test_what_is_not_http_is_refused_and_not_the_end(http: HttpServer) -> None:
    for noise in (b"\x16\x03\x01\x02\x00\x01\x00\x01", b"GET\r\n\r\n", b"\r\n" * 50 + b"\0\0\0\r\n\r\n"):
        reader, writer = await http.connection()
        writer.write(noise)
        assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
        writer.close()
    assert await answers(http)


async def test_a_connection_is_kept_for_further_requests(http: HttpServer) -> None:
    reader, writer = await http.connection()
    for _ in range(3):
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert (await reader.readuntil(b"ok\n")).startswith(b"HTTP/1.1 200 ")
    writer.close()


def sentence(result: Any) -> str:
    (block,) = result.content
    return str(block.text)


@pytest.mark.promise("case-6", "case-7", "case-8")
@each_row("mode", MODES)
async def test_bad_arguments_are_one_sentence_and_no_network_call(http: HttpServer, web: PocketWeb, mode: str) -> None:
    """Acceptance cases 6 to 8 over HTTP."""
    async with http.client(mode) as client:
        result = await client.call_tool("web_search", {"query": "x", "num_results": 0})
    assert (result.is_error, sentence(result)) == (
        True,
        "num_results must be a whole number from 1 to 50, not 0.",
    )
    assert web.serper.requests == []
