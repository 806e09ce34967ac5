"""Pages on their way to a worker, and what it found in them on its way back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from dowse.core.digests import Digest, Source
from dowse.extract.tidy import beginning

# Nobody is shown more of a page than a few thousand words: what is beyond this is neither sent nor compared.
_MOST_CHARS = 500_000
_MOST_CHARS_TOGETHER = 4_000_000


def to_job(sources: Sequence[Source], max_tokens: int) -> tuple[list[dict[str, object]], bytes]:
    """Pages as a header describes them, and their texts one after another."""
    most = min(_MOST_CHARS, _MOST_CHARS_TOGETHER // max(1, len(sources)))
    texts = [source.text[:most].encode("utf-8", "replace") for source in sources]
    described: list[dict[str, object]] = [
        {
            "title": source.title,
            "url": source.url,
            "description": source.description,
            "bytes": len(text),
            # Where nothing is to be cut, what was not sent is shown all the same.
            "is_cut": max_tokens > 0 and len(source.text) > most,
        }
        for source, text in zip(sources, texts, strict=True)
    ]
    return described, b"".join(texts)


def from_job(described: object, data: bytes) -> list[Source]:
    """The pages again; one that was cut off ends with a line."""
    sources, at = [], 0
    assert isinstance(described, list)
    for page in described:
        end = at + page["bytes"]
        text = data[at:end].decode()
        text = beginning(text, len(text)) if page["is_cut"] else text
        sources.append(Source(text, page["title"], page["url"], page["description"]))
        at = end
    return sources


def to_answer(digests: Sequence[Digest], sources: Sequence[Source], described: object) -> str:
    """Digests as JSON. Whoever sent a page has its text: one that is shown whole does not come back."""
    found: list[Mapping[str, object]] = []
    assert isinstance(described, list)
    for digest, source, page in zip(digests, sources, described, strict=True):
        # All that was sent of a page is not all of it.
        is_whole = digest.text == source.text and not page["is_cut"]
        found.append({**asdict(replace(digest, text="") if is_whole else digest), "is_whole": is_whole})
    return json.dumps(found, ensure_ascii=False)


def from_answer(text: str, sources: Sequence[Source]) -> tuple[Digest, ...]:
    """What a worker found; raises `ValueError` for anything of another shape."""
    from pydantic import TypeAdapter  # Workers do without it.

    found = TypeAdapter(list[dict[str, object]]).validate_json(text)
    for digest, source in zip(found, sources, strict=True):
        if digest.pop("is_whole", False):
            digest["text"] = source.text
    return TypeAdapter(tuple[Digest, ...]).validate_python(found)
