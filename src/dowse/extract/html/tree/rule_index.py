"""Rules of style sheets by the last simple selector of each, so that an element is compared with few of them."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from enum import IntEnum

from dowse.extract.html.tree.css import StyleRule
from dowse.extract.html.tree.grammar import blank_arguments, unescape
from dowse.extract.html.tree.node import ANY, Element, ElementIndex
from dowse.extract.html.tree.selectors import (
    NEVER,
    Selector,
    compile_selectors,
    is_pseudo_element,
    is_structural,
    matches,
)

_NAMES = re.compile(r"[.#][\w-]+")
_PSEUDO = re.compile(r":{1,2}[\w-]*")
_SIBLING = re.compile(r"(?<![^\s>+~,])[^\s>+~,]++\s*+[+~]\s*+")
# Characters beside names in selectors, and those for the compiler, some of which are in no selector.
_SPECIAL = re.compile(r"[+~()\[\]&\\\"'%@^!$=/;?|<`]")
_UNUSUAL = re.compile(r"[()\[\]&\\\"'%@^!$=/;?|<`]")
_FOREIGN = re.compile(r"::?-(?:ms|moz|o)-")
_LAST_PART = re.compile(r"(\*|[\w-]*)([.#][\w-]+)?")
_GROUNDS = frozenset(("background", "background-color"))
# A class in the selectors of more rules is taken for one of each.
_MAX_COMPARED = 50


class Indexed:
    """A selector with its rule; compiled when an element has its key, since most selectors are never needed."""

    __slots__ = ("_selector", "_source", "rule")

    def __init__(self, rule: StyleRule, source: str = "", selector: Selector | None = None) -> None:
        self.rule = rule
        self._source = source
        self._selector = selector

    @property
    def selector(self) -> Selector:
        if self._selector is None:
            compiled = compile_selectors(self._source)
            self._selector = compiled[0] if compiled else NEVER
        return self._selector

    def matches(self, element: Element) -> bool:
        return matches(self.selector, element)


class RuleIndex(ElementIndex[Indexed]):
    """Rules by the last simple selector of each selector."""

    def add(self, selector: Selector, rule: StyleRule) -> None:
        """Add a compiled selector."""
        ancestor = max((name for name in selector.needed if name[0] in ".#["), default="")
        for key in selector.compounds[-1].index_keys():
            self.insert(key, ancestor, Indexed(rule, selector=selector))

    def may_match(self, tag: str, classes: Set[str]) -> bool:
        """Whether a rule is about elements with this tag and these classes, its other conditions aside."""
        keys = (ANY, tag, *map(".{}".format, classes))
        return any(_is_about(self._by_key[key], tag, classes) for key in keys if key in self._by_key)

    def add_by_text(self, source: str, skeleton: str, rule: StyleRule) -> bool:
        """Add a selector of which the key is known without a compiler; its skeleton is as long."""
        start = max(skeleton.rfind(" "), skeleton.rfind(">")) + 1
        last = _LAST_PART.match(skeleton, start)
        if last is None or not last[0]:
            return False
        ancestors = [] if last[2] or not start else [*_NAMES.finditer(skeleton, 0, start)]
        if _names_attributes_only(source, ancestors, is_tag=start > 0 and not last[2]):
            return False
        ancestor = unescape(source[slice(*ancestors[-1].span())]) if ancestors else ""
        self.insert(unescape(source[slice(*last.span(2 if last[2] else 1))]), ancestor, Indexed(rule, source))
        return True


def _names_attributes_only(source: str, ancestors: Sequence[object], *, is_tag: bool) -> bool:
    """Whether a selector for a tag tells its ancestors by attributes only."""
    return is_tag and not ancestors and "[" in source


def _is_about(items: Sequence[Indexed], tag: str, classes: Set[str]) -> bool:
    if len(items) > _MAX_COMPARED:
        return True
    last = (each.selector.compounds[-1] for each in items)
    return any(each.classes <= classes and each.tag in ("", ANY, tag) for each in last)


Indexes = tuple[RuleIndex, RuleIndex, RuleIndex]


def index_rule(rule: StyleRule, rules: RuleIndex, states: RuleIndex, layers: RuleIndex) -> None:
    """Add a rule where its selectors belong: the rules of elements, of states, or of layers behind elements."""
    indexes = (rules, states, layers)
    selectors = rule.block.selectors
    if "\n" in selectors or "\t" in selectors:
        selectors = " ".join(selectors.split())
    is_special = _SPECIAL.search(selectors) is not None
    skeleton = blank_arguments(selectors) if is_special else selectors
    if rule.block.around is not None or (is_special and _UNUSUAL.search(skeleton) is not None):
        for selector in rule.block.compiled:
            _add_compiled(selector, rule, indexes)
    elif ":-" not in skeleton or _FOREIGN.search(skeleton) is None:
        _add_each(selectors, skeleton, rule, indexes)


def _add_each(selectors: str, skeleton: str, rule: StyleRule, indexes: Indexes) -> None:
    end = 0
    for part in skeleton.split(","):
        start, end = end, end + len(part) + 1
        kind = _kind_of(part)
        if kind is _Kind.LAYER and _GROUNDS.isdisjoint(rule.style.normal):
            continue
        part = part.rstrip()
        source = selectors[start : start + len(part)]
        if not indexes[kind].add_by_text(
            source, _SIBLING.sub(_pad, part) if "+" in part or "~" in part else part, rule
        ):
            for selector in compile_selectors(source):
                _add_compiled(selector, rule, indexes)


def _add_compiled(selector: Selector, rule: StyleRule, indexes: Indexes) -> None:
    rules, states, layers = indexes
    if not selector.pseudo_element:
        (states if selector.is_state else rules).add(selector, rule)
    elif not _GROUNDS.isdisjoint(rule.style.normal):
        layers.add(selector, rule)


def _pad(found: re.Match[str]) -> str:
    return " " * len(found[0])


class _Kind(IntEnum):
    """The index of a selector: of elements, of elements in a state, or of layers behind elements."""

    ELEMENT = 0
    STATE = 1
    LAYER = 2


def _kind_of(source: str) -> _Kind:
    names = _PSEUDO.findall(source) if ":" in source else ()
    if not names or all(map(is_structural, names)):
        return _Kind.ELEMENT
    return _Kind.LAYER if is_pseudo_element(names[-1]) else _Kind.STATE
