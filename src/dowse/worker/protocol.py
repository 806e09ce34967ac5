"""What pool and worker say to each other: a length, one line of JSON, then raw bytes. Nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import BinaryIO

from dowse.core.errors import PageUnreadable
from dowse.core.models import MOST_TEXT_CHARS, Facts, Onward, Status, fields_of

CONVERT = "convert"
STRIP = "strip"
FRAGMENTS = "fragments"
DIGEST = "digest"
EXPLAIN = "explain"
LISTING = "listing"

LENGTH_BYTES = 4
# A job holds a document, and some are large.
LARGEST_JOB = 64 * 1024 * 1024
# As many characters of the largest kind, and the header; anything beyond is a worker gone wrong.
LARGEST_ANSWER = 4 * MOST_TEXT_CHARS + 1024 * 1024

Header = Mapping[str, object]


class BrokenFrame(ValueError):
    """The other side sent what no frame looks like."""


def head(header: Header, payload_bytes: int) -> bytes:
    """Everything of a frame that precedes its payload."""
    line = json.dumps(header).encode("ascii") + b"\n"
    return (len(line) + payload_bytes).to_bytes(LENGTH_BYTES, "big") + line


def verdict_header(verdict: PageUnreadable) -> Header:
    """The header of an answer that holds no text, because what came is not the page."""
    return {"ok": True, "status": verdict.status, "detail": verdict.detail, "onward": verdict.onward.value}


def verdict(header: Mapping[str, object]) -> PageUnreadable | None:
    """What a worker said about a page instead of its text."""
    if "status" not in header:
        return None
    try:
        status, onward = Status(str(header["status"])), Onward(str(header.get("onward")))
    except ValueError:
        raise BrokenFrame("no such status") from None
    return PageUnreadable(status, str(header.get("detail", "")), onward)


def facts(header: Mapping[str, object]) -> Facts:
    """What a worker found out about a page; what is of another type than it should be is not known."""
    told = header.get("facts")
    if not isinstance(told, dict):
        return Facts()
    nothing = fields_of(Facts())
    return Facts(**{name: told[name] for name in nothing if type(told.get(name)) is type(nothing[name])})


def length(prefix: bytes, largest: int) -> int:
    """How many bytes follow the prefix."""
    size = int.from_bytes(prefix, "big")
    if size > largest:
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
    """The next job of a blocking stream; `None` when the other side is gone."""
    prefix = source.read(LENGTH_BYTES)
    if len(prefix) < LENGTH_BYTES:
        return None
    size = length(prefix, LARGEST_JOB)
    frame = source.read(size)
    return frame if len(frame) == size else None
