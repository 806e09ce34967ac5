"""Selectors of style sheets: compiled once, indexed by the last simple selector, matched within a budget of work."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Self

from dowse.extract.html.tree.grammar import NTH, is_in_steps, read_steps, unescape
from dowse.extract.html.tree.node import ANY, COMPARISONS, STRUCTURAL, UNNAMED, Element, is_in

# Selectors of other browsers: a list that has one of them is invalid as a whole.
_FOREIGN = ("-ms-", "-moz-", "-o-")
_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\[0-9a-f]{1,6}[ \t\n\f\r]?|\\[^0-9a-f\n])++"
_TOKEN = re.compile(
    rf"(?P<combinator>\s*+[>+~]\s*+|\s++)|(?P<mark>[.#])(?P<name>{_NAME})|(?:(?:{_NAME}|\*)?\|)?+(?P<tag>{_NAME}|\*)|(?P<nest>&)"
    rf"|\[\s*+(?P<attribute>{_NAME})\s*+(?:(?P<how>[~|^$*]?=)\s*+"
    r"""(?P<value>"[^"]*+"|'[^']*+'|[^\]\s]*+)\s*+i?\s*+)?\]"""
    rf"|:(?P<element>:?)(?P<state>{_NAME})(?P<opening>\()?"
)
_LIST_END = re.compile(r"\s*+([,)])\s*+")
_OF = re.compile(r"of\s++")
_IDENTIFIER, _CLASS, _TAG = 1_000_000, 1_000, 1
_ALTERNATIVES = frozenset(("is", "where", "matches", "-webkit-any"))
# Whether it counts from the end, and whether only elements with the same tag.
_COUNTED = {
    "nth-child": (False, False),
    "nth-last-child": (True, False),
    "nth-of-type": (False, True),
    "nth-last-of-type": (True, True),
}
_FUNCTIONS = _ALTERNATIVES | _COUNTED.keys() | {"not", "has", "lang", "dir"}
_PSEUDO_ELEMENTS = frozenset(("before", "after", "first-line", "first-letter"))
_MAX_DEPTH = 12  # of selectors in selectors; a deeper one matches nothing
_LONGEST_KNOWN = 200
Test = Callable[[Element], bool]
Token = re.Match[str]


@dataclass(slots=True)
class Compound:
    """Simple selectors about one element, and the combinator that joins it to the compound on its left."""

    tag: str = ""
    identifiers: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    attributes: list[str] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    alternatives: list[Sequence[Selector]] = field(default_factory=list)
    combinator: str = ""
    specificity: int = 0
    is_state: bool = False
    pseudo_element: str = ""

    @property
    def has_names(self) -> bool:
        """Whether it names an identifier, a class or an attribute."""
        return bool(self.identifiers or self.classes or self.attributes)

    @property
    def is_costly(self) -> bool:
        return len(self.tests) > len(self.attributes) or bool(self.alternatives) or self.combinator in "+~"

    def matches(self, element: Element, *, in_any_state: bool = False) -> bool:
        if (self.is_state and not in_any_state) or self.pseudo_element or not self.classes <= element.classes:
            return False
        if self.tag and self.tag not in (element.tag, ANY):
            return False
        return not (self.identifiers or self.tests or self.alternatives) or self._passes(element)

    def _passes(self, element: Element) -> bool:
        if self.identifiers and self.identifiers != {element.identifier}:
            return False
        element.work.spend(len(self.tests))
        return all(test(element) for test in self.tests) and all(
            _matches_one(choice, element) for choice in self.alternatives
        )

    def names(self) -> list[str]:
        """The tag, classes, identifiers and attributes, in the form of index keys."""
        marked = [*map(".{}".format, self.classes), *map("#{}".format, self.identifiers)]
        marked += [f"[{name}" for name in self.attributes if name not in UNNAMED]
        return [*marked, self.tag] if self.tag not in ("", ANY) else marked

    def index_keys(self, depth: int = 0) -> list[str]:
        """The keys of the index, one of which every matching element has."""
        if self.identifiers:
            # `min` is the same in every process, unlike the first of a set.
            return [f"#{min(self.identifiers)}"]
        if self.classes:
            return [f".{min(self.classes)}"]
        if self.attributes:
            return [f"[{self.attributes[0]}"]
        if self.tag and self.tag != ANY:
            return [self.tag]
        if self.alternatives and depth < _MAX_DEPTH:
            return [key for each in self.alternatives[0] for key in each.compounds[-1].index_keys(depth + 1)]
        return [ANY]


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds from left to right; `needed` are names that ancestors of a matching element must have."""

    compounds: tuple[Compound, ...]
    needed: frozenset[str]
    specificity: int
    is_special: bool
    """Whether it depends on more than names: on places among siblings, attributes, or other selectors."""
    is_costly: bool
    """Whether it asks about siblings or other selectors, and not only about names and attributes."""

    @classmethod
    def of(cls, compounds: Sequence[Compound]) -> Self:
        inside = [each for each, right in pairwise(compounds) if right.combinator in " >"]
        needed = frozenset(name for each in inside for name in each.names())
        is_costly = any(each.is_costly for each in compounds)
        is_special = is_costly or any(each.tests for each in compounds)
        return cls(tuple(compounds), needed, sum(each.specificity for each in compounds), is_special, is_costly)

    @property
    def pseudo_element(self) -> str:
        return self.compounds[-1].pseudo_element

    @property
    def is_state(self) -> bool:
        """Whether it applies in some state only, such as under the pointer."""
        return any(each.is_state for each in self.compounds)


def matches(selector: Selector, element: Element) -> bool:
    """Whether an element matches, from the last compound to the first."""
    if selector.needed and not selector.needed <= element.lineage:
        return False
    compounds = selector.compounds
    return compounds[-1].matches(element) and (
        len(compounds) == 1 or _continues(compounds, len(compounds) - 1, element)
    )


def _matches_one(choice: Sequence[Selector], element: Element) -> bool:
    element.work.spend(len(choice))
    return any(matches(each, element) for each in choice)


def _continues(compounds: tuple[Compound, ...], at: int, element: Element) -> bool:
    """Whether the compounds on the left of a matching one match as well."""
    element.work.spend()
    left = compounds[at - 1]
    for other in _related(element, compounds[at].combinator):
        if left.matches(other) and (at == 1 or _continues(compounds, at - 1, other)):
            return True
    return False


def _related(element: Element, combinator: str) -> Iterator[Element]:
    if combinator == ">":
        return iter(() if element.parent is None else (element.parent,))
    if combinator == "+":
        return iter(() if element.previous is None else (element.previous,))
    return element.before() if combinator == "~" else element.ancestors()


NEVER = Selector((Compound(is_state=True),), frozenset(), 0, is_special=False, is_costly=False)
"""A selector that no element matches."""


def is_pseudo_element(name: str) -> bool:
    """Whether a name with its colons is that of a pseudo-element."""
    return name.startswith("::") or name[1:] in _PSEUDO_ELEMENTS


def is_structural(name: str) -> bool:
    """Whether a name with its colon is that of a pseudo-class that holds in any state."""
    return name[1:] in STRUCTURAL or name[1:] in _FUNCTIONS


def compile_selectors(source: str, scope: Sequence[Selector] = ()) -> Sequence[Selector]:
    """The selectors of a list; inside a nested rule, `scope` has the selectors of the rule around it."""
    if scope or len(source) > _LONGEST_KNOWN:
        return _Compiler(source, scope).read_list()
    return _compile_known(source)


@lru_cache(maxsize=1_000)
def _compile_known(source: str) -> Sequence[Selector]:
    return _Compiler(source, ()).read_list()


class _Compiler:
    """Reads selectors from left to right; an unknown one makes the whole list invalid."""

    def __init__(self, source: str, scope: Sequence[Selector]) -> None:
        self._source = source.strip()
        self._scope = scope
        self._at = 0
        self._depth = 0

    def read_list(self) -> Sequence[Selector]:
        found: list[Selector] = []
        while True:
            selector = self._read_selector(is_nested=bool(self._scope))
            end = _LIST_END.match(self._source, self._at)
            if selector is None or (end is None and self._at < len(self._source)):
                return ()
            found.append(selector)
            if end is None:
                return found
            self._at = end.end()

    def _read_selector(self, *, is_nested: bool = False, is_relative: bool = False) -> Selector | None:
        compounds: list[Compound] = []
        token = self._next_token()
        if token is not None and token["combinator"] is not None and not (is_nested or is_relative):
            return None
        while token is not None:
            compounds.append(Compound(combinator=(token["combinator"] or "").strip() or " "))
            is_valid, token = self._read_compound(compounds[-1], token)
            if not is_valid:
                return None
        return self._make_selector(compounds, is_nested=is_nested) if compounds else None

    def _read_compound(self, compound: Compound, token: Token | None) -> tuple[bool, Token | None]:
        """Read a compound behind its combinator: whether it is valid, and the token behind it."""
        if token is not None and token["combinator"] is not None:
            token = self._next_token()
        is_valid = token is not None and token["combinator"] is None
        while is_valid and token is not None and token["combinator"] is None:
            is_valid = self._add(compound, token)
            token = self._next_token()
        return is_valid, token

    def _make_selector(self, compounds: list[Compound], *, is_nested: bool) -> Selector:
        has_scope = any(choice is self._scope for each in compounds for choice in each.alternatives)
        return Selector.of([_scope_compound(self._scope), *compounds] if is_nested and not has_scope else compounds)

    def _next_token(self) -> re.Match[str] | None:
        """The next part of a selector; none at its end."""
        if _LIST_END.match(self._source, self._at):
            return None
        token = _TOKEN.match(self._source, self._at)
        self._at = token.end() if token else self._at
        return token

    def _add(self, compound: Compound, token: re.Match[str]) -> bool:
        """Add a simple selector; false for an unknown one."""
        if token["nest"]:
            self._add_alternatives(compound, self._scope)
        elif token["mark"]:
            _add_name(compound, token["mark"], unescape(token["name"]))
        elif token["tag"]:
            compound.tag = unescape(token["tag"])
            compound.specificity += _TAG * (compound.tag != ANY)
        elif token["attribute"]:
            _add_attribute(compound, token)
        elif token["state"].startswith(_FOREIGN):
            return False
        elif token["element"] or token["state"] in _PSEUDO_ELEMENTS:
            compound.pseudo_element = token["state"]
            if token["opening"]:
                self._skip_argument()
        elif token["opening"]:
            return self._add_function(compound, token["state"])
        else:
            _add_state(compound, token["state"])
        return True

    def _add_function(self, compound: Compound, name: str) -> bool:
        if self._depth >= _MAX_DEPTH:
            compound.is_state = True
            self._skip_argument()
            return True
        start = self._at
        if name in _COUNTED:
            self._add_counted(compound, name)
        elif name in _ALTERNATIVES or name in ("not", "has"):
            self._add_nested(compound, name)
        else:
            self._skip_argument()
            wanted = [each.strip(" \"'") for each in self._source[start : self._at - 1].split(",")]
            compound.tests.append(lambda element: is_in(element, name, wanted))
            compound.specificity += _CLASS
        return self._at > start

    def _add_nested(self, compound: Compound, name: str) -> None:
        """A pseudo-class with a list of selectors."""
        chosen = self._read_nested(is_relative=name == "has")
        if name == "not":
            compound.tests.append(lambda element: not _matches_one(chosen, element))
        elif name == "has":
            compound.tests.append(lambda element: any(_has(each, element) for each in chosen))
        else:
            self._add_alternatives(compound, chosen, counts=name != "where")
            return
        compound.specificity += _highest(chosen)

    def _read_nested(self, *, is_relative: bool = False) -> list[Selector]:
        """The selectors up to the closing parenthesis."""
        self._depth += 1
        chosen: list[Selector] = []
        while (end := _LIST_END.match(self._source, self._at)) is None or end[1] == ",":
            self._at = end.end() if end else self._at
            before = self._at
            selector = self._read_selector(is_relative=is_relative)
            if selector is not None:
                chosen.append(selector)
            elif self._at == before:
                break
        self._depth -= 1
        self._skip_argument()
        return chosen

    def _add_alternatives(self, compound: Compound, chosen: Sequence[Selector], *, counts: bool = True) -> None:
        compound.alternatives.append(chosen)
        compound.specificity += _highest(chosen) if counts else 0

    def _add_counted(self, compound: Compound, name: str) -> None:
        found = NTH.match(self._source, self._at)
        compound.specificity += _CLASS
        of = _OF.match(self._source, found.end()) if found else None
        self._at = of.end() if of else self._at
        chosen = self._read_nested() if of else ()
        if not of:
            self._skip_argument()
        if found is None:
            compound.is_state = True
            return
        step, offset = read_steps(found)
        compound.tests.append(_counted(step, offset, _COUNTED[name], chosen))

    def _skip_argument(self) -> None:
        """Go behind the parenthesis that closes the argument."""
        level = 1
        while level and self._at < len(self._source):
            level += {"(": 1, ")": -1}.get(self._source[self._at], 0)
            self._at += 1


def _scope_compound(scope: Sequence[Selector]) -> Compound:
    return Compound(alternatives=[scope], specificity=_highest(scope))


def _highest(chosen: Sequence[Selector]) -> int:
    return max((each.specificity for each in chosen), default=0)


def _add_name(compound: Compound, mark: str, name: str) -> None:
    (compound.identifiers if mark == "#" else compound.classes).add(name)
    compound.specificity += _IDENTIFIER if mark == "#" else _CLASS


def _add_attribute(compound: Compound, token: re.Match[str]) -> None:
    name, how = unescape(token["attribute"]), token["how"] or ""
    wanted = unescape((token["value"] or "").strip("\"'"))
    compound.attributes.append(name)
    compound.specificity += _CLASS
    compare = COMPARISONS.get(how)
    if compare is None:
        compound.tests.append(lambda element: name in element.attributes)
    else:
        compound.tests.append(
            lambda element: name in element.attributes and compare((element.attributes[name] or "").lower(), wanted)
        )


def _add_state(compound: Compound, name: str) -> None:
    compound.specificity += _CLASS
    if name in STRUCTURAL:
        compound.tests.append(STRUCTURAL[name])
    else:
        compound.is_state = True


def _has(wanted: Selector, element: Element) -> bool:
    """`:has()`; behind the first combinator only a single compound is compared with its place."""
    mark, places = wanted.compounds[0].combinator, element.descendants
    if mark == "+":
        return element.next is not None and matches(wanted, element.next)
    if len(wanted.compounds) == 1:
        places = {">": element.children, "~": element.after}.get(mark, places)
    return any(matches(wanted, other) for other in places())


def _counted(step: int, offset: int, counted: tuple[bool, bool], of: Sequence[Selector]) -> Test:
    return lambda element: _fits(of, element) and is_in_steps(_place(element, counted, of), step, offset)


def _place(element: Element, counted: tuple[bool, bool], of: Sequence[Selector]) -> int:
    """The place among the siblings that count, from one end."""
    is_from_end, is_of_type = counted
    beside = element.after() if is_from_end else element.before()
    return 1 + sum(1 for other in beside if (not is_of_type or other.tag == element.tag) and _fits(of, other))


def _fits(of: Sequence[Selector], element: Element) -> bool:
    return not of or _matches_one(of, element)
