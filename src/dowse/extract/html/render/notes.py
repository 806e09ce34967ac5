"""Footnotes: marks in the text, and the notes that they lead to."""

from __future__ import annotations

import re

from dowse.extract.html.render.outline import Outline
from dowse.extract.html.tree.node import Node

_LONGEST_MARK = 12
_LABEL = re.compile(r"[\w.-]{1,20}")
_AROUND_LABELS = "[](){}* "
_SHOWN_AS_NOTES = ("footnote", "noteref", "fnref")
_BLOCKS = frozenset({"li", "p", "div", "aside", "dd", "section"})
# Wikipedia writes its own numbers, and its list of sources is one to read.
_PLAIN = "#cite_"
_BACK = frozenset({"↩", "↩︎", "↩️", "↵", "⏎", "⤴", "↑", "^", "⇑", "⬑", "🔙", "↖", "←"})


class Notes:
    """Which blocks of a page are notes, known from the marks that lead to them."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._ids: dict[str, Node] | None = None
        self._taken: set[str] = set()
        self.labels: dict[int, str] = {}
        """Labels of notes by where they begin."""

    def label(self, link: Node, words: str) -> str:
        """The label of the note that a mark leads to; empty for any other link."""
        href = link.get("href")
        if not 0 < len(words) <= _LONGEST_MARK or href.startswith(_PLAIN) or not _is_mark(link):
            return ""
        note = self._note(href[1:])
        if note is None or note.index <= link.index or note.holds(link) or not self._outline.shows(note):
            return ""
        if note.index not in self.labels:
            self.labels[note.index] = self._new_label(words.strip(_AROUND_LABELS), href[1:])
        return self.labels[note.index]

    def _note(self, name: str) -> Node | None:
        if self._ids is None:
            self._ids = {each.get("id"): each for each in reversed(self._outline.nodes) if "id" in each.attributes}
        note = self._ids.get(name)
        while note is not None and note.tag not in _BLOCKS:
            # A place within a note stands for it where the note begins.
            parent = note.parent
            note = parent if parent is not None and parent.index >= note.index - 2 else None
        return note

    def _new_label(self, words: str, name: str) -> str:
        label = words if _LABEL.fullmatch(words) and words not in self._taken else re.sub(r"[^\w.-]", "-", name)[:40]
        self._taken.add(label)
        return label


def is_way_back(link: Node, words: str) -> bool:
    """Whether a link leads from a note back to its mark."""
    return link.get("href").startswith("#") and words in _BACK


def _is_mark(link: Node) -> bool:
    parent = link.parent
    if parent is not None and parent.tag == "sup":
        return True
    if link.children and link.children[0].tag == "sup":
        return True
    said = f"{link.get('class')} {link.get('role')} {link.get('id')}".lower()
    return any(word in said for word in _SHOWN_AS_NOTES)
