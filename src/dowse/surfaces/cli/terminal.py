"""Terminal output: colour, word wrapping, Markdown, and the live line on stderr."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self, TextIO

from dowse.core.runtime import SystemClock
from dowse.core.text import one_line
from dowse.settings import sources

if TYPE_CHECKING:
    from dowse.core.models import Clock

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
# Longer lines are hard to read, however wide the window is.
_WIDEST, _NARROWEST = 100, 20
_PIPE_COLUMNS = 80
# Characters of lists, quotations and tables.
_DRAWN = "•▌─"
_ERASE_LINE = "\r\x1b[K"
_REDRAW_S = 0.1


def style(text: str, name: str, stream: TextIO | None = None) -> str:
    """The text in a style, when the stream is a terminal that wants colour."""
    target = stream or sys.stdout
    if not text or not target.isatty() or not sources.wants_colour():
        return text
    return f"\x1b[{_STYLES[name]}m{text}\x1b[0m"


def can_draw() -> bool:
    """Whether stdout is a terminal that has the characters of laid-out Markdown."""
    try:
        _DRAWN.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return sys.stdout.isatty()


def line_width() -> int:
    """The columns of a line of text."""
    return max(min(shutil.get_terminal_size().columns, _WIDEST), _NARROWEST)


def lay_out(markdown: str, *, indent: int = 0, keeps_lines: bool = False) -> str:
    """Markdown as the terminal shows it, at most as wide as its window."""
    from dowse.surfaces.cli.markdown import render  # Half as heavy as everything else together.

    text = render(markdown, line_width() - indent, colour=sources.wants_colour(), keeps_lines=keeps_lines)
    return "\n".join(f"{' ' * indent}{line}".rstrip() for line in text.split("\n"))


def fit(text: str, indent: int = 0, *, most_lines: int = 0) -> list[str]:
    """A text as indented lines: wrapped at words on a terminal, else one line, cut if it needs more than `most_lines`.

    A pipe is cut as if it had 80 columns, so that its text depends on no window.
    """
    margin = " " * indent
    if sys.stdout.isatty():
        return [f"{margin}{line}" for line in _wrap(text, line_width() - indent, most_lines)]
    line = one_line(text, most_lines * _PIPE_COLUMNS)
    return [f"{margin}{line}"] if line else []


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows of a table as lines, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


class ProgressLine:
    """Live line on stderr with the elapsed time and the step under way; erased at the end, also by Ctrl-C."""

    def __init__(self, clock: Clock | None = None, *, is_wanted: bool = True) -> None:
        # A dumb terminal would show the escapes that erase the line.
        self._live = is_wanted and sys.stderr.isatty() and sources.is_capable_terminal()
        self._clock = clock or SystemClock()
        self._started = self._clock.now()
        self._step = ""
        self._ticking: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    async def show(self, step: str) -> None:
        """Show a step; the elapsed time goes on from there until the event loop ends."""
        self._step = step
        self._draw()
        if self._live and self._ticking is None:
            self._ticking = asyncio.create_task(self._tick())

    def clear(self) -> None:
        if self._ticking:
            self._ticking.cancel()
        if self._live:
            print(_ERASE_LINE, end="", file=sys.stderr, flush=True)

    async def _tick(self) -> None:
        while True:
            await self._clock.sleep(_REDRAW_S)
            self._draw()

    def _draw(self) -> None:
        if not self._live:
            return
        elapsed = f"… {self._clock.now() - self._started:.1f} s  "
        width = max(shutil.get_terminal_size().columns - len(elapsed) - 1, _NARROWEST)
        text = style(elapsed + one_line(self._step, width), "dim", sys.stderr)
        print(f"{_ERASE_LINE}{text}", end="", file=sys.stderr, flush=True)


def _wrap(text: str, width: int, most_lines: int) -> list[str]:
    from rich.cells import cell_len, chop_cells  # East Asian characters take two columns.

    lines: list[str] = []
    for word in text.split():
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines += chop_cells(word, width)
    return _cut(lines, most_lines, width) if 0 < most_lines < len(lines) else lines


def _cut(lines: list[str], most_lines: int, width: int) -> list[str]:
    """The first lines, the last of them with an ellipsis that fits."""
    from rich.cells import cell_len

    end = lines[most_lines - 1]
    while cell_len(end) >= width:
        end = end.rpartition(" ")[0] or end[:-1]
    return [*lines[: most_lines - 1], f"{end.rstrip('.,;:')}…"]
