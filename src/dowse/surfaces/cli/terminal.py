"""Colour and live progress on a terminal; plain text everywhere else."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from typing import TextIO

from dowse.core.text import one_line
from dowse.settings import sources

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def style(text: str, name: str, stream: TextIO | None = None) -> str:
    """The text in a style, when the stream is a terminal that wants colour."""
    target = stream or sys.stdout
    if not text or not target.isatty() or not sources.colour_wanted():
        return text
    return f"\x1b[{_STYLES[name]}m{text}\x1b[0m"


def tried(answer: Mapping[str, object]) -> str:
    """Who was asked, with what outcome, in one line."""
    attempts = answer["attempts"]
    assert isinstance(attempts, list)
    told = [
        f"{attempt['provider']}: {attempt['outcome']} ({attempt['detail'] or str(attempt['ms']) + ' ms'})"
        for attempt in attempts
    ]
    return "tried: " + ", ".join(told)


class ProgressLine:
    """One line on stderr that says what is being waited for, and goes away."""

    def __init__(self) -> None:
        # A dumb terminal would show the escapes that make the line go away.
        self._live = sys.stderr.isatty() and sources.is_capable_terminal()

    async def show(self, step: str) -> None:
        if self._live:
            width = shutil.get_terminal_size().columns - 3
            print(
                f"\r\x1b[K{style('… ' + one_line(step, max(width, 20)), 'dim', sys.stderr)}",
                end="",
                file=sys.stderr,
                flush=True,
            )

    def clear(self) -> None:
        if self._live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
