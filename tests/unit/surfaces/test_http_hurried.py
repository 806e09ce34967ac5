"""Refusals from bytes alone: what is one whole call and nothing else, and whose it is."""

from __future__ import annotations

import json

import h11
from mcp_types import JSONRPCError, jsonrpc_message_adapter

from dowse.surfaces.http.hurried import REFUSAL, Told, head_of_call
from tests.support.tables import each_row

START = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
CALL = START + b"Content-Length: 2\r\n\r\n{}"


@each_row(
    "data",
    [
        CALL,
        CALL.replace(b"/mcp", b"/v1/mcp/"),
        CALL.replace(b"Content-Length: ", b"content-length:"),
        CALL.replace(b"Host", b"Authorization: Bearer x\r\nHost"),
        CALL.replace(b"Host", b"Connection: keep-alive\r\nHost"),
        CALL.replace(b"2\r\n\r\n{}", b"8\r\n\r\n\r\n\r\n\r\n\r\n"),
    ],
)
def test_a_whole_call_is_known_by_its_head(data: bytes) -> None:
    assert head_of_call(data) == data[: data.index(b"\r\n\r\n") + 2]


@each_row(
    "data",
    [
        b"",
        START,
        CALL[:-1],
        CALL + b"x",
        CALL + CALL,
        CALL.replace(b"POST", b"GET"),
        CALL.replace(b"/mcp", b"/readyz"),
        CALL.replace(b"/mcp", b"/mcp?query"),
        CALL.replace(b"/mcp", b"/mcps"),
        CALL.replace(b"1.1", b"1.0"),
        CALL.replace(b"2", b"-2"),
        CALL.replace(b"2", b"2, 2"),
        CALL.replace(b"2", b"2 "),
        CALL.replace(b"Host", b"Content-Length: 3\r\nHost"),
        CALL.replace(b"Host", b"Content-Length : 3\r\nHost"),
        CALL.replace(b"Host", b"Transfer-Encoding: chunked\r\nHost"),
        CALL.replace(b"Host", b"Transfer-Encoding : chunked\r\nHost"),
        CALL.replace(b"Host", b"X: y\r\n Transfer-Encoding: chunked\r\nHost"),
        CALL.replace(b"2\r\n", b"2\r\n 0\r\n"),
        CALL.replace(b"2\r\n", b"2\r\n\t0\r\n"),
        START + b"Content-Length: 2\n\n{}\r\n\r\n{}",
        CALL.replace(b"Host", b"EXPECT: 100-continue\r\nHost"),
        CALL.replace(b"Host", b"Origin: https://app.example.org\r\nHost"),
        CALL.replace(b"Host", b"Connection: close\r\nHost"),
        CALL.replace(b"Host", b"Connection: Upgrade\r\nUpgrade: websocket\r\nHost"),
    ],
)
def test_everything_else_gets_a_closer_look(data: bytes) -> None:
    assert head_of_call(data) == b""


def test_what_was_told_concerns_whoever_comes_with_the_same_credentials() -> None:
    told = Told("ana", b"Bearer Abc", until=0.0)
    head = START + b"authorization: %s\r\n"
    assert told.is_from_them(head % b"Bearer Abc")
    assert not any(told.is_from_them(head % other) for other in (b"Bearer Abcd", b"Bearer abc", b"Bearer A"))
    assert not told.is_from_them(START)


def test_who_came_without_credentials_is_anybody_without_credentials() -> None:
    told = Told("local", b"", until=0.0)
    assert told.is_from_them(START)
    assert not told.is_from_them(START + b"AUTHORIZATION: Bearer Abc\r\n")


def test_the_refusal_is_a_complete_answer_after_which_the_connection_goes_on() -> None:
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method="POST", target="/mcp", headers=[("Host", "a"), ("Content-Length", "0")]))
    client.send(h11.EndOfMessage())
    client.receive_data(REFUSAL)
    answer, body, end = (client.next_event() for _ in range(3))
    assert isinstance(answer, h11.Response)
    assert isinstance(body, h11.Data)
    assert isinstance(end, h11.EndOfMessage)
    headers = dict(answer.headers)
    assert (answer.status_code, headers[b"retry-after"]) == (503, b"1")
    assert json.loads(bytes(body.data))["retry_after"] == 1
    # As the official client reads it; anything else it would keep to itself.
    told = jsonrpc_message_adapter.validate_json(bytes(body.data), by_name=False)
    assert isinstance(told, JSONRPCError)
    assert (told.error.message.partition(";")[0], told.error.data) == (
        "the server has more calls than it can answer in time",
        {"retry_after": 1},
    )
    client.start_next_cycle()
