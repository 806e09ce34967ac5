"""The pipe protocol: what one side writes the other reads, and nothing else passes."""

from __future__ import annotations

import io

import pytest

from dowse.core.models import Facts, fields_of
from dowse.worker import protocol
from tests.support.tables import each_row


def test_a_frame_survives_the_pipe_byte_for_byte() -> None:
    payload = b"line\n\x00\xff" * 3
    pipe = io.BytesIO(protocol.encode_head({"title": "é\n", "ok": True}, len(payload)) + payload)

    frame = protocol.read_frame(pipe)

    assert frame is not None
    assert protocol.split_frame(frame) == ({"title": "é\n", "ok": True}, payload)
    assert protocol.read_frame(pipe) is None


@each_row("cut", [1, 4, 10])
def test_a_frame_that_was_cut_off_is_the_end(cut: int) -> None:
    whole = protocol.encode_head({"ok": True}, 5) + b"12345"

    assert protocol.read_frame(io.BytesIO(whole[:cut])) is None


@each_row("frame", [b"", b"{}", b"[]\n", b"not json\n", b"\xff\n"])
def test_what_is_no_frame_is_refused(frame: bytes) -> None:
    with pytest.raises(protocol.BrokenFrame):
        protocol.split_frame(frame)


@pytest.mark.parametrize("largest", [protocol.LARGEST_JOB, protocol.LARGEST_ANSWER])
def test_a_frame_larger_than_it_may_be_is_refused(largest: int) -> None:
    assert protocol.parse_length(largest.to_bytes(4, "big"), largest) == largest
    for size in (largest + 1, 2**32 - 1):
        with pytest.raises(protocol.BrokenFrame):
            protocol.parse_length(size.to_bytes(4, "big"), largest)


def test_facts_about_a_page_survive_the_pipe() -> None:
    facts = Facts("forum", "ana", "2026-03-02", "high", language="en", is_whole=True, hidden_words=7)
    head = protocol.encode_head({"ok": True, "facts": fields_of(facts)}, 0)

    header, _ = protocol.split_frame(head[protocol.LENGTH_BYTES :])

    assert protocol.decode_facts(header) == facts


@each_row("told", [None, [], "article", {"kind": 1, "hidden_words": True, "is_whole": 1, "colour": "x"}])
def test_facts_of_another_shape_are_not_known(told: object) -> None:
    assert protocol.decode_facts({"facts": told}) == Facts()


def test_texts_survive_the_pipe_and_lone_surrogates_do_not() -> None:
    sizes, payload = protocol.encode_texts(["é", "", "a\ud800", "橋"])

    assert protocol.split_texts(sizes, payload) == ["é", "", "a?", "橋"]


def test_scores_survive_the_pipe() -> None:
    assert protocol.decode_scores(protocol.encode_scores([0.5, 0.0]), 2) == (0.5, 0.0)


@each_row("text", ["", "{}", "[0.5]", '[0.5, "x"]', "[0.5, [1.0]]", "[0.5, 1.0, 2.0]"])
def test_an_answer_without_one_score_for_each_document_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        protocol.decode_scores(text, 2)
