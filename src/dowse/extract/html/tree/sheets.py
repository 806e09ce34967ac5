"""The style sheets of a page, so that the rules for an element are found at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dowse.extract.html.tree.appearance import Certainty, out_of_sight, switched_off
from dowse.extract.html.tree.css import Rule, Style, names_in, names_on_condition, read_rules, read_sheet, read_style
from dowse.extract.html.tree.node import Attributes

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
