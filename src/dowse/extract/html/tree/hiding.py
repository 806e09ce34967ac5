"""Hidden text: elements that no reader sees, judged by their attributes and by the style sheets."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from copy import copy
from functools import lru_cache
from typing import Self

from dowse.extract.html.tree.appearance import Certainty, out_of_sight, switched_off
from dowse.extract.html.tree.css import Sheets, Style, read_style
from dowse.extract.html.tree.grammar import ATTRIBUTE
from dowse.extract.html.tree.node import Attributes

__all__ = ["Certainty", "Hiding"]
_FOR_SCREEN_READERS = frozenset({"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "skip-link"})
# The source of a formula that the page draws beside it.
_FORMULAS = frozenset({"katex-mathml", "mjx_assistive_mathml"})
_MAX_KNOWN = 10_000
_TELLING = frozenset({"hidden", "popover", "aria-hidden", "style"})
# What opens on a click or comes in slowly can be seen, and often is what somebody came for; but nobody came for a menu.
_OPENS = re.compile(
    r"tab-?(?:pan|content|item)|accord|collaps|expand|faq|answer|toggle|read-?more|slid|carousel|cloak|anim|fade|reveal"
    r"|data-(?:aos|w-id)"
)
_OPENS_ASIDE = re.compile(
    r"menu|modal|dialog|popup|popover|overlay|cookie|consent|drawer|(?<![a-z])(?:nav|search|cart|login|share)"
)
# Without one of these no attribute hides anything.
_TELLING_WORDS = ("hidden", "style", "popover", "sr-only", "visually", "screen-reader")


class Hiding:
    """Judges elements by their attributes and by the style sheets of the page."""

    def __init__(self, styles: Sequence[str] = ()) -> None:
        self._has_doubts = True
        self._sheets = Sheets(styles)
        # Elements that are worth a closer look for their tags; for their attributes, see `is_suspect`.
        self.suspect_tags = _BY_TAG.keys() | self._sheets.names("")
        self._attributes = _TELLING | self._sheets.names("[")
        self._classes = _FOR_SCREEN_READERS | self._sheets.names(".")
        self._identifiers = self._sheets.names("#")
        # A page has few different styles and lists of classes, and many elements with each of them.
        self._suspects: dict[str, bool] = {}
        self._by_style: dict[tuple[str, str], tuple[Certainty, Certainty]] = {}

    def without_doubts(self) -> Self:
        """The same, but only what is certain counts."""
        other = copy(self)
        other._has_doubts = False
        return other

    def is_suspect(self, attributes: Attributes) -> bool:
        """Whether an element is worth a closer look for its attributes; most are not."""
        if not self._attributes.isdisjoint(attributes):
            return True
        names = attributes.get("class")
        if names:
            is_suspect = self._suspects.get(names)
            if is_suspect is None:
                is_suspect = self._suspects[names] = not self._classes.isdisjoint(names.lower().split())
            if is_suspect:
                return True
        return "id" in attributes and (attributes["id"] or "").lower() in self._identifiers

    def judge(self, tag: str, attributes: Attributes) -> Certainty:
        """Whether an element is hidden by itself; what is inside of it is hidden with it."""
        if tag not in self.suspect_tags and not self.is_suspect(attributes):
            return Certainty.NONE
        if tag in _BY_TAG and _BY_TAG[tag](attributes):
            return Certainty.HIDDEN
        if tag == "mjx-assistive-mml" or not _FORMULAS.isdisjoint(_classes(attributes)):
            return Certainty.NONE
        is_off, is_out_of_sight = self._looks(tag, attributes)
        found = max(_by_attributes(tag, attributes), is_off)
        if found and _opens(attributes):
            found = Certainty.NONE
        found = max(found, is_out_of_sight)
        return Certainty.NONE if found is Certainty.DOUBTFUL and not self._has_doubts else found

    def _looks(self, tag: str, attributes: Attributes) -> tuple[Certainty, Certainty]:
        """Whether an element is switched off, and whether it is out of sight."""
        written = attributes.get("style") or ""
        rules = self._sheets.styles_of(tag, attributes)
        if rules:
            return _judged(tag, [*rules, read_style(written)])
        known = self._by_style.get((tag, written))
        if known is None:
            if len(self._by_style) >= _MAX_KNOWN:
                self._by_style.clear()
            known = self._by_style[tag, written] = _judged(tag, [read_style(written)])
        return known


def _judged(tag: str, styles: list[Style]) -> tuple[Certainty, Certainty]:
    result: dict[str, str] = {}
    for style in styles:
        result |= style.normal
    for style in styles:
        result |= style.important
    return switched_off(result), out_of_sight(result, tag)


def _by_attributes(tag: str, attributes: Attributes) -> Certainty:
    if ("hidden" in attributes and not _is_shown_later(attributes)) or "popover" in attributes:
        return Certainty.HIDDEN
    if not _FOR_SCREEN_READERS.isdisjoint(_classes(attributes)):
        return Certainty.HIDDEN
    is_silent = (attributes.get("aria-hidden") or "").lower() == "true"
    return Certainty.DOUBTFUL if is_silent and not _is_for_the_eyes(tag, attributes) else Certainty.NONE


def _classes(attributes: Attributes) -> list[str]:
    return (attributes.get("class") or "").lower().split()


def _opens(attributes: Attributes) -> bool:
    """Whether an element is a part of the page that a click opens."""
    if attributes.get("role") == "tabpanel":
        return True
    said = " ".join([f"{name} {value}" for name, value in attributes.items() if name != "style"]).lower()
    is_named = attributes.get("role") == "region" and "aria-labelledby" in attributes
    return (is_named or _OPENS.search(said) is not None) and not _OPENS_ASIDE.search(said)


def _is_for_the_eyes(tag: str, attributes: Attributes) -> bool:
    """Whether screen readers alone are kept from it: pictures, and the second link that cards have to their page."""
    target = attributes.get("href") or "#"
    return tag == "img" or not target.startswith("#")


def _is_shown_later(attributes: Attributes) -> bool:
    # React streams late parts of a page as <div hidden id="S:1"> and moves them into place.
    return (attributes.get("hidden") or "").lower() == "until-found" or (attributes.get("id") or "").startswith("S:")


def _is_closed(attributes: Attributes) -> bool:
    return "open" not in attributes


def _is_no_formula(attributes: Attributes) -> bool:
    return not (attributes.get("encoding") or "").lower().endswith("tex")


def _always(_attributes: Attributes) -> bool:
    return True


_BY_TAG: dict[str, Callable[[Attributes], bool]] = {
    "dialog": _is_closed,
    "annotation": _is_no_formula,
    "annotation-xml": _always,
    "mphantom": _always,
}
_ATTRIBUTE_RULES = Hiding()


# A page has many tags that are written alike.
@lru_cache(maxsize=2_000)
def hides(attributes: str) -> bool:
    """Whether a tag's raw attributes hide the element."""
    lower = attributes.lower()
    if not any(word in lower for word in _TELLING_WORDS):
        return False
    written: dict[str, str | None] = {}
    for found in ATTRIBUTE.finditer(attributes):
        _, _, value = found[0].partition("=")
        written.setdefault(found[1].lower(), html.unescape(value.strip().strip("\"'")))
    return _ATTRIBUTE_RULES.judge("div", written) is not Certainty.NONE
