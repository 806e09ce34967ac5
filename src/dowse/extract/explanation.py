"""What became of the parts of a page, as the worker tells it. Nothing here touches the page itself."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class ExplainedBlock:
    """A run of text such as a paragraph: where it stands, how it was scored, and what spoke for it or against it.

    `text` is its beginning only; `words` counts all of it.
    """

    text: str
    path: str
    words: int
    score: float
    is_kept: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """How the content of a page was told from the rest.

    Blocks that score at least `cut` are content, unless `is_whole`: then too little was, and all of them were taken.
    `further_blocks` counts those that are not listed, on a page that has very many.
    """

    kind: str
    kind_confidence: float
    cut: float
    is_whole: bool
    hidden_words: int
    blocks: tuple[ExplainedBlock, ...]
    further_blocks: int = 0


def encoded(explanation: Explanation) -> str:
    return json.dumps(asdict(explanation), ensure_ascii=False)


def decoded(text: str) -> Explanation:
    """What was encoded; raises `ValueError` for anything of another shape."""
    from pydantic import TypeAdapter  # Workers do without it.

    return TypeAdapter(Explanation).validate_json(text, strict=True)
