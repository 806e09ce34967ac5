"""A stream of events is the same stream however it is cut into pieces and whatever ends its lines."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.net.clients import Reply
from dowse.providers.mcp.client import AnswerListener, EventReader

EVENTS = (
    b'data: {"a": 1}\n\n: comment\n\nevent: message\nid: 7\ndata: one\ndata:two\ndata\ndata:  three\n\nretry: 5\n\n'
)
EXPECTED = [b'{"a": 1}', b"one\ntwo\n\n three"]


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
@given(cuts=st.lists(st.integers(0, 130), max_size=12))
def test_pieces_and_line_ends_make_no_difference(line_end: bytes, cuts: list[int]) -> None:
    stream = EVENTS.replace(b"\n", line_end)
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    reader = EventReader()
    pieces = [stream[start:end] for start, end in pairwise(places)]
    assert [event for piece in pieces for event in reader.feed(piece)] == EXPECTED


def test_an_event_is_there_as_soon_as_the_empty_line_behind_it_is() -> None:
    reader = EventReader()
    assert reader.feed(b"data: x\n") == []
    assert reader.feed(b"\n") == [b"x"]


def test_an_event_that_the_end_cuts_short_is_given_all_the_same() -> None:
    reader = EventReader()
    assert reader.feed(b"data: x") == []
    assert reader.finish() == [b"x"]
    assert reader.finish() == []


def test_the_answer_is_found_among_other_messages() -> None:
    listener = AnswerListener(2)
    assert not listener.feed(b'data: {"jsonrpc": "2.0", "method": "notifications/progress"}\n\n')
    assert not listener.feed(b'data: {"jsonrpc": "2.0", "id": 2, "method": "ping"}\n\n')
    assert not listener.feed(b'data: {"jsonrpc": "2.0", "id": 1, "result": {}}\n\ndata: not JSON\n\ndata: [2]\n\n')
    assert listener.feed(b'data: {"jsonrpc": "2.0", "id": 2,\ndata: "result": {"x": 1}}\n\n')
    stream = Reply(200, {"content-type": "text/event-stream; charset=utf-8"}, b"")
    assert listener.answer(stream) == {"jsonrpc": "2.0", "id": 2, "result": {"x": 1}}


def test_the_first_answer_counts() -> None:
    listener = AnswerListener(1)
    assert listener.feed(b'data: {"id": 1, "result": {"x": 1}}\n\ndata: {"id": 1, "error": {"message": "late"}}\n\n')
    assert listener.answer(Reply(200, {"content-type": "text/event-stream"}, b"")) == {"id": 1, "result": {"x": 1}}


@pytest.mark.parametrize("number", ["5", 5])
def test_a_number_that_comes_back_as_text_is_still_ours(number: object) -> None:
    body = b'{"id": %s, "result": {}}' % (b'"5"' if isinstance(number, str) else b"5")
    assert AnswerListener(5).answer(Reply(200, {"content-type": "application/json"}, body))


def test_an_error_without_a_number_is_an_answer_and_a_result_without_one_is_not() -> None:
    json = {"content-type": "application/json"}
    assert AnswerListener(5).answer(Reply(400, json, b'{"id": null, "error": {}}')) == {"id": None, "error": {}}
    assert AnswerListener(5).answer(Reply(200, json, b'{"result": {}}')) is None
