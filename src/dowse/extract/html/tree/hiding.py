"""Hidden text: elements that no reader sees, judged by their attributes and by the style sheets."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from copy import copy
from functools import lru_cache
from typing import Self

from dowse.extract.html.tree.appearance import Certainty, judge_display, judge_sight
from dowse.extract.html.tree.css import Declarations, StyleIndex, read_style
from dowse.extract.html.tree.grammar import ATTRIBUTE
from dowse.extract.html.tree.node import Attributes

__all__ = ["Certainty", "Hiding", "hides"]

_FOR_SCREEN_READERS = frozenset({"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "skip-link"})
# The source of a formula, drawn beside it.
_FORMULAS = frozenset({"katex-mathml", "mjx_assistive_mathml"})
_MAX_KNOWN = 10_000
_TELLING = frozenset({"hidden", "popover", "aria-hidden", "style"})
# Parts that open on a click or fade in are often content; menus and dialogs are not.
_OPENS = re.compile(
    r"tab-?(?:pan|content|item)|accord|collaps|expand|faq|answer|toggle|read-?more|slid|carousel|cloak|anim|fade|reveal"
    r"|data-(?:aos|w-id)"
)
_OPENS_ASIDE = re.compile(
    r"menu|modal|dialog|popup|popover|overlay|cookie|consent|drawer|(?<![a-z])(?:nav|search|cart|login|share)"
)
# No attribute hides an element without one of these.
_TELLING_WORDS = ("hidden", "style", "popover", "sr-only", "visually", "screen-reader")


class Hiding:
    """Judges elements by their attributes and by the style sheets of the page."""

    def __init__(self, styles: Sequence[str] = ()) -> None:
        self._has_doubts = True
        self._sheets = StyleIndex(styles)
        # Tags to look at closely; for attributes, see `is_suspect`.
        self.suspect_tags = _BY_TAG.keys() | self._sheets.names("")
        self._attributes = _TELLING | self._sheets.names("[")
        self._classes = _FOR_SCREEN_READERS | self._sheets.names(".")
        self._identifiers = self._sheets.names("#")
        # A page has few different styles and class lists, and many elements with each of them.
        self._suspects: dict[str, bool] = {}
        self._by_style: dict[tuple[str, str], tuple[Certainty, Certainty]] = {}

    def without_doubts(self) -> Self:
        """A copy that ignores doubtful signs."""
        other = copy(self)
        other._has_doubts = False
        return other

    def is_suspect(self, attributes: Attributes) -> bool:
        """Whether the attributes of an element may hide it; most cannot."""
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
        """Judge whether an element is hidden, and its descendants with it."""
        if tag not in self.suspect_tags and not self.is_suspect(attributes):
            return Certainty.NONE
        if tag in _BY_TAG and _BY_TAG[tag](attributes):
            return Certainty.HIDDEN
        if tag == "mjx-assistive-mml" or not _FORMULAS.isdisjoint(_classes(attributes)):
            return Certainty.NONE
        found = self._judge_closely(tag, attributes)
        return Certainty.NONE if found is Certainty.DOUBTFUL and not self._has_doubts else found

    def _judge_closely(self, tag: str, attributes: Attributes) -> Certainty:
        is_off, is_out_of_sight = self._judge_styles(tag, attributes)
        found = max(_judge_attributes(tag, attributes), is_off)
        return max(Certainty.NONE if found and _opens(attributes) else found, is_out_of_sight)

    def _judge_styles(self, tag: str, attributes: Attributes) -> tuple[Certainty, Certainty]:
        """Whether the styles of an element switch it off, and whether they put it out of sight."""
        written = attributes.get("style") or ""
        rules = self._sheets.styles_of(tag, attributes)
        if rules:
            return _judge_cascade(tag, [*rules, read_style(written)])
        known = self._by_style.get((tag, written))
        if known is None:
            if len(self._by_style) >= _MAX_KNOWN:
                self._by_style.clear()
            known = self._by_style[tag, written] = _judge_cascade(tag, [read_style(written)])
        return known


def _judge_cascade(tag: str, styles: list[Declarations]) -> tuple[Certainty, Certainty]:
    result: dict[str, str] = {}
    for style in styles:
        result |= style.normal
    for style in styles:
        result |= style.important
    return judge_display(result), judge_sight(result, tag)


def _judge_attributes(tag: str, attributes: Attributes) -> Certainty:
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
    attributes_text = " ".join([f"{name} {value}" for name, value in attributes.items() if name != "style"]).lower()
    is_named = attributes.get("role") == "region" and "aria-labelledby" in attributes
    return (is_named or _OPENS.search(attributes_text) is not None) and not _OPENS_ASIDE.search(attributes_text)


def _is_for_the_eyes(tag: str, attributes: Attributes) -> bool:
    """Whether only screen readers skip it: pictures, and the second link of a card to its page."""
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


# Many tags of a page are written alike.
@lru_cache(maxsize=2_000)
def hides(attributes: str) -> bool:
    """Whether the raw attributes of a tag hide the element, where there is no tree."""
    lower = attributes.lower()
    if not any(word in lower for word in _TELLING_WORDS):
        return False
    written: dict[str, str | None] = {}
    for found in ATTRIBUTE.finditer(attributes):
        _, _, value = found[0].partition("=")
        written.setdefault(found[1].lower(), html.unescape(value.strip().strip("\"'")))
    return _ATTRIBUTE_RULES.judge("div", written) is not Certainty.NONE
