"""The line that is being written: text, emphasis, links and code, as a browser would set them."""

from __future__ import annotations

from dowse.extract.html.render import escape
from dowse.extract.html.render.pieces import NEW_LINE, Break, Literal, Mark, Piece, Span, collapsed
from dowse.extract.html.render.setting import Setter


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
