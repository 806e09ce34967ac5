"""Style sheets as far as they can hide something: declarations, and rules whose selectors are simple."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

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
