"""Index of style rules by the last simple selector, so that an element is compared with few of them."""

from __future__ import annotations

import re
from enum import IntEnum

from dowse.extract.html.tree.css import StyleRule
from dowse.extract.html.tree.node import ANY, Element
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
_UNUSUAL = re.compile(r"[+~()\[\]&\\\"'\n\t]")
_LAST_PART = re.compile(r"([\w-]*)([.#][\w-]+)?")
_GROUNDS = frozenset(("background", "background-color"))


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


class RuleIndex:
    """Rules by the last simple selector of each selector, such as `.note`.

    Selectors that end in a tag are many, and each applies in few places: they stand under the name of an ancestor too.
    """

    def __init__(self) -> None:
        self._by_key: dict[str, list[Indexed]] = {}
        self._by_attribute: dict[str, list[Indexed]] = {}
        self._inside: dict[str, dict[str, list[Indexed]]] = {}

    def names(self, mark: str) -> frozenset[str]:
        """Names of rules that may apply anywhere: classes (`.`), ids (`#`), attributes (`[`), or tags (empty mark)."""
        if not mark:
            return frozenset(key for key in self._by_key if key[0] not in ".#")
        return frozenset(self._by_attribute if mark == "[" else (key[1:] for key in self._by_key if key[0] == mark))

    @property
    def tags_inside(self) -> frozenset[str]:
        """The tags of rules that apply inside of some elements only."""
        return frozenset(self._inside)

    def has_inside(self, tag: str, lineage: frozenset[str]) -> bool:
        """Whether a rule applies to the tag inside of elements with these names."""
        return any(key in self._inside and not self._inside[key].keys().isdisjoint(lineage) for key in (tag, ANY))

    def has_attributes(self, element: Element) -> bool:
        """Whether a rule asks for an attribute that the element has."""
        return not self._by_attribute.keys().isdisjoint(element.attributes)

    def add(self, selector: Selector, rule: StyleRule) -> None:
        """Add a compiled selector."""
        ancestor = max((name for name in selector.needed if name[0] in ".#"), default="")
        for key in selector.compounds[-1].index_keys():
            self._insert(key, ancestor, Indexed(rule, selector=selector))

    def add_plain(self, source: str, rule: StyleRule) -> None:
        """Add a plain selector, of which the key is known without a compiler."""
        start = max(source.rfind(" "), source.rfind(">")) + 1
        last = _LAST_PART.match(source, start)
        if last is None:
            return
        key = last[2] or last[1] or ANY
        ancestors = _NAMES.findall(source, 0, start) if start and not last[2] else ()
        self._insert(key, ancestors[-1] if ancestors else "", Indexed(rule, source))

    def candidates(self, element: Element) -> list[Indexed]:
        """The rules of which an element may match a selector."""
        found: list[Indexed] = []
        for key in element.keys:
            if key in self._by_key:
                found += self._by_key[key]
        for name in self._by_attribute.keys() & element.attributes.keys() if self._by_attribute else ():
            found += self._by_attribute[name]
        for key in (element.tag, ANY):
            if key in self._inside:
                inside = self._inside[key]
                for name in inside.keys() & element.lineage:
                    found += inside[name]
        element.work.spend(len(found))
        return found

    def _insert(self, key: str, ancestor: str, indexed: Indexed) -> None:
        if key[0] == "[":
            self._by_attribute.setdefault(key[1:], []).append(indexed)
        elif ancestor and key[0] not in ".#":
            self._inside.setdefault(key, {}).setdefault(ancestor, []).append(indexed)
        else:
            self._by_key.setdefault(key, []).append(indexed)


def index_rule(rule: StyleRule, rules: RuleIndex, states: RuleIndex, layers: RuleIndex) -> None:
    """Add a rule where its selectors belong: the rules of elements, of states, or of layers behind elements."""
    if rule.block.around is None and _UNUSUAL.search(rule.block.selectors) is None:
        for source in map(str.strip, rule.block.selectors.split(",")):
            kind = _kind_of(source)
            if kind is not _Kind.LAYER or not _GROUNDS.isdisjoint(rule.style.normal):
                (rules, states, layers)[kind].add_plain(source, rule)
        return
    for selector in rule.block.compiled:
        if not selector.pseudo_element:
            (states if selector.is_state else rules).add(selector, rule)
        elif not _GROUNDS.isdisjoint(rule.style.normal):
            layers.add(selector, rule)


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
