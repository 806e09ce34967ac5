"""References of a page: link targets, alt texts of images, footnotes."""

from __future__ import annotations

import re

from dowse.core import urls
from dowse.core.text import one_line
from dowse.extract.html.render.dom_index import DomIndex
from dowse.extract.html.tree.node import Node

_ANCHOR_MARKS = frozenset({"", "#", "¶", "§", "link", "anchor", "permalink"})
_ANCHOR_WORDS = ("link to this", "direct link to", "permalink to", "permalink for")
_LONGEST = 4000
_ALT_LIMIT = 300
_ANCESTORS_ASKED = 4
_FILE_NAME = re.compile(r"^\S{0,300}\.(?:jpe?g|png|gif|webp|svg|avif)$", re.I)
_LONGEST_MARK = 12
_LABEL = re.compile(r"[\w.-]{1,20}")
_AROUND_LABELS = "[](){}* "
_SHOWN_AS_NOTES = ("footnote", "noteref", "fnref")
_BLOCKS = frozenset({"li", "p", "div", "aside", "dd", "section"})
# Wikipedia writes its own numbers, and its list of sources is one to read.
_PLAIN = "#cite_"
_SIGN_OF_NOTE = re.compile(r"[^\W_]|[*†‡]")
_BACK = frozenset({"↩", "↩︎", "↩️", "↵", "⏎", "⤴", "↑", "^", "⇑", "⬑", "🔙", "↖", "←"})


class Links:
    """Link targets by `href`, resolved once each."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._known: dict[str, str] = {}

    def target(self, node: Node) -> str:
        """The absolute URL of a link without tracking; empty for one that leads nowhere."""
        href = node.get("href").strip()
        target = self._known.get(href)
        if target is None:
            target = self._known[href] = _target(href, self._base)
        return target


def is_navigation(link: Node, words: str) -> bool:
    """Whether a link leads only to its own place: a permalink, or from a footnote back to its mark."""
    return _is_permalink(link, words) or (link.get("href").startswith("#") and words in _BACK)


def _is_permalink(node: Node, words: str) -> bool:
    """Whether a link is a permalink, as beside headings."""
    href = node.get("href")
    if "#" not in href and href:
        return False
    label = words.lower()
    if label in _ANCHOR_MARKS or label.startswith(_ANCHOR_WORDS):
        return True
    return href.startswith("#") and len(label) <= 2 and not _SIGN_OF_NOTE.search(label)


def _target(href: str, base: str) -> str:
    if not href or href.startswith("#") or len(href) > _LONGEST:
        return ""
    if href[:7].lower() == "mailto:":
        return _without_syntax(href)
    return _without_syntax(urls.link(href, base))


def _without_syntax(address: str) -> str:
    """A URL that does not end the link: blanks and unbalanced brackets are encoded."""
    if ("(" in address or ")" in address) and not _is_balanced(address):
        address = address.replace("(", "%28").replace(")", "%29")
    for sign, code in ((" ", "%20"), ("\n", ""), ("\t", ""), ("<", "%3C"), (">", "%3E"), ("\\", "%5C")):
        address = address.replace(sign, code) if sign in address else address
    return address


def _is_balanced(address: str) -> bool:
    """Whether every bracket has its partner, without nesting."""
    depth = 0
    for sign in address:
        depth += (sign == "(") - (sign == ")")
        if depth not in (0, 1):
            return False
    return not depth


class Images:
    """Alt texts of images, each written once; nothing in the result makes a client load an image."""

    def __init__(self, dom: DomIndex, *, are_shown: bool) -> None:
        self._dom = dom
        self._are_shown = are_shown
        self._said = {""}

    def words(self, image: Node) -> str:
        """The alt text of an image; empty where the text around it says the same."""
        words = one_line(image.get("alt"), _ALT_LIMIT) if self._are_shown else ""
        if words in self._said or _FILE_NAME.search(words) or self._is_described(image):
            return ""
        self._said.add(words)
        return words

    def _is_described(self, image: Node) -> bool:
        """Whether the link or the figure around an image has a text."""
        above = image.parent
        for _ in range(_ANCESTORS_ASKED):
            if above is None:
                return False
            if above.tag in ("a", "figure") and self._dom.shows_text(above):
                return True
            above = above.parent
        return False


class Notes:
    """Footnotes of a page, found by the marks that lead to them."""

    def __init__(self, dom: DomIndex) -> None:
        self._dom = dom
        self._ids: dict[str, Node] | None = None
        self._taken: set[str] = set()
        self.labels: dict[int, str] = {}
        """Labels of footnotes by the index of their element."""

    def label(self, link: Node, words: str) -> str:
        """The label of the footnote that a mark leads to; empty for any other link."""
        href = link.get("href")
        if not 0 < len(words) <= _LONGEST_MARK or href.startswith(_PLAIN) or not _is_mark(link):
            return ""
        note = self._note(href[1:])
        if note is None or note.index <= link.index or note.holds(link) or not self._dom.shows(note):
            return ""
        if note.index not in self.labels:
            self.labels[note.index] = self._new_label(words.strip(_AROUND_LABELS), href[1:])
        return self.labels[note.index]

    def _note(self, name: str) -> Node | None:
        if self._ids is None:
            self._ids = {each.get("id"): each for each in reversed(self._dom.nodes) if "id" in each.attributes}
        note = self._ids.get(name)
        while note is not None and note.tag not in _BLOCKS:
            # An anchor at the start of a note stands for the note.
            parent = note.parent
            note = parent if parent is not None and parent.index >= note.index - 2 else None
        return note

    def _new_label(self, words: str, name: str) -> str:
        label = words if _LABEL.fullmatch(words) and words not in self._taken else re.sub(r"[^\w.-]", "-", name)[:40]
        self._taken.add(label)
        return label


def _is_mark(link: Node) -> bool:
    parent = link.parent
    if parent is not None and parent.tag == "sup":
        return True
    if link.children and link.children[0].tag == "sup":
        return True
    attributes = f"{link.get('class')} {link.get('role')} {link.get('id')}".lower()
    return any(word in attributes for word in _SHOWN_AS_NOTES)
