"""What stands out on a page: the sentences that say most, and its blocks of code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from dowse.core.digests import CodeBlock, KeyPoint
from dowse.core.text import cut_at_word, inert, one_line
from dowse.document.markdown import Block, BlockKind, Document
from dowse.rank.passages import Passages
from dowse.rank.summary import plain_words, without_item_mark

MOST_CODE_BLOCKS = 20
_POINT_CHARS = 240
_LINE_CHARS = 120
# In bytes of UTF-8, because a character of Chinese says as much as three letters.
_LEAST_BYTES = 20
_NO_WORD = re.compile(r"[\W_]+")
# Comments, and lines that only prepare for what follows.
_SAYS_LITTLE = re.compile(r"(?:#|//|/\*|\*|--|<!--|\"\"\"|''')|[\W_]*$|(?:import|from|use|using|package|include)\b|<\?")


def key_points(passages: Passages, count: int = 5) -> tuple[KeyPoint, ...]:
    """At most `count` of the best sentences in the order of the page, as plain text; none says what another says."""
    points: tuple[KeyPoint, ...] = ()
    # For each that says nothing alone the next best one is taken, within reason.
    for tried in range(count, 3 * count):
        points = _telling(passages.best(tried))
        if len(points) >= count:
            break
    return points


def code_blocks(document: Document) -> tuple[CodeBlock, ...]:
    """The first blocks of code of a page, each with its first line that tells what it does."""
    code = (block for block in document.blocks if block.kind is BlockKind.CODE)
    return tuple(islice((_code_block(document, block) for block in code), MOST_CODE_BLOCKS))


def _telling(points: Iterable[KeyPoint]) -> tuple[KeyPoint, ...]:
    found: dict[str, KeyPoint] = {}
    for point in points:
        text = without_item_mark(plain_words(point.text))
        key = _NO_WORD.sub(" ", text.casefold())
        is_new = not any(key in other or other in key for other in found)
        if is_new and _stands_alone(point.text, text):
            found[key] = KeyPoint(_shortened(text), point.anchor)
    return tuple(found.values())


def _stands_alone(markdown: str, text: str) -> bool:
    """Whether it is neither the row of a table, nor a word or two, nor the announcement of something else."""
    return not markdown.startswith("|") and len(text.encode()) >= _LEAST_BYTES and not text.endswith((":", "："))


def _shortened(text: str) -> str:
    return text if len(text) <= _POINT_CHARS else cut_at_word(text, _POINT_CHARS - 1) + "…"


def _code_block(document: Document, block: Block) -> CodeBlock:
    lines = document.code_lines(block)
    said = [line.strip() for line in lines if line.strip()] or [""]
    beginning = next((line for line in said if not _SAYS_LITTLE.match(line)), said[0])
    return CodeBlock(
        anchor=block.anchor,
        language=document.code_language(block).lower(),
        lines=len(lines),
        beginning=one_line(inert(beginning), _LINE_CHARS),
    )
