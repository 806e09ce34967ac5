"""Markdown writer: blocks one below the other, inside the open lists and quotations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dowse.document.markdown import RULE

# Deeper nesting is written at this level.
_DEEPEST = 20


@dataclass(slots=True)
class _Frame:
    """An open quotation or item. Its mark is written with its first block, so that an empty one leaves no trace.

    Lines begin with `outer` around it and with `inner` inside of it; `hugs` if no empty line stands before it.
    """

    mark: str
    outer: str
    inner: str
    is_item: bool
    hugs: bool = False
    is_begun: bool = False


class MarkdownWriter:
    """Collects lines. Blocks are separated by an empty line, items of a list are not."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._frames: list[_Frame] = []
        self._ends_in_paragraph = False
        self._last_link: tuple[str, tuple[int, int]] = ("", (0, 0))
        self._last_heading: tuple[str, tuple[int, int]] = ("", (0, 0))
        self._is_rule_due = False

    @property
    def place(self) -> tuple[int, int]:
        """Depth and line of the next block; unchanged while nothing is written."""
        return len(self._frames), len(self._lines)

    @property
    def can_hug(self) -> bool:
        """Whether a list may follow the text of an item without an empty line."""
        return bool(self._frames) and self._frames[-1].is_item and self._frames[-1].is_begun and self.ends_in_paragraph

    @property
    def is_at_item(self) -> bool:
        """Whether the next block is the first of an item."""
        return bool(self._frames) and self._frames[-1].is_item and not self._frames[-1].is_begun

    @property
    def ends_in_paragraph(self) -> bool:
        return self._ends_in_paragraph

    def open_quote(self) -> None:
        self._open("> ", "> ", is_item=False)

    def open_item(self, mark: str, *, width: int = 0, hugs: bool = False) -> None:
        """Begin an item; its further lines are indented by the width of its mark."""
        self._open(mark, " " * (width or len(mark)), is_item=True, hugs=hugs)

    def reopen_item(self, width: int) -> None:
        """Continue an item that has ended."""
        self._open("", " " * width, is_item=True)
        self._frames[-1].is_begun = True

    def close(self) -> None:
        """End the item or the quotation."""
        self._frames.pop()

    def paragraph(self, text: str) -> None:
        """Add a paragraph of one or more lines; a link alone is not repeated."""
        if self._is_repeated(text, self._last_link):
            return
        self.block(text.split("\n"))
        self._ends_in_paragraph = True
        if text.startswith("[") and "](" in text:
            self._last_link = (text, self.place)

    def heading(self, level: int, text: str) -> None:
        """Add a heading, unless it repeats the one right before it."""
        if not self._is_repeated(text, self._last_heading):
            self.block([f"{'#' * level} {text}"])
            self._last_heading = (text, self.place)

    def rule(self) -> None:
        """Write a rule before the next block, if there is one; not inside a list or a quotation."""
        if not self._frames:
            self._is_rule_due = bool(self._lines)

    def block(self, lines: Sequence[str]) -> None:
        if self._is_rule_due:
            # Outside of all frames, which were opened behind the rule.
            self._is_rule_due = False
            self._lines += ["", RULE]
        self._write(lines)
        self._ends_in_paragraph = False

    def text(self) -> str:
        return "\n".join(self._lines)

    def _is_repeated(self, text: str, last: tuple[str, tuple[int, int]]) -> bool:
        """Whether a text was the last one written, in the same item, quotation or post."""
        is_begun = not self._frames or self._frames[-1].is_begun
        return last == (text, self.place) and is_begun and not self._is_rule_due

    def _open(self, mark: str, indent: str, *, is_item: bool, hugs: bool = False) -> None:
        frames = self._frames
        outer = ""
        if frames:
            outer = frames[-1].inner if len(frames) < _DEEPEST else frames[-1].outer
        frames.append(_Frame(mark, outer, outer + indent, is_item, hugs))

    def _write(self, lines: Sequence[str]) -> None:
        if not self._frames:
            # Most blocks are in no list and no quotation.
            self._lines += ["", *lines] if self._lines else lines
            return
        new = self._new_frames()
        rest = self._frames[-1].inner
        first = new[0].outer if new else rest
        if self._lines and not (new and new[0].hugs):
            self._lines.append(first.rstrip())
        for frame in new:
            frame.is_begun = True
            # At the deepest level there is room for one mark only.
            first = min(first, frame.outer, key=len) + frame.mark
        self._lines.append(first + lines[0])
        blank = rest.rstrip()
        self._lines += [rest + line if line else blank for line in lines[1:]]

    def _new_frames(self) -> list[_Frame]:
        """The innermost frames of which nothing is written yet."""
        begun = len(self._frames)
        while begun and not self._frames[begun - 1].is_begun:
            begun -= 1
        return self._frames[begun:]


@dataclass(slots=True)
class OpenList:
    """An open list: the sign of its items, and the number of the next one if they have numbers."""

    sign: str
    number: int | None = None
    step: int = 1
    count: int = 0
    width: int = 2
    hugs: bool = False
    is_layout: bool = False
    """The list only arranges blocks."""

    def mark(self) -> str:
        """The mark of the next item."""
        mark = f"{self.sign} " if self.number is None else f"{self.number}{self.sign} "
        self.width = len(mark)
        return mark
