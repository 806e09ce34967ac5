"""The pipe protocol: what one side writes the other reads, and nothing else passes."""

from __future__ import annotations

import io

import pytest

from dowse.extract import frames


def test_a_frame_survives_the_pipe_byte_for_byte() -> None:
    payload = b"line\n\x00\xff" * 3
    pipe = io.BytesIO(frames.head({"title": "é\n", "ok": True}, len(payload)) + payload)

    frame = frames.read(pipe)

    assert frame is not None
    assert frames.split(frame) == ({"title": "é\n", "ok": True}, payload)
    assert frames.read(pipe) is None


@pytest.mark.parametrize("cut", [1, 4, 10])
def test_a_frame_that_was_cut_off_is_the_end(cut: int) -> None:
    whole = frames.head({"ok": True}, 5) + b"12345"

    assert frames.read(io.BytesIO(whole[:cut])) is None


@pytest.mark.parametrize("frame", [b"", b"{}", b"[]\n", b"not json\n", b"\xff\n"])
def test_what_is_no_frame_is_refused(frame: bytes) -> None:
    with pytest.raises(frames.BrokenFrame):
        frames.split(frame)


@pytest.mark.parametrize("largest", [frames.LARGEST_JOB, frames.LARGEST_ANSWER])
def test_a_frame_larger_than_it_may_be_is_refused(largest: int) -> None:
    assert frames.length(largest.to_bytes(4, "big"), largest) == largest
    for size in (largest + 1, 2**32 - 1):
        with pytest.raises(frames.BrokenFrame):
            frames.length(size.to_bytes(4, "big"), largest)
