"""Reranking: the relevance of given documents to a query, by the scoring of passages and without a model.

Each document is one block, however it is written: its Markdown is not parsed, since a heading inside of one must not
stand above the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from dowse.document.markdown import Block, BlockKind
from dowse.rank import semantic
from dowse.rank.index import Index
from dowse.rank.scoring import score_blocks

_BETWEEN = "\n\n"
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents joined to one text, with a block for each. Implements `index.Blocks`."""

    text: str
    blocks: tuple[Block, ...]

    @classmethod
    def join(cls, documents: Sequence[str]) -> Self:
        blocks, start = [], 0
        for number, document in enumerate(documents, 1):
            blocks.append(Block(number, start, start + len(document), BlockKind.PARAGRAPH))
            start += len(document) + len(_BETWEEN)
        return cls(_BETWEEN.join(documents), tuple(blocks))


def score_documents(query: str, documents: Sequence[str], *, is_semantic: bool = False) -> list[float]:
    """The relevance of each document, from 0 to 1."""
    relevance = score_blocks(Index(Documents.join(documents), query), query)
    if is_semantic and documents and semantic.available():
        relevance = _blend(relevance, semantic.scores(query, documents))
    return [round(score, _DIGITS) for score in relevance]


def _blend(lexical: Sequence[float], meanings: Sequence[float]) -> list[float]:
    """Lexical scores blended with the similarity of meaning, each relative to its best, and scaled back.

    Meaning weighs the more the fewer words of the query the best document has: where all are found, words decide.
    """
    positive = [max(0.0, meaning) for meaning in meanings]
    best, nearest, farthest = max(lexical), max(positive), min(positive)
    if not nearest:
        return list(lexical)
    weight = (1 - best) ** 2
    scale = (1 - weight) * best + weight * nearest
    spread = (nearest - farthest) or 1.0
    return [
        scale * ((1 - weight) * score / (best or 1.0) + weight * (meaning - farthest) / spread)
        for score, meaning in zip(lexical, positive, strict=True)
    ]
