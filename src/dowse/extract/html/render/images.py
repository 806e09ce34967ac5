"""Images as their words; nothing in the result makes a reader's program load anything."""

from __future__ import annotations

import re

from dowse.core.text import one_line
from dowse.extract.html.render.outline import Outline
from dowse.extract.html.tree.node import Node

_ALT_LIMIT = 300
_ANCESTORS_ASKED = 4
_FILE_NAME = re.compile(r"^\S{0,300}\.(?:jpe?g|png|gif|webp|svg|avif)$", re.I)


class Images:
    """The words of images, each said once."""

    def __init__(self, outline: Outline, *, are_shown: bool) -> None:
        self._outline = outline
        self._are_shown = are_shown
        self._said = {""}

    def words(self, image: Node) -> str:
        """What stands for an image; nothing where the text around it says it already."""
        words = one_line(image.get("alt"), _ALT_LIMIT) if self._are_shown else ""
        if words in self._said or _FILE_NAME.search(words) or self._is_described(image):
            return ""
        self._said.add(words)
        return words

    def _is_described(self, image: Node) -> bool:
        """Whether the link or the figure around an image says in words what it shows."""
        above = image.parent
        for _ in range(_ANCESTORS_ASKED):
            if above is None:
                return False
            if above.tag in ("a", "figure") and self._outline.shows_text(above):
                return True
            above = above.parent
        return False
