"""Style sheets, as far as they can hide an element: declarations, simple selectors, an index of rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from dowse.extract.html.tree.appearance import Certainty, judge_display, judge_sight
from dowse.extract.html.tree.node import Attributes

_COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*(?:\*/)?+")
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})[ \t\n\f\r]?|([^\n]))")
_COMPOUND = re.compile(r"([a-z][\w-]{0,60}|\*)?((?:[.#][\w-]{1,99}|\[[\w-]{1,40}(?:=[^\]]{0,80})?\])*)")
_PART = re.compile(r"([.#])([\w-]{1,99})|\[([\w-]{1,40})(?:=([^\]]{0,80}))?\]")
_NAME = re.compile(r"[.#\[]?[\w-]{1,99}")
_STATE = re.compile(r":[\w-]{1,40}")
_COMBINATOR = re.compile(" ?[>+~] ?| ")
# Ancestors in a selector that do not restrict it.
_ANYWHERE = frozenset(("html", "body", "main", "article", "section", "div", "p", "span", "*"))
_WIDTH = re.compile(r"(min|max)-width\s{0,9}:\s{0,9}([\d.]{1,9})\s{0,9}(px|r?em)")
_WIDTH_OF_A_SCREEN = 1280
_PIXELS_OF_AN_EM = 16
# Of all sheets together; the rest is ignored.
_MAX_LENGTH = 300_000
# Declarations that hide an element or show it again contain one of these; most rules contain none.
_SIGNS = (
    *("display", "visibility", "opacity", "hidden", "max-height", "clip:", "clip-path", "indent", ":-", ": -", "(-9"),
    *("size:0", "size: 0", "size:1px", "size: 1px", "transparent", "scale(0", "\\"),
)
_SHOWING = frozenset(("display", "visibility", "opacity", "height", "max-height", "transform"))
_MOVING = frozenset(("transition", "transition-property", "transition-duration", "animation", "animation-name"))


@dataclass(frozen=True, slots=True)
class Declarations:
    """Declarations by property, the important ones apart."""

    normal: dict[str, str]
    important: dict[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class StyleRule:
    """Declarations with a simple selector."""

    tag: str
    identifiers: frozenset[str]
    classes: frozenset[str]
    attributes: tuple[tuple[str, str], ...]
    specificity: int
    order: int
    style: Declarations

    @property
    def key(self) -> str:
        """The rarest part of the selector: an element without it is never matched."""
        # `min` is the same in every process, unlike the first of a set.
        if self.identifiers:
            return f"#{min(self.identifiers)}"
        if self.classes:
            return f".{min(self.classes)}"
        return f"[{self.attributes[0][0]}" if self.attributes else self.tag

    def matches(self, tag: str, identifier: str, classes: frozenset[str], attributes: Attributes) -> bool:
        return (
            self.tag in ("", "*", tag)
            and self.identifiers <= {identifier}
            and self.classes <= classes
            and all(name in attributes and value in ("", attributes[name]) for name, value in self.attributes)
        )


def read_style(text: str) -> Declarations:
    """Parse the declarations of a `style` attribute or a rule: lower case, without comments and escapes."""
    text = text.lower()
    if "\\" in text or "/*" in text:
        text = _ESCAPE.sub(_unescape, _COMMENT.sub("", text))
    style = Declarations({}, {})
    for declaration in text.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            value, mark, _ = value.partition("!")
            (style.important if mark else style.normal)[name.strip()] = value.strip()
    return style


def read_sheet(sheet: str, is_telling: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Selectors and declarations of the rules that apply to a screen, in order; only telling declarations."""
    found: list[tuple[str, str]] = []
    # The prelude of each open block, and whether its content applies.
    blocks: list[tuple[str, bool]] = [("", True)]
    for piece in _COMMENT.sub("", sheet).lower().split("}"):
        *openings, declarations = piece.split("{")
        for opening in openings[:-1]:
            blocks.append(_open_block(opening, *blocks[-1]))
        # Most declarations tell nothing, and then their selectors do not matter.
        if declarations and is_telling(declarations):
            selectors, counts = _open_block(openings[-1], *blocks[-1]) if openings else blocks[-1]
            if counts and selectors[:1] not in ("", "@"):
                found.append((selectors, declarations))
        if not openings and len(blocks) > 1:
            blocks.pop()
    return found


def names_in(selectors: str) -> list[str]:
    """All names in selectors, in the form of `StyleRule.key`."""
    return _NAME.findall(selectors)


def names_on_condition(selectors: str) -> Iterator[str]:
    """Names in selectors that apply only in some place or state."""
    for found, is_conditional in _last_compounds(selectors):
        if is_conditional:
            if found[1]:
                yield found[1]
            for mark, name, attribute, _ in _PART.findall(found[2]):
                yield f"{mark}{name}" if mark else f"[{attribute}"


def read_rules(selectors: str, style: Declarations, order: int = 0) -> Iterator[StyleRule]:
    """A rule for each simple selector that applies in any place and state."""
    for found, is_conditional in _last_compounds(selectors):
        if is_conditional:
            continue
        parts = _PART.findall(found[2])
        identifiers = frozenset(name for mark, name, _, _ in parts if mark == "#")
        classes = frozenset(name for mark, name, _, _ in parts if mark == ".")
        attributes = tuple((name, value.strip("\"'")) for _, _, name, value in parts if name)
        yield StyleRule(
            tag=found[1] or "",
            identifiers=identifiers,
            classes=classes,
            attributes=attributes,
            specificity=10_000 * len(identifiers) + 100 * len(classes) + 100 * len(attributes) + bool(found[1]),
            order=order,
            style=style,
        )


def is_for_screens(media: str) -> bool:
    """Whether a sheet with such a `media` attribute applies to a screen of the usual size."""
    return any(_applies(f"@media {each}") for each in media.lower().split(","))


def _open_block(opening: str, around: str, counts: bool) -> tuple[str, bool]:
    """The prelude of a block, and whether its content applies, given the same of the block around it."""
    selectors = opening.rpartition(";")[2].strip()
    # A nested rule applies to some of the elements only.
    is_nested = around[:1] not in ("", "@")
    return selectors, counts and not is_nested and (selectors[:1] != "@" or _applies(selectors))


def _last_compounds(selectors: str) -> Iterator[tuple[re.Match[str], bool]]:
    """The last compound of each selector, and whether it is conditional on a place or a state."""
    for selector in selectors.split(","):
        *around, last = _COMBINATOR.split(" ".join(selector.split()))
        plain = _STATE.sub("", last)
        found = _COMPOUND.fullmatch(plain)
        # Pseudo-elements are no part of the element.
        if plain and found is not None and "::" not in last:
            yield found, plain != last or not _ANYWHERE.issuperset(around)


def _applies(condition: str) -> bool:
    """Whether a block is for a screen of the usual size."""
    if condition.startswith(("@layer", "@supports")):
        return True
    if not condition.startswith("@media"):
        return False
    if ("print" in condition and "not" not in condition) or "prefers" in condition or "(hover" in condition:
        return False
    return all(_fits(*found) for found in _WIDTH.findall(condition))


def _fits(bound: str, number: str, unit: str) -> bool:
    try:
        width = float(number) * (1 if unit == "px" else _PIXELS_OF_AN_EM)
    except ValueError:
        return False
    return width <= _WIDTH_OF_A_SCREEN if bound == "min" else width >= _WIDTH_OF_A_SCREEN


def _unescape(found: re.Match[str]) -> str:
    if found[2]:
        return found[2]
    point = int(found[1], 16)
    return chr(point).lower() if 0 < point < 0x110000 else ""


@dataclass(frozen=True, slots=True)
class _Statement:
    """A rule as written, with its parsed declarations."""

    selectors: str
    declarations: str
    style: Declarations
    hides: bool

    @property
    def shows(self) -> bool:
        """Whether it shows elements by a property that can hide them."""
        return not self.hides and not _SHOWING.isdisjoint(self.style.normal)


class StyleIndex:
    """Index of the rules of all sheets that may hide an element, by `StyleRule.key`."""

    def __init__(self, sheets: Sequence[str]) -> None:
        self._hiding: frozenset[str] = frozenset()
        self._kept: list[_Statement] = []
        statements = _statements(sheets)
        hiding = {rule.key for each in statements if each.hides for rule in read_rules(each.selectors, each.style)}
        if hiding:
            self._keep(hiding, statements)

    def names(self, mark: str) -> frozenset[str]:
        """Names of hiding rules: classes (`.`), ids (`#`), attributes (`[`), or tags (empty mark)."""
        if not mark:
            return frozenset(key for key in self._hiding if key[0] not in ".#[")
        return frozenset(key[1:] for key in self._hiding if key[0] == mark)

    def styles_of(self, tag: str, attributes: Attributes) -> list[Declarations]:
        """The styles of an element from the weakest to the strongest; empty unless one of them hides."""
        if not self._hiding:
            return []
        identifier = (attributes.get("id") or "").lower()
        classes = frozenset((attributes.get("class") or "").lower().split())
        keys = [tag, f"#{identifier}", *map(".{}".format, classes), *map("[{}".format, attributes)]
        if self._hiding.isdisjoint(keys):
            return []
        rules = chain.from_iterable(self._rules.get(key, ()) for key in keys)
        found = [rule for rule in rules if rule.matches(tag, identifier, classes, attributes)]
        return [rule.style for rule in sorted(found, key=lambda rule: (rule.specificity, rule.order))]

    @cached_property
    def _rules(self) -> Mapping[str, Sequence[StyleRule]]:
        """Lazily: most pages have no element that a sheet may hide."""
        found: dict[str, list[StyleRule]] = {}
        for order, each in enumerate(self._kept):
            for rule in read_rules(each.selectors, each.style, order):
                found.setdefault(rule.key, []).append(rule)
        return found

    def _keep(self, hiding: set[str], statements: list[_Statement]) -> None:
        """Keep the rules about elements that may be hidden, and those that set their display."""
        shown: set[str] = set()
        for each in statements:
            is_of_hidden = not hiding.isdisjoint(names_in(each.selectors))
            if is_of_hidden and each.shows:
                shown.update(names_on_condition(each.selectors))
            if is_of_hidden or "display" in each.declarations or "visibility" in each.declarations:
                self._kept.append(each)
        # Elements that some state of the page shows are not hidden text.
        self._hiding = frozenset(hiding - shown)


def _statements(sheets: Sequence[str]) -> list[_Statement]:
    remaining = _MAX_LENGTH
    found: list[_Statement] = []
    for sheet in sheets:
        for selectors, declarations in read_sheet(sheet[:remaining], _is_telling):
            style = read_style(declarations)
            found.append(_Statement(selectors, declarations, style, _hides(style)))
        remaining -= min(remaining, len(sheet))
    return found


def _is_telling(declarations: str) -> bool:
    # A plain loop: `any` takes half as long again, and there are thousands of rules.
    for sign in _SIGNS:
        if sign in declarations:
            return True
    # Text in the colour of its background.
    return "background" in declarations and "color:" in declarations


def _hides(style: Declarations) -> bool:
    declared = style.normal | style.important
    found = max(judge_display(declared), judge_sight(declared, "span"))
    # An element that appears slowly is visible in the end.
    return found is Certainty.HIDDEN or (found is Certainty.DOUBTFUL and _MOVING.isdisjoint(declared))
