"""Hidden text: elements that no reader sees, judged by their attributes and by the style sheets."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence, Set
from copy import copy
from functools import lru_cache
from typing import TYPE_CHECKING, Self

from dowse.extract.html.tree.appearance import (
    TINY_FONT_PX,
    WIDTHS,
    Certainty,
    Verdict,
    animations,
    is_moved,
    judge_display,
    judge_sight,
)
from dowse.extract.html.tree.cascade import Cascade, Computed
from dowse.extract.html.tree.colours import FAINT
from dowse.extract.html.tree.css import StyleSheets, read_style, switches_off
from dowse.extract.html.tree.grammar import ATTRIBUTE
from dowse.extract.html.tree.node import (
    ANY,
    Attributes,
    Element,
    Node,
    Work,
    WorkSpent,
    is_for_the_eyes,
    is_moved_later,
)
from dowse.extract.html.tree.selectors import Selector
from dowse.extract.html.tree.shapes import FAR_AWAY
from dowse.extract.html.tree.suspects import BY_TAG, FOR_SCREEN_READERS, FORMULAS, Suspects, split_names

if TYPE_CHECKING:
    # The server process uses this module, and must not load the parser with it.
    from selectolax.lexbor import LexborNode

__all__ = ["Certainty", "Hiding", "Verdict", "hides"]

# Undone on a screen of the usual width.
_WIDE = frozenset(f"{size}:not-sr-only" for size in ("sm", "md", "lg", "xl"))
# They are never narrower than a word.
_CELLS = frozenset(("td", "th"))
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
_MOVING = frozenset(("transition", "transition-property", "transition-duration", "animation", "animation-name"))
_SHOWING = frozenset(("display", "visibility", "opacity", "height", "max-height", "transform"))
# Ancestors in a selector that do not restrict it.
_ANYWHERE = frozenset(("html", "body", "main", "article", "section", "div", "p", "span", ANY, ""))
_CONTAINERS = frozenset(("div", "ul", "ol", "section", "table", "tbody", "tr", "td", "th", "figure", "main", "article"))
# An ordinary page takes less than a tenth; all of it takes half a second, and at most twice as much is spent.
_MAX_WORK = 300_000
_SEEN = Verdict()
_TINY_SCALED_PX = 1.0


class Hiding:
    """Judges elements by their attributes and by the style sheets of the page.

    `is_complete` if no other sheet styles the page; without scripts nothing is shown later but by a click.
    """

    def __init__(
        self,
        styles: Sequence[str] = (),
        root: Attributes | None = None,
        *,
        is_complete: bool = False,
        is_scripted: bool = True,
        is_thorough: bool = True,
        find_controlled: Callable[[], Set[str]] = frozenset,
    ) -> None:
        """`root` has the attributes of the root element; not `is_thorough` saves time with large sheets.

        `find_controlled` finds the identifiers of elements that a button opens.
        """
        self._has_doubts = True
        self.is_complete = is_complete
        self._is_scripted = is_scripted
        self._find_controlled = find_controlled
        sheets = StyleSheets(is_thorough)
        for style in styles:
            sheets.read(style)
        self._work = Work(_MAX_WORK)
        self._root = None if root is None else Element("html", root, None, self._work)
        self._elements: dict[Node, Element] = {}
        self._cascade = Cascade(sheets, self._work, is_complete=is_complete)
        sheets.fix_variables()
        self._suspects = Suspects(sheets, self._root)
        self.is_suspect = self._suspects.finds

    def without_doubts(self) -> Self:
        """A copy that ignores doubtful signs."""
        other = copy(self)
        other._has_doubts = False
        return other

    def judge(self, new: Node, node: LexborNode | None = None, *, is_dim: bool = False) -> Verdict:
        """Judge a suspect; `is_dim` where the text around it is hidden, and its own may be visible again."""
        attributes = new.attributes
        if _is_formula(new, node):
            return _SEEN
        is_off = _judge_attributes(new.tag, attributes)
        if self._cascade.is_rough and self._suspects.is_named_by_rule(attributes):
            return Verdict(Certainty.HIDDEN)
        try:
            found = self._judge_closely(new, node, is_off, is_dim=is_dim)
        except WorkSpent:
            found = self._judge_roughly(new, node, is_off, is_dim=is_dim)
        if self._has_doubts:
            return found
        element, text = (Certainty.NONE if each is Certainty.DOUBTFUL else each for each in found[:2])
        return Verdict(element, text, found.is_final)

    def hides_text(self, around: Node, node: LexborNode | None) -> bool:
        """Whether text in an element has the colour of its background, where all colours are known."""
        if not self.is_complete:
            return False
        try:
            element = self._element(around)
            element.known_node = node
            return self._cascade.computed(element).is_camouflaged
        except WorkSpent:
            return self._renew() and self.hides_text(around, node)

    def _renew(self) -> bool:
        """Go on once without costly selectors, when the work is spent."""
        is_first = not self._cascade.is_rough
        self._cascade.is_rough = True
        self._work.left = _MAX_WORK if is_first else 0
        return is_first

    def _judge_closely(self, new: Node, node: LexborNode | None, is_off: Certainty, *, is_dim: bool) -> Verdict:
        is_telling = is_dim or self._is_telling(new.attributes)
        if not is_telling and not (self._suspects.names(new) and self._is_signed(new, node)):
            return Verdict(Certainty.NONE if is_off and self._opens(new.attributes) else is_off)
        element = self._element(new)
        element.known_node = node
        computed = self._cascade.computed(element) if is_dim else self._cascade.computed_alone(element)
        return self._judge_style(element, computed, is_off)

    def _is_signed(self, new: Node, node: LexborNode | None) -> bool:
        """Whether an element matches a rule that may hide it."""
        element = self._element(new)
        element.known_node = node
        return any(self._cascade.matches(each, element) for each in self._suspects.signs.candidates(element))

    def _is_telling(self, attributes: Attributes) -> bool:
        """Whether the attributes of an element may hide it together with the sheets."""
        written = attributes.get("style")
        if written and self._suspects.is_telling_style(written):
            return True
        return "hidden" in attributes

    def _element(self, written: Node) -> Element:
        """The element of a node; its ancestors are made once for all elements in them."""
        missing: list[Node] = []
        current: Node | None = written
        while current is not None and current not in self._elements:
            missing.append(current)
            current = current.parent
        around = self._elements[current] if current is not None else self._root
        for each in reversed(missing):
            around = self._elements[each] = Element(each.tag, each.attributes, around, self._work)
        assert around is not None
        return around

    def _judge_style(self, element: Element, computed: Computed, is_off: Certainty) -> Verdict:
        style = computed.style
        if _is_shown_by_rule(element, style):
            is_off = Certainty.NONE
        is_moving = self._is_scripted and is_moved(style) and not self._is_still(style)
        # An element that appears slowly is visible in the end.
        is_appearing = is_moving and not _MOVING.isdisjoint(style)
        off = judge_display(style, is_moving=is_moving)
        if self._is_off_for_good(element, off, is_appearing=is_appearing):
            is_off = max(is_off, off)
        sight = self._judge_sight(element, style)
        opens = bool(is_off or not computed.is_visible) and self._opens(element.attributes)
        text = self._judge_text(element, computed, opens=opens or is_appearing)
        is_final = Certainty.HIDDEN in (sight, text)
        return Verdict(max(Certainty.NONE if opens else is_off, sight), text, is_final)

    def _opens(self, attributes: Attributes) -> bool:
        """Whether an element is a part of the page that a click opens."""
        if attributes.get("role") == "tabpanel":
            return True
        words = " ".join([f"{name} {value}" for name, value in attributes.items() if name != "style"]).lower()
        is_named = attributes.get("role") == "region" and "aria-labelledby" in attributes
        is_part = is_named or _OPENS.search(words) is not None or attributes.get("id", "") in self._find_controlled()
        return is_part and not _OPENS_ASIDE.search(words)

    def _judge_sight(self, element: Element, style: Mapping[str, str]) -> Certainty:
        is_placed = not self.is_complete or style.get("position", "static") != "static"
        if element.tag in _CELLS:
            style = {name: style[name] for name in style if name not in WIDTHS}
        return judge_sight(style, is_placed=is_placed)

    def _is_off_for_good(self, element: Element, off: Certainty, *, is_appearing: bool) -> bool:
        if off is Certainty.NONE or (off is Certainty.DOUBTFUL and is_appearing):
            return False
        return not self._is_shown_later(element)

    def _is_still(self, style: Mapping[str, str]) -> bool:
        """Whether an animation is known to end, and nothing else moves the element."""
        words = animations(style)
        is_known = not self._cascade.sheets.keyframes.keys().isdisjoint(words)
        return is_known and "infinite" not in words and "transition" not in style

    def _judge_text(self, element: Element, computed: Computed, *, opens: bool) -> Certainty:
        if computed.is_camouflaged or computed.indent_px <= FAR_AWAY:
            return Certainty.HIDDEN
        if computed.font_px <= TINY_FONT_PX:
            return Certainty.DOUBTFUL if element.tag in _CONTAINERS else Certainty.HIDDEN
        if not computed.is_visible and not opens and not self._is_shown_later(element):
            return Certainty.DOUBTFUL
        is_faint = 0 < computed.opacity < FAINT or computed.font_px * computed.scale <= _TINY_SCALED_PX
        return Certainty.DOUBTFUL if is_faint else Certainty.NONE

    def _is_shown_later(self, element: Element) -> bool:
        """Whether a rule shows the element in another state of the page."""
        return any(
            self._is_later(each.selector)
            and not _SHOWING.isdisjoint(each.rule.style.normal)
            and not switches_off(each.rule)
            for each in self._cascade.later(element)
        )

    def _is_later(self, selector: Selector) -> bool:
        if selector.pseudo_element:
            return False
        places = selector.compounds[:-1]
        is_somewhere = any(
            each.tests or each.alternatives or each.has_names or each.tag not in _ANYWHERE for each in places
        )
        return selector.is_state or (self._is_scripted and is_somewhere)

    def _judge_roughly(self, new: Node, node: LexborNode | None, is_off: Certainty, *, is_dim: bool) -> Verdict:
        """Judge without the work that a page has used up: by names in rules that hide, and by its own style."""
        if self._suspects.is_named_by_rule(new.attributes):
            return Verdict(Certainty.HIDDEN)
        if self._renew():
            return self.judge(new, node, is_dim=is_dim)
        style = read_style(new.attributes.get("style") or "")
        declared = style.normal | style.important
        return Verdict(max(is_off, judge_display(declared), judge_sight(declared)))


def _is_shown_by_rule(element: Element, style: Mapping[str, str]) -> bool:
    """Whether a rule of the page shows an element that the browser's own, which is weaker, hides."""
    if style.get("display", "none") == "none":
        return False
    return element.tag == "dialog" or not {"hidden", "popover"}.isdisjoint(element.attributes)


def _judge_attributes(tag: str, attributes: Attributes) -> Certainty:
    if tag in BY_TAG and BY_TAG[tag](attributes):
        return Certainty.HIDDEN
    if ("hidden" in attributes and not is_moved_later(attributes)) or "popover" in attributes:
        return Certainty.HIDDEN
    if _is_for_screen_readers(split_names(attributes.get("class"))):
        return Certainty.HIDDEN
    is_silent = (attributes.get("aria-hidden") or "").lower() == "true"
    return Certainty.DOUBTFUL if is_silent and not is_for_the_eyes(tag, attributes) else Certainty.NONE


def _is_for_screen_readers(names: Set[str]) -> bool:
    return not FOR_SCREEN_READERS.isdisjoint(names) and _WIDE.isdisjoint(names)


def _is_formula(new: Node, node: LexborNode | None) -> bool:
    """Whether it is the source of a formula that is drawn beside it."""
    if new.tag != "mjx-assistive-mml" and FORMULAS.isdisjoint(split_names(new.attributes.get("class"))):
        return False
    inner = node.first_child if node is not None else None
    return node is None or (inner is not None and inner.tag == "math")


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
    return max(Hiding().judge(Node(0, "div", None, written))[:2]) is not Certainty.NONE
