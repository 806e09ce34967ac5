"""Blocks to Markdown: which headings are above which others, and what the document is called."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from dowse.core import text as texts
from dowse.extract.formats.pdf.blocks import BULLET, Block, Kind
from dowse.extract.formats.pdf.prose import Body, joined, rounded
from dowse.extract.tidy import TITLE_CHARS, same_words

_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
# What would begin a heading, a quotation, a rule or a fence in Markdown, and is none here.
_SYNTAX = re.compile(r"(?=#{1,6} |>|```|~~~|(?:[-*_=] ?){3,}$)")
_DEEPEST = 6
# Programs write the name of the file here, or their own.
_NO_TITLE = re.compile(
    r"microsoft |untitled|slide 1$|.{0,200}\.(?:docx?|pdf|tex|dvi|indd|pptx?|xlsx?|qxd|rtf|odt|html?)$", re.I
)


def title_of(said: str, first_page: Sequence[Block], body: Body) -> str:
    """The title of the metadata, unless it is the name of a file; else the largest text of the first page.

    A single word in the metadata may be anything, and counts only where there is nothing better.
    """
    title = "" if _NO_TITLE.match(said) else texts.without_markup(said, TITLE_CHARS)
    if " " in title:
        return title
    headings = [block for block in first_page if block.kind is Kind.HEADING and rounded(block.size) > body.size]
    largest = max(headings, key=lambda block: block.size, default=None)
    return texts.without_markup(largest.text, TITLE_CHARS) if largest else title


def to_markdown(pages: Sequence[Sequence[Block]], body: Body, title: str) -> Iterator[str]:
    """The Markdown of each page; a word that a page break divided is whole on the first of the two."""
    levels = _levels(pages, title)
    for number, blocks in enumerate(pages):
        following = pages[number + 1] if number + 1 < len(pages) else ()
        _complete_word(blocks, following, body)
        yield _together([block for block in blocks if block.text], levels, title)


def _together(blocks: Sequence[Block], levels: dict[tuple[float, bool], int], title: str) -> str:
    """Blocks with an empty line between them; items of a list need none."""
    pieces: list[str] = []
    for number, block in enumerate(blocks):
        if number:
            is_list = block.kind is blocks[number - 1].kind is Kind.ITEM
            pieces.append("\n" if is_list else "\n\n")
        pieces.append(_rendered(block, levels, title))
    return "".join(pieces)


def _levels(pages: Sequence[Sequence[Block]], title: str) -> dict[tuple[float, bool], int]:
    """How deep headings of each look are: as their numbers say, else the larger above the smaller."""
    numbered: dict[tuple[float, bool], set[int]] = defaultdict(set)
    for block in (block for blocks in pages for block in blocks if block.kind is Kind.HEADING):
        if not same_words(block.text, title):
            numbered[_look(block)].add(_depth(block.text))
    levels: dict[tuple[float, bool], int] = {}
    above = 1
    for look in sorted(numbered, reverse=True):
        depths = [depth for depth in numbered[look] if depth]
        above = min(depths) if depths else min(above + 1, _DEEPEST)
        levels[look] = above
    return levels


def _depth(heading: str) -> int:
    """The level that a number such as 3.2 asks for; 0 without one."""
    found = _NUMBERED.match(heading)
    return found[1].count(".") + 2 if found else 0


def _rendered(block: Block, levels: dict[tuple[float, bool], int], title: str) -> str:
    match block.kind:
        case Kind.HEADING:
            level = 1 if same_words(block.text, title) else _depth(block.text) or levels[_look(block)]
            return f"{'#' * level} {block.text}"
        case Kind.ITEM if found := BULLET.match(block.text):
            return f"- {block.text[found.end() :]}"
        case Kind.TEXT | Kind.ITEM:
            return _SYNTAX.sub(r"\\", block.text, count=1) if _SYNTAX.match(block.text) else block.text
    return block.text


def _look(block: Block) -> tuple[float, bool]:
    return rounded(block.size), block.is_bold


def _complete_word(blocks: Sequence[Block], following: Sequence[Block], body: Body) -> None:
    last = next((block for block in reversed(blocks) if block.kind in (Kind.TEXT, Kind.ITEM)), None)
    first = next((block for block in following if block.kind in (Kind.TEXT, Kind.ITEM)), None)
    if last is None or first is None or not last.text.endswith(("-", "‐")) or not first.text[:1].islower():
        return
    word, _, rest = first.text.partition(" ")
    last.text = joined(last.text, word, body.words)
    first.text = rest
