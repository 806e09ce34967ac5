"""Reranking: the relevance of given documents to a query, by the scoring of passages and without a model.

Each document is one block, however it is written: its Markdown is not parsed, since a heading inside of one must not
stand above the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from dowse.document.markdown import Block, BlockKind
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


def score_documents(query: str, documents: Sequence[str]) -> list[float]:
    """The relevance of each document, from 0 to 1."""
    return [round(score, _DIGITS) for score in score_blocks(Index(Documents.join(documents), query), query)]
