"""What makes sense of a piece that is taken out of its page."""

from __future__ import annotations

from collections.abc import Iterator

from dowse.rank.index import Index


def needed(index: Index, number: int) -> Iterator[int]:
    """Pieces without which this one says little: what announces it, what it announces, what it is nested in."""
    if number and index.announces(number - 1) and index.share_headings(number - 1, number):
        yield number - 1
    if number + 1 < len(index.pieces) and index.announces(number) and index.share_headings(number, number + 1):
        yield number + 1
    indent, block = index.indent(number), index.pieces[number].block
    while indent and number and index.pieces[number - 1].block == block:
        number -= 1
        if index.is_line(number) and index.indent(number) < indent:
            indent = index.indent(number)
            yield number


def beside(index: Index, number: int) -> Iterator[int]:
    """The pieces behind and before this one in its block."""
    for other in (number + 1, number - 1):
        if 0 <= other < len(index.pieces) and index.pieces[other].block == index.pieces[number].block:
            yield other
