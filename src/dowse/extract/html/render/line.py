"""Inline Markdown: a line is collected as pieces, then set with balanced emphasis and links."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dowse.core.text import visible
from dowse.extract.html.render import escape

LINK = "["
STRONG, EMPHASIS, DELETED = "**", "*", "~~"


@dataclass(slots=True, eq=False)
class InlineSpan:
    """Emphasis or a link around a part of a line."""

    kind: str
    target: str = ""


@dataclass(slots=True, eq=False)
class Mark:
    """The start or the end of a span."""

    span: InlineSpan
    is_opening: bool


class Literal(str):
    """Code or a formula in Markdown, which is not escaped."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Break:
    """A separator between two parts of a line, dropped at its start and its end."""

    mark: str


NEW_LINE, NEXT_ITEM = Break("\n"), Break("; ")
Piece = str | Mark | Break


class LineBuilder:
    """Pieces of a line, collected until the block ends."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._is_plain = True
        self._open: list[InlineSpan] = []

    def text(self, text: str) -> None:
        self.pieces.append(text)

    def literal(self, text: str) -> None:
        self._add(Literal(text))

    def divide(self, mark: Break = NEW_LINE) -> None:
        """Add a line break, or another separator."""
        self._add(mark)

    @property
    def is_inside(self) -> bool:
        """Whether emphasis or a link is open."""
        return bool(self._open)

    def is_open(self, kind: str) -> bool:
        return any(span.kind == kind for span in self._open)

    def begin(self, kind: str, target: str = "") -> None:
        span = InlineSpan(kind, target)
        self._open.append(span)
        self._add(Mark(span, is_opening=True))

    def end(self) -> None:
        self._add(Mark(self._open.pop(), is_opening=False))

    def wrap(self, kind: str, target: str = "") -> None:
        """Put the whole line into a span."""
        span = InlineSpan(kind, target)
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
        """Take the text of the line without any syntax; the line is empty then."""
        made = "".join(piece for piece in self.pieces if isinstance(piece, str))
        self._clear()
        return collapse_blanks(made)

    def take(self) -> list[str]:
        """Take the paragraphs of the line as Markdown; the line is empty then."""
        pieces = self.pieces
        if self._is_plain:
            prose = collapse_blanks("".join(pieces))  # type: ignore[arg-type]  # nothing else is in it
            if escape.has_signs(prose):
                prose = escape.escape_prose(prose, escape.active_marks(prose))
            made = [escape.escape_line_start(prose)] if prose else []
        else:
            made = _LineSetter(pieces).paragraphs()
        self._clear()
        return made

    def _add(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self._is_plain = False

    def _clear(self) -> None:
        self.pieces = []
        self._is_plain = True


def collapse_blanks(text: str) -> str:
    """Text on one line without invisible characters, blanks as a browser shows them."""
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():
        return line
    shown = visible(line)
    return line if shown is line else " ".join(shown.split())


class _LineSetter:
    """Sets pieces as paragraphs: blanks move out of emphasis and links, empty spans are dropped.

    Two breaks in a row divide paragraphs.
    """

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self._out: list[str | Mark] = []
        # Opening marks are written with the first text behind them.
        self._waiting: list[Mark] = []
        self._depth = 0
        self._links = 0
        self._has_emphasis = False
        self._has_blank = False
        self._break: Break | None = None
        self._is_paragraph_due = False
        self._continued: dict[InlineSpan, InlineSpan] = {}
        self._done: list[str] = []
        prose = "".join([piece for piece in pieces if type(piece) is str])
        # Most lines need no escapes.
        self._has_signs = escape.has_signs(prose)
        self._pairs = escape.active_marks(prose, _own_marks(pieces)) if self._has_signs else ""

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
        line = collapse_blanks(text)
        if text[:1].isspace():
            self._has_blank = True
        if line:
            self._put(escape.escape_prose(line, self._pairs, in_link=self._links > 0) if self._has_signs else line)
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
                # The span continues: `**a****b**` would be another thing.
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
        dropped = _find_invisible_emphasis(self._out) if self._has_emphasis else ()
        text = _write_pieces(self._out, dropped).strip()
        if text:
            self._done.append("\n".join(map(escape.escape_line_start, text.split("\n"))))
        self._out = []


def _own_marks(pieces: Sequence[Piece]) -> str:
    """The marks of emphasis, links and code in a line."""
    own = {piece.span.kind for piece in pieces if isinstance(piece, Mark)}
    if any(isinstance(piece, Literal) for piece in pieces):
        own.add("`")
    return "".join(own)


def _write_pieces(out: Sequence[str | Mark], dropped: Collection[InlineSpan]) -> str:
    pieces: list[str] = []
    for piece in out:
        if isinstance(piece, str):
            pieces.append(piece)
        elif piece.span.kind == LINK:
            pieces.append("[" if piece.is_opening else f"]({piece.span.target})")
        elif piece.span not in dropped:
            pieces.append(piece.span.kind)
    return "".join(pieces)


def _find_invisible_emphasis(out: Sequence[str | Mark]) -> set[InlineSpan]:
    """Emphasis that Markdown would not recognise: between a letter and a sign, marks neither open nor close."""
    dropped: set[InlineSpan] = set()
    for is_opening, pieces in ((False, out), (True, out[::-1])):
        # Closing marks are checked towards the end, opening ones towards the beginning.
        inside: str | Mark = ""
        waiting: list[InlineSpan] = []
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
