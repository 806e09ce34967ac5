"""Inline Markdown: a line is collected as pieces, then set with balanced emphasis and links."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dowse.core.text import visible
from dowse.extract.html.render import escape

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


class Line:
    """Pieces of a line, collected until the block ends."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._is_plain = True
        self._open: list[Span] = []

    def text(self, text: str) -> None:
        self.pieces.append(text)

    def literal(self, text: str) -> None:
        self._add(Literal(text))

    def divide(self, mark: Break = NEW_LINE) -> None:
        """What follows is on another line, or another of several things."""
        self._add(mark)

    @property
    def is_inside(self) -> bool:
        """Whether emphasis or a link is open."""
        return bool(self._open)

    def is_open(self, kind: str) -> bool:
        return any(span.kind == kind for span in self._open)

    def begin(self, kind: str, target: str = "") -> None:
        span = Span(kind, target)
        self._open.append(span)
        self._add(Mark(span, is_opening=True))

    def end(self) -> None:
        self._add(Mark(self._open.pop(), is_opening=False))

    def wrap(self, kind: str, target: str = "") -> None:
        """Put all that is in the line into a span."""
        span = Span(kind, target)
        self.pieces.insert(0, Mark(span, is_opening=True))
        self._add(Mark(span, is_opening=False))

    def before(self, most: int) -> str:
        """The last characters of the line."""
        tail = ""
        for piece in reversed(self.pieces):
            if isinstance(piece, Mark):
                continue
            if isinstance(piece, Break):
                break
            tail = piece[-most:] + tail
            if len(tail) >= most or not tail.strip():
                break
        return tail[-most:]

    @property
    def is_blank(self) -> bool:
        return not any(isinstance(piece, str) and piece.strip() for piece in self.pieces)

    def words(self) -> str:
        """The text of the line without any syntax, and an empty line after it."""
        made = "".join(piece for piece in self.pieces if isinstance(piece, str))
        self._clear()
        return collapsed(made)

    def take(self) -> list[str]:
        """The paragraphs that the line has become, each of them lines; it is empty then."""
        pieces = self.pieces
        if self._is_plain:
            prose = collapsed("".join(pieces))  # type: ignore[arg-type]  # nothing else is in it
            if escape.has_signs(prose):
                prose = escape.escaped(prose, escape.active(prose))
            made = [escape.line_start(prose)] if prose else []
        else:
            made = Setter(pieces).paragraphs()
        self._clear()
        return made

    def _add(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self._is_plain = False

    def _clear(self) -> None:
        self.pieces = []
        self._is_plain = True


def collapsed(text: str) -> str:
    """Text on one line without what cannot be seen, blanks as a browser shows them."""
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():
        return line
    shown = visible(line)
    return line if shown is line else " ".join(shown.split())


class Setter:
    """Makes paragraphs of pieces; two breaks in a row divide them."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self._out: list[str | Mark] = []
        # Beginnings are written with the first text behind them.
        self._waiting: list[Mark] = []
        self._depth = 0
        self._links = 0
        self._has_emphasis = False
        self._has_blank = False
        self._break: Break | None = None
        self._is_paragraph_due = False
        self._continued: dict[Span, Span] = {}
        self._done: list[str] = []
        prose = "".join([piece for piece in pieces if type(piece) is str])
        # Most lines hold nothing that would have to be escaped.
        self._has_signs = escape.has_signs(prose)
        self._pairs = escape.active(prose, _own_marks(pieces)) if self._has_signs else ""

    def paragraphs(self) -> list[str]:
        """The Markdown of each paragraph."""
        for piece in self._pieces:
            if type(piece) is str:
                self._put_text(piece)
            elif isinstance(piece, Mark):
                self._take_mark(piece)
            elif isinstance(piece, Break):
                self._take_break(piece)
            else:
                self._put(piece)
        self._finish()
        return self._done

    def _take_mark(self, mark: Mark) -> None:
        if mark.span.kind == LINK:
            self._links += 1 if mark.is_opening else -1
        else:
            self._has_emphasis = True
        if mark.is_opening:
            self._waiting.append(mark)
        elif self._waiting and self._waiting[-1].span is mark.span:
            self._waiting.pop()
        else:
            self._depth -= 1
            continued = self._continued.get(mark.span)
            self._out.append(mark if continued is None else Mark(continued, is_opening=False))

    def _take_break(self, mark: Break) -> None:
        if self._links:
            # A link is written on one line.
            self._has_blank = True
        else:
            self._is_paragraph_due = self._break is mark is NEW_LINE
            self._break = mark
            self._has_blank = False

    def _put_text(self, text: str) -> None:
        line = collapsed(text)
        if text[:1].isspace():
            self._has_blank = True
        if line:
            self._put(escape.escaped(line, self._pairs, in_link=self._links > 0) if self._has_signs else line)
            self._has_blank = text[-1].isspace()

    def _put(self, shown: str) -> None:
        if self._break is not None:
            self._put_break(self._break)
        elif self._has_blank and self._out:
            self._out.append(" ")
        self._has_blank = False
        for mark in self._waiting:
            self._begin(mark)
        self._waiting.clear()
        last = self._last_character()
        if isinstance(shown, Literal) and last == shown[0] == "`":
            # Two pieces of code side by side would be one, or none.
            self._out.append(" ")
        elif last == "]" and shown[0] in "([":
            # Together they would be a link.
            self._out.append("\\")
        self._out.append(shown)

    def _put_break(self, due: Break) -> None:
        if self._is_paragraph_due and not self._depth:
            self._finish()
        elif self._out:
            self._out.append(due.mark)
        self._break = None
        self._is_paragraph_due = False

    def _begin(self, mark: Mark) -> None:
        self._depth += 1
        last = self._out[-1] if self._out else None
        if isinstance(last, Mark) and not last.is_opening:
            if last.span.kind == mark.span.kind and last.span.target == mark.span.target:
                # It goes on where it ended: `**a****b**` would be something else.
                self._out.pop()
                self._continued[mark.span] = last.span
                return
            if last.span.kind == mark.span.kind == LINK:
                self._out.append(" ")
        if mark.span.kind == LINK and self._last_character() == "!":
            # An exclamation mark before it would make a link an image.
            self._out.append(" ")
        self._out.append(mark)

    def _last_character(self) -> str:
        last = self._out[-1] if self._out else ""
        return last[-1:] if isinstance(last, str) else ""

    def _finish(self) -> None:
        dropped = _not_flanking(self._out) if self._has_emphasis else ()
        text = _written(self._out, dropped).strip()
        if text:
            self._done.append("\n".join(map(escape.line_start, text.split("\n"))))
        self._out = []


def _own_marks(pieces: Sequence[Piece]) -> str:
    """The characters that emphasis, links and code of a line are written with."""
    own = {piece.span.kind for piece in pieces if isinstance(piece, Mark)}
    if any(isinstance(piece, Literal) for piece in pieces):
        own.add("`")
    return "".join(own)


def _written(out: Sequence[str | Mark], dropped: Collection[Span]) -> str:
    pieces: list[str] = []
    for piece in out:
        if isinstance(piece, str):
            pieces.append(piece)
        elif piece.span.kind == LINK:
            pieces.append("[" if piece.is_opening else f"]({piece.span.target})")
        elif piece.span not in dropped:
            pieces.append(piece.span.kind)
    return "".join(pieces)


def _not_flanking(out: Sequence[str | Mark]) -> set[Span]:
    """Emphasis that Markdown would not see: between a letter and a sign, marks neither open nor close."""
    dropped: set[Span] = set()
    for is_opening, pieces in ((False, out), (True, out[::-1])):
        # Read towards the end for what closes, and towards the beginning for what opens.
        inside: str | Mark = ""
        waiting: list[Span] = []
        for piece in pieces:
            if isinstance(piece, Mark) and piece.span.kind != LINK:
                if piece.is_opening == is_opening:
                    waiting.append(piece.span)
                continue
            if waiting:
                last, following = _edge(inside, is_first=is_opening), _edge(piece, is_first=not is_opening)
                if following.isalnum() and not last.isalnum():
                    dropped.update(waiting)
                waiting.clear()
            inside = piece
    return dropped


def _edge(piece: str | Mark, *, is_first: bool) -> str:
    if isinstance(piece, Mark):
        return "["
    return piece[:1] if is_first else piece[-1:]
