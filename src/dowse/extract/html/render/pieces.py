"""What a line is made of."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.core.text import visible

LINK = "["
STRONG, EMPHASIS, DELETED = "**", "*", "~~"


@dataclass(slots=True, eq=False)
class Span:
    """Emphasis or a link around a part of a line."""

    kind: str
    target: str = ""


@dataclass(slots=True, eq=False)
class Mark:
    """Where a span begins or ends."""

    span: Span
    is_opening: bool


class Literal(str):
    """Code or a formula, as it is written in Markdown."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Break:
    """What stands between two parts of a line, but neither before the first nor behind the last."""

    mark: str


NEW_LINE, NEXT_ITEM = Break("\n"), Break("; ")
Piece = str | Mark | Break


def collapsed(text: str) -> str:
    """Text on one line without what cannot be seen, blanks as a browser shows them."""
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():
        return line
    shown = visible(line)
    return line if shown is line else " ".join(shown.split())
