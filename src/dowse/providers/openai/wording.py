"""A model's words made fit to be shown, with an account of where each of them has gone."""

from __future__ import annotations

import re
from collections.abc import Callable

from dowse.core import urls
from dowse.document.markdown import clean

_LINE_END = re.compile("\r\n?|[\u2028\u2029]")
# References to its own search results, which newer models leave in the text: private characters around `cite`.
_REFERENCE = re.compile(" ?\ue200[^\ue200\ue201]{0,300}\ue201|[\ue200-\ue202]")
_ADDRESS = re.compile(r"https?://(?:[^\s<>()\[\]\"]|\([^\s<>()\[\]\"]{0,200}\)){1,2000}")
_PUNCTUATION = ".,;:!?*_"


class Wording:
    """A text after its cleaning. `place` finds what was written at a place of the original."""

    def __init__(self, original: str) -> None:
        self.text = original
        self._places = list(range(len(original) + 1))
        self._is_lost = False
        self._replace(_LINE_END, lambda _: "\n")
        self._replace(_REFERENCE, lambda _: "")
        self._replace(_ADDRESS, _without_tracking)
        self._become(clean(self.text))

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of the original is now; its line if nothing of it is left, the whole text if that is unknown."""
        if self._is_lost:
            return 0, len(self.text)
        start, end = self._places[start], self._places[end]
        if start == end:
            start, end = self._line_around(start)
        return (start, end) if start < end else (0, len(self.text))

    def _line_around(self, place: int) -> tuple[int, int]:
        end = self.text.find("\n", place)
        return self.text.rfind("\n", 0, place) + 1, end if end >= 0 else len(self.text)

    def _replace(self, pattern: re.Pattern[str], put: Callable[[re.Match[str]], str]) -> None:
        pieces: list[str] = []
        moved: list[int] = []
        at = length = 0
        for found in pattern.finditer(self.text):
            new = put(found)
            pieces += (self.text[at : found.start()], new)
            moved += range(length, length + found.start() - at)
            length += found.start() - at
            moved += (length + min(offset, len(new)) for offset in range(len(found[0])))
            length += len(new)
            at = found.end()
        if not pieces:
            return
        pieces.append(self.text[at:])
        moved += range(length, length + len(self.text) - at + 1)
        self._move("".join(pieces), moved)

    def _become(self, text: str) -> None:
        """Follow a change that says nothing about itself; of all that `clean` does, most is taking something away."""
        moved: list[int] = []
        at = 0
        for character in self.text:
            moved.append(at)
            at += text.startswith(character, at)
        moved.append(at)
        # It also disarms links and tags, with other letters in their place; then places behind them are unknown.
        self._is_lost = at < len(text)
        self._move(text, moved)

    def _move(self, text: str, moved: list[int]) -> None:
        self.text = text
        self._places = [moved[place] for place in self._places]


def _without_tracking(found: re.Match[str]) -> str:
    """An address without what OpenAI and others add to it; one without any stays as it is spelt."""
    address = found[0].rstrip(_PUNCTUATION)
    parsed = urls.parse(address) if "?" in address else None
    if parsed is None or (shorter := urls.without_tracking(address)) == parsed.href:
        return found[0]
    return shorter + found[0][len(address) :]
