"""What pool and worker say to each other: a length, one line of JSON, then raw bytes. Nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import BinaryIO

CONVERT = "convert"
STRIP = "strip"

LENGTH_BYTES = 4
# A 5 MB page of nested lists can grow severalfold; anything beyond this is a worker gone wrong.
LARGEST_FRAME = 64 * 1024 * 1024


class BrokenFrame(ValueError):
    """The other side sent what no frame looks like."""


def head(header: Mapping[str, str | float | bool], payload_bytes: int) -> bytes:
    """Everything of a frame that precedes its payload."""
    line = json.dumps(header).encode("ascii") + b"\n"
    return (len(line) + payload_bytes).to_bytes(LENGTH_BYTES, "big") + line


def length(prefix: bytes) -> int:
    """How many bytes follow the prefix."""
    size = int.from_bytes(prefix, "big")
    if size > LARGEST_FRAME:
        raise BrokenFrame("frame too large")
    return size


def split(frame: bytes) -> tuple[dict[str, object], bytes]:
    """A frame, without its length, as header and payload."""
    line, newline, payload = frame.partition(b"\n")
    try:
        header = json.loads(line)
    except ValueError:
        raise BrokenFrame("header is not JSON") from None
    if not newline or not isinstance(header, dict):
        raise BrokenFrame("header is not an object")
    return header, payload


def read(source: BinaryIO) -> bytes | None:
    """The next frame of a blocking stream; `None` when the other side is gone."""
    prefix = source.read(LENGTH_BYTES)
    if len(prefix) < LENGTH_BYTES:
        return None
    size = length(prefix)
    frame = source.read(size)
    return frame if len(frame) == size else None
