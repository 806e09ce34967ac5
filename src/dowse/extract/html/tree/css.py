"""Style sheets, as far as they can hide an element: declarations, simple selectors, an index of rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dowse.extract.html.tree.appearance import Certainty, out_of_sight, switched_off
from dowse.extract.html.tree.node import Attributes

_COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*(?:\*/)?+")
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})[ \t\n\f\r]?|([^\n]))")
_COMPOUND = re.compile(r"([a-z][\w-]{0,60}|\*)?((?:[.#][\w-]{1,99}|\[[\w-]{1,40}(?:=[^\]]{0,80})?\])*)")
_PART = re.compile(r"([.#])([\w-]{1,99})|\[([\w-]{1,40})(?:=([^\]]{0,80}))?\]")
_NAME = re.compile(r"[.#\[]?[\w-]{1,99}")
_STATE = re.compile(r":[\w-]{1,40}")
_COMBINATOR = re.compile(" ?[>+~] ?| ")
# Inside of these a part of a page is as good as anywhere.
_ANYWHERE = frozenset(("html", "body", "main", "article", "section", "div", "p", "span", "*"))
_WIDTH = re.compile(r"(min|max)-width\s{0,9}:\s{0,9}([\d.]{1,9})\s{0,9}(px|r?em)")
_WIDTH_OF_A_SCREEN = 1280
_PIXELS_OF_AN_EM = 16
# All sheets together; what is behind that much is not looked at.
_MAX_LENGTH = 300_000
# What hides something or shows it again has one of these in it; most rules have none.
_SIGNS = (
    *("display", "visibility", "opacity", "hidden", "max-height", "clip:", "clip-path", "indent", ":-", ": -", "(-9"),
    *("size:0", "size: 0", "size:1px", "size: 1px", "transparent", "scale(0", "\\"),
)
_SHOWING = frozenset(("display", "visibility", "opacity", "height", "max-height", "transform"))
_MOVING = frozenset(("transition", "transition-property", "transition-duration", "animation", "animation-name"))


@dataclass(frozen=True, slots=True)
class Style:
    """Declarations by property, the important ones apart."""

    normal: dict[str, str]
    important: dict[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A style, and which elements it is for."""

    tag: str
    identifiers: frozenset[str]
    classes: frozenset[str]
    attributes: tuple[tuple[str, str], ...]
    specificity: int
    order: int
    style: Style

    @property
    def key(self) -> str:
        """What an element must have so that this rule may be for it; of all that it must have, the rarest."""
        # The first by its name is the same one in every process.
        if self.identifiers:
            return f"#{min(self.identifiers)}"
        if self.classes:
            return f".{min(self.classes)}"
        return f"[{self.attributes[0][0]}" if self.attributes else self.tag

    def is_for(self, tag: str, identifier: str, classes: frozenset[str], attributes: Attributes) -> bool:
        """Whether an element is one of those that this rule is for."""
        return (
            self.tag in ("", "*", tag)
            and self.identifiers <= {identifier}
            and self.classes <= classes
            and all(name in attributes and value in ("", attributes[name]) for name, value in self.attributes)
        )


def read_style(text: str) -> Style:
    """The declarations of a `style` attribute or a rule: lower case, without comments and escapes."""
    text = text.lower()
    if "\\" in text or "/*" in text:
        text = _ESCAPE.sub(_unescaped, _COMMENT.sub("", text))
    style = Style({}, {})
    for declaration in text.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            value, mark, _ = value.partition("!")
            (style.important if mark else style.normal)[name.strip()] = value.strip()
    return style


def read_sheet(sheet: str, is_telling: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Selectors and declarations of the rules that apply to a screen, in their order; only declarations that tell."""
    found: list[tuple[str, str]] = []
    # For each open block what stands before it, and whether what is in it counts.
    blocks: list[tuple[str, bool]] = [("", True)]
    for piece in _COMMENT.sub("", sheet).lower().split("}"):
        *openings, declarations = piece.split("{")
        for opening in openings[:-1]:
            blocks.append(_opened(opening, *blocks[-1]))
        # Most tell nothing, and then it does not matter whose they are.
        if declarations and is_telling(declarations):
            selectors, counts = _opened(openings[-1], *blocks[-1]) if openings else blocks[-1]
            if counts and selectors[:1] not in ("", "@"):
                found.append((selectors, declarations))
        if not openings and len(blocks) > 1:
            blocks.pop()
    return found


def names_in(selectors: str) -> list[str]:
    """All that selectors mention, as `Rule.key` does."""
    return _NAME.findall(selectors)


def names_on_condition(selectors: str) -> Iterator[str]:
    """What selectors ask of elements that also have to be somewhere or in some state."""
    for found, is_conditional in _last_compounds(selectors):
        if is_conditional:
            if found[1]:
                yield found[1]
            for mark, name, attribute, _ in _PART.findall(found[2]):
                yield f"{mark}{name}" if mark else f"[{attribute}"


def read_rules(selectors: str, style: Style, order: int = 0) -> Iterator[Rule]:
    """A rule for each selector that ends with something simple and is for such elements wherever they are."""
    for found, is_conditional in _last_compounds(selectors):
        if is_conditional:
            continue
        parts = _PART.findall(found[2])
        identifiers = frozenset(name for mark, name, _, _ in parts if mark == "#")
        classes = frozenset(name for mark, name, _, _ in parts if mark == ".")
        attributes = tuple((name, value.strip("\"'")) for _, _, name, value in parts if name)
        yield Rule(
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


def _opened(opening: str, around: str, counts: bool) -> tuple[str, bool]:
    """What stands before a block, and whether what is in it counts; the same of the block around it is given."""
    selectors = opening.rpartition(";")[2].strip()
    # A rule in a rule is for some of the elements only.
    is_nested = around[:1] not in ("", "@")
    return selectors, counts and not is_nested and (selectors[:1] != "@" or _applies(selectors))


def _last_compounds(selectors: str) -> Iterator[tuple[re.Match[str], bool]]:
    """What elements have to be for each selector, and whether they also have to be somewhere or in some state."""
    for selector in selectors.split(","):
        *around, last = _COMBINATOR.split(" ".join(selector.split()))
        plain = _STATE.sub("", last)
        found = _COMPOUND.fullmatch(plain)
        # What stands before or behind an element is no part of it.
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


def _unescaped(found: re.Match[str]) -> str:
    if found[2]:
        return found[2]
    point = int(found[1], 16)
    return chr(point).lower() if 0 < point < 0x110000 else ""


@dataclass(frozen=True, slots=True)
class _Statement:
    """A rule as it is written, and what it says of the elements that it is for."""

    selectors: str
    declarations: str
    style: Style
    hides: bool

    @property
    def shows(self) -> bool:
        """Whether it makes them appear in one of the ways in which something is hidden."""
        return not self.hides and not _SHOWING.isdisjoint(self.style.normal)


class Sheets:
    """The rules of all sheets by a class, an identifier, an attribute or a tag that they ask for."""

    def __init__(self, sheets: Sequence[str]) -> None:
        self._hiding: frozenset[str] = frozenset()
        # What has a say about elements that may be hidden.
        self._kept: list[_Statement] = []
        statements = _statements(sheets)
        hiding = {rule.key for each in statements if each.hides for rule in read_rules(each.selectors, each.style)}
        if hiding:
            self._keep(hiding, statements)

    def names(self, mark: str) -> frozenset[str]:
        """The tags, or the names with a mark before them, that a closer look at an element is worth for."""
        if not mark:
            return frozenset(key for key in self._hiding if key[0] not in ".#[")
        return frozenset(key[1:] for key in self._hiding if key[0] == mark)

    def styles_of(self, tag: str, attributes: Attributes) -> list[Style]:
        """The styles for an element from the weakest to the strongest; none unless one of them hides."""
        if not self._hiding:
            return []
        identifier = (attributes.get("id") or "").lower()
        classes = frozenset((attributes.get("class") or "").lower().split())
        keys = [tag, f"#{identifier}", *[f".{name}" for name in classes], *[f"[{name}" for name in attributes]]
        if self._hiding.isdisjoint(keys):
            return []
        rules = [rule for key in keys for rule in self._rules.get(key, ())]
        found = [rule for rule in rules if rule.is_for(tag, identifier, classes, attributes)]
        return [rule.style for rule in sorted(found, key=lambda rule: (rule.specificity, rule.order))]

    @cached_property
    def _rules(self) -> Mapping[str, Sequence[Rule]]:
        """By their keys. Most pages have no element that a sheet may hide, and need none."""
        found: dict[str, list[Rule]] = {}
        for order, each in enumerate(self._kept):
            for rule in read_rules(each.selectors, each.style, order):
                found.setdefault(rule.key, []).append(rule)
        return found

    def _keep(self, hiding: set[str], statements: list[_Statement]) -> None:
        """Keep what is said of elements that may be hidden, and what shows elements whatever they are."""
        shown: set[str] = set()
        for each in statements:
            is_of_hidden = not hiding.isdisjoint(names_in(each.selectors))
            if is_of_hidden and each.shows:
                shown.update(names_on_condition(each.selectors))
            if is_of_hidden or "display" in each.declarations or "visibility" in each.declarations:
                self._kept.append(each)
        # What some state of the page shows is no secret.
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
    # A plain loop, as `any` takes half as long again and there are thousands of rules.
    for sign in _SIGNS:
        if sign in declarations:
            return True
    # Text in the colour of its ground.
    return "background" in declarations and "color:" in declarations


def _hides(style: Style) -> bool:
    declared = style.normal | style.important
    found = max(switched_off(declared), out_of_sight(declared, "span"))
    # What comes slowly is to be seen in the end.
    return found is Certainty.HIDDEN or (found is Certainty.DOUBTFUL and _MOVING.isdisjoint(declared))
