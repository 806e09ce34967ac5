"""Elements that may be hidden, marked by an attribute or a rule, found at little cost among all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dowse.extract.html.tree.appearance import SIGNS, animations, is_sign, judge_display
from dowse.extract.html.tree.colours import is_camouflage
from dowse.extract.html.tree.css import StyleRule, StyleSheets, read_style
from dowse.extract.html.tree.node import ANY, Attributes, Element, Node
from dowse.extract.html.tree.rule_index import RuleIndex, index_rule

FOR_SCREEN_READERS = frozenset({"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "skip-link"})
# The source of a formula, drawn beside it.
FORMULAS = frozenset({"katex-mathml", "mjx_assistive_mathml"})
BY_TAG: dict[str, Callable[[Attributes], bool]] = {
    "dialog": lambda attributes: "open" not in attributes,
    "annotation": lambda attributes: not (attributes.get("encoding") or "").lower().endswith("tex"),
    "annotation-xml": lambda _attributes: True,
    "mphantom": lambda _attributes: True,
}
"""Whether the attributes of an element of some tags hide it."""
_MAX_KNOWN = 10_000
_TELLING = frozenset({"hidden", "popover", "aria-hidden"})
_NAMED = FOR_SCREEN_READERS | FORMULAS
_NO_TAGS: frozenset[str] = frozenset()


class Suspects:
    """Finds the elements that may be hidden: by their own attributes, or by a rule that may hide elements."""

    def __init__(self, sheets: StyleSheets, root: Element | None) -> None:
        self._fading = {name for name, style in sheets.keyframes.items() if judge_display(style)}
        self.signs = RuleIndex()
        unused = RuleIndex()
        for rule in sheets.rules:
            if self._may_hide(rule):
                index_rule(rule, self.signs, unused, unused)
        # Tags to look at closely; for attributes, see `finds`.
        self._tags = self.signs.names("")
        self._below = self.signs.tags_below()
        self._attributes_around = frozenset(name[1:] for name in self._below if name[0] == "[")
        self._inside = frozenset[str]().union(*self._below.values())
        # The tags that such a rule may hide inside of an element; outside of all, those inside of the root.
        self._within: dict[Node | None, frozenset[str]] = {None: frozenset()}
        if root is not None:
            self._within[None] = self._tags_below(root.tag, root.attributes)
        self._attributes = self.signs.names("[")
        self.classes = _NAMED | self.signs.names(".")
        self.identifiers = self.signs.names("#")
        self._watched = _TELLING | self._attributes | ({"style", "id"} if self.identifiers else {"style"})
        # A page has few different styles and class lists, and many elements with each of them.
        self._suspects: dict[tuple[str, str | None], bool] = {}
        self._by_style: dict[str, bool] = {}

    def finds(self, new: Node) -> bool:
        """Whether an element may be hidden; most cannot."""
        tag, attributes = new.tag, new.attributes
        names = (tag, attributes.get("class") if attributes else None)
        is_telling = self._suspects.get(names)
        if is_telling is None:
            is_telling = self._has_telling_name(*names)
        if is_telling or (attributes and not self._watched.isdisjoint(attributes) and self._is_watched(attributes)):
            return True
        return bool(self._inside) and self._is_inside(new)

    def _is_inside(self, new: Node) -> bool:
        """Whether a rule that may hide elements is about this tag inside of one of its ancestors."""
        if new.tag not in self._inside and ANY not in self._inside:
            return False
        found = self._tags_within(new.parent)
        return new.tag in found or ANY in found

    def _tags_within(self, around: Node | None) -> frozenset[str]:
        """The tags that rules may hide inside of an element, by its ancestors too; known ones are kept."""
        missing: list[Node] = []
        while around is not None and around not in self._within:
            missing.append(around)
            around = around.parent
        found = self._within[around]
        for each in reversed(missing):
            tags = self._tags_below(each.tag, each.attributes)
            found = self._within[each] = found | tags if tags else found
        return found

    def _tags_below(self, tag: str, attributes: Attributes) -> frozenset[str]:
        names = [tag, *map(".{}".format, split_names(attributes.get("class")))] if attributes else (tag,)
        if "id" in attributes:
            names = [*names, f"#{(attributes['id'] or '').lower()}"]
        if self._attributes_around:
            names = [*names, *(f"[{name}" for name in attributes if name in self._attributes_around)]
        found = [self._below[name] for name in names if name in self._below]
        return found[0].union(*found[1:]) if found else _NO_TAGS

    def _has_telling_name(self, tag: str, names: str | None) -> bool:
        """Whether the tag and the classes of an element, by which most are alike, may be those of a hidden one."""
        known = self._suspects.get((tag, names))
        if known is None:
            known = self._suspects[tag, names] = tag in BY_TAG or self._may_match(tag, names)
        return known

    def _may_match(self, tag: str, names: str | None) -> bool:
        classes = split_names(names)
        if not _NAMED.isdisjoint(classes):
            return True
        is_known = tag in self._tags or ANY in self._tags or not self.classes.isdisjoint(classes)
        return is_known and self.signs.may_match(tag, classes)

    def _is_watched(self, attributes: Attributes) -> bool:
        if not _TELLING.isdisjoint(attributes) or self._is_listed(attributes):
            return True
        return "style" in attributes and self.is_telling_style(attributes["style"] or "")

    def _is_listed(self, attributes: Attributes) -> bool:
        """Whether a rule that may hide elements asks for the identifier or for another attribute."""
        if "id" in attributes and (attributes["id"] or "").lower() in self.identifiers:
            return True
        return bool(self._attributes) and not self._attributes.isdisjoint(attributes)

    def names(self, new: Node) -> bool:
        """Whether a rule that may hide elements names this one."""
        tag, attributes = new.tag, new.attributes
        if self._has_telling_name(tag, attributes.get("class")) or self._is_listed(attributes):
            return True
        return bool(self._inside) and self._is_inside(new)

    def is_telling_style(self, written: str) -> bool:
        known = self._by_style.get(written)
        if known is None:
            if len(self._by_style) >= _MAX_KNOWN:
                self._by_style.clear()
            style = read_style(written)
            known = self._by_style[written] = self._is_sign(style.normal | style.important)
        return known

    def _may_hide(self, rule: StyleRule) -> bool:
        style = rule.style
        return self._is_sign(style.normal | style.important if style.important else style.normal)

    def _is_sign(self, style: Mapping[str, str]) -> bool:
        # A plain loop: `any` takes half as long again, and there are thousands of rules.
        for name in style:
            if name in SIGNS and is_sign(name, style[name]):
                return True
        if self._fading and not self._fading.isdisjoint(animations(style)):
            return True
        return is_camouflage(style)

    def is_named_by_rule(self, attributes: Attributes) -> bool:
        """Whether a rule that may hide elements names the identifier or a class of this one."""
        is_identified = (attributes.get("id") or "").lower() in self.identifiers
        return is_identified or not self.classes.isdisjoint(split_names(attributes.get("class")))


def split_names(names: str | None) -> frozenset[str]:
    """The classes of an element."""
    return frozenset(names.lower().split()) if names else _NO_TAGS
