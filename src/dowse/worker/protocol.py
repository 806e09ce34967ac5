"""Pipe protocol of the workers: a length, one line of JSON as header, then raw bytes. Nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import accumulate
from typing import BinaryIO

from dowse.core.digests import Digest, Source
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Facts, Onward, Status, fields_of
from dowse.core.reasons import FailureReason
from dowse.core.text import MOST_TEXT_CHARS
from dowse.core.tokens import divide_budget

CONVERT = "convert"
STRIP = "strip"
FRAGMENTS = "fragments"
DIGEST = "digest"
EXPLAIN = "explain"
LISTING = "listing"
SCORES = "scores"

LENGTH_BYTES = 4
# Large enough for a job with a large document.
LARGEST_JOB = 64 * 1024 * 1024
# The longest text in four-byte characters, and the header; a larger answer comes from a broken worker.
LARGEST_ANSWER = 4 * MOST_TEXT_CHARS + 1024 * 1024
# Of all pages of a job: two of the longest, or twenty of usual size. The rest of a page is neither sent nor searched.
_MAX_SOURCES_CHARS = 2 * MOST_TEXT_CHARS

Header = Mapping[str, object]


class BrokenFrame(ValueError):
    """The bytes from the other side are no frame."""


def encode_head(header: Header, payload_bytes: int) -> bytes:
    """The bytes of a frame before its payload."""
    line = json.dumps(header).encode("ascii") + b"\n"
    return (len(line) + payload_bytes).to_bytes(LENGTH_BYTES, "big") + line


def parse_length(prefix: bytes, largest: int) -> int:
    """The number of bytes behind the length prefix of a frame."""
    size = int.from_bytes(prefix, "big")
    if size > largest:
        raise BrokenFrame("frame too large")
    return size


def split_frame(frame: bytes) -> tuple[dict[str, object], bytes]:
    """The header and the payload of a frame without its length."""
    line, newline, payload = frame.partition(b"\n")
    try:
        header = json.loads(line)
    except ValueError:
        raise BrokenFrame("header is not JSON") from None
    if not newline or not isinstance(header, dict):
        raise BrokenFrame("header is not an object")
    return header, payload


def read_frame(source: BinaryIO) -> bytes | None:
    """The next job of a blocking stream; `None` at its end."""
    prefix = source.read(LENGTH_BYTES)
    if len(prefix) < LENGTH_BYTES:
        return None
    size = parse_length(prefix, LARGEST_JOB)
    frame = source.read(size)
    return frame if len(frame) == size else None


def encode_texts(texts: Sequence[str]) -> tuple[list[int], bytes]:
    """The payload of several texts, with the size of each in bytes."""
    encoded = [text.encode("utf-8", "replace") for text in texts]
    return list(map(len, encoded)), b"".join(encoded)


def split_texts(sizes: object, payload: bytes) -> list[str]:
    """The texts of a payload."""
    assert isinstance(sizes, list)
    ends = list(accumulate(sizes))
    return [payload[end - size : end].decode() for size, end in zip(sizes, ends, strict=True)]


def encode_body(body: Body) -> tuple[list[int], bytes]:
    """The payload of a body: its bytes and then its style sheets, with the size of each sheet."""
    sizes, sheets = encode_texts(body.sheets)
    return sizes, body.data + sheets if sheets else body.data


def decode_body(job: Header, payload: bytes) -> Body:
    """The body of a job."""
    sizes = job.get("sheets")
    sheets: list[str] = []
    for size in reversed(sizes) if isinstance(sizes, list) else ():
        payload, sheet = payload[: len(payload) - size], payload[len(payload) - size :]
        sheets.insert(0, sheet.decode("utf-8", "replace"))
    return Body(str(job["url"]), payload, str(job["media_type"]), str(job["charset"]), sheets=tuple(sheets))


def decode_texts(header: Header, name: str) -> tuple[str, ...]:
    """A list of texts in the header of an answer, such as addresses; anything else counts as none."""
    given = header.get(name)
    return tuple(each for each in given if isinstance(each, str)) if isinstance(given, list) else ()


def encode_verdict(verdict: PageUnreadable) -> Header:
    """The header of an answer without text: the body is not the page but stands in its place."""
    return {
        "ok": True,
        "status": verdict.status,
        "detail": verdict.detail,
        "onward": verdict.onward.value,
        "reason": verdict.reason,
    }


def decode_verdict(header: Header) -> PageUnreadable | None:
    """The verdict in the header of an answer, if any."""
    if "status" not in header:
        return None
    try:
        status, onward = Status(str(header["status"])), Onward(str(header.get("onward")))
        reason = FailureReason(str(header["reason"])) if header.get("reason") else None
    except ValueError:
        raise BrokenFrame("no such status or reason") from None
    return PageUnreadable(status, str(header.get("detail", "")), onward, reason=reason)


def decode_facts(header: Header) -> Facts:
    """The facts about a page in the header of an answer; a value of the wrong type counts as unknown."""
    given = header.get("facts")
    if not isinstance(given, dict):
        return Facts()
    unknown = fields_of(Facts())
    return Facts(**{name: given[name] for name in unknown if type(given.get(name)) is type(unknown[name])})


def encode_sources(sources: Sequence[Source], max_tokens: int) -> tuple[list[dict[str, object]], bytes]:
    """Pages to digest: their descriptions for the header, and their texts as payload."""
    sent = divide_budget([len(source.text) for source in sources], _MAX_SOURCES_CHARS)
    texts = [source.text[:size].encode("utf-8", "replace") for source, size in zip(sources, sent, strict=True)]
    described: list[dict[str, object]] = [
        {
            "title": source.title,
            "url": source.url,
            "description": source.description,
            "bytes": len(text),
            # Without a budget the caller shows the whole page, also the part that was not sent.
            "is_cut": max_tokens > 0 and len(source.text) > size,
        }
        for source, text, size in zip(sources, texts, sent, strict=True)
    ]
    return described, b"".join(texts)


def decode_sources(described: object, data: bytes) -> list[Source]:
    """The pages of a digest job; a truncated one ends with a whole line."""
    from dowse.document.clean import beginning

    sources, at = [], 0
    assert isinstance(described, list)
    for page in described:
        end = at + page["bytes"]
        text = data[at:end].decode()
        text = beginning(text, len(text)) if page["is_cut"] else text
        sources.append(Source(text, page["title"], page["url"], page["description"]))
        at = end
    return sources


def encode_digests(digests: Sequence[Digest], sources: Sequence[Source], described: object) -> str:
    """Digests as JSON; the text of a page that is shown whole is not sent back."""
    found: list[Mapping[str, object]] = []
    assert isinstance(described, list)
    for digest, source, page in zip(digests, sources, described, strict=True):
        is_whole = digest.text == source.text and not page["is_cut"]
        found.append({**asdict(replace(digest, text="") if is_whole else digest), "is_whole": is_whole})
    return json.dumps(found, ensure_ascii=False)


def decode_digests(text: str, sources: Sequence[Source]) -> tuple[Digest, ...]:
    """The digests of a worker's answer; raises `ValueError` for an invalid one."""
    from pydantic import TypeAdapter  # Not needed in workers.

    found = TypeAdapter(list[dict[str, object]]).validate_json(text)
    for digest, source in zip(found, sources, strict=True):
        if digest.pop("is_whole", False):
            digest["text"] = source.text
    return TypeAdapter(tuple[Digest, ...]).validate_python(found)


def encode_scores(scores: Sequence[float]) -> str:
    """Scores as JSON."""
    return json.dumps(list(scores))


def decode_scores(text: str, count: int) -> tuple[float, ...]:
    """The scores of a worker's answer; raises `ValueError` for an invalid one."""
    found = json.loads(text)
    if not isinstance(found, list) or len(found) != count or not all(isinstance(each, float) for each in found):
        raise ValueError("not one score for each document")
    return tuple(found)
