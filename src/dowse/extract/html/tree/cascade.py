"""Computed styles: the cascade of all rules, variables, inherited colours and sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from dowse.extract.html.tree.appearance import RELEVANT, font_pixels, opacity_of
from dowse.extract.html.tree.colours import (
    BLACK,
    FAINT,
    WHITE,
    Colour,
    blend_colours,
    filter_colour,
    find_gradient_colour,
    find_ground_colour,
    has_picture,
    ink_of,
    is_relief,
    is_same_colour,
    is_smothered,
    keeps_blended,
    read_colour,
)
from dowse.extract.html.tree.css import Declarations, StyleRule, StyleSheets, read_style
from dowse.extract.html.tree.grammar import INLINE, resolve_variables, substitute, with_value
from dowse.extract.html.tree.node import Attributes, Element, Work
from dowse.extract.html.tree.rule_index import Indexed, RuleIndex, index_rule
from dowse.extract.html.tree.shapes import functions, scale_of
from dowse.extract.html.tree.values import pixels

_REFERENCE = re.compile(r"var\(\s*+(--[^\s,()]++)")
_MEDIUM_PX = 16.0
_CHARS_OF_A_STEP = 100
_LINK: Colour = (0, 0, 238, 1)
_MARK: Colour = (255, 255, 0, 1)
_DARK: Colour = (18, 18, 18, 1)
_KEPT = frozenset(("inherit", "unset", "currentcolor", "revert", "revert-layer"))
# Letters that a shadow, an outline or a picture shows are visible in any colour.
_RELIEF = ("text-shadow", "-webkit-text-stroke", "-webkit-text-stroke-width")
# Others leave white on white and black on black as they are.
_INVERTING = frozenset(("difference", "exclusion"))
_PLAIN_BLENDS = frozenset(("normal", "inherit", "initial", "unset"))
# A shorthand replaces the longhands of weaker rules.
_LONGHANDS = {
    "background": ("background-color", "background-image"),
    "font": ("font-size",),
    "overflow": ("overflow-x", "overflow-y"),
    "inset": ("left", "top", "right", "bottom"),
    "animation": ("animation-name", "animation-fill-mode"),
}
_ANIMATIONS = frozenset(("animation", "animation-name"))
_PRESENTATION = frozenset(("bgcolor", "color", "text"))
_SHORTHANDS = frozenset(_LONGHANDS)
_NOTHING = Declarations({}, {})
_MEDIA = "img, picture, video, canvas, svg, iframe"


class Cascade:
    """Rules of all sheets, and the computed styles of elements."""

    def __init__(self, sheets: StyleSheets, work: Work, *, is_complete: bool) -> None:
        """`is_complete` if no other sheet may style the page."""
        self.sheets = sheets
        self.work = work
        self.is_complete = is_complete
        self.is_rough = False
        self._computed: dict[Element, Computed] = {}
        self._alike: dict[tuple[Computed | None, str, str, str | None, str | None], Computed] = {}

    def computed(self, element: Element) -> Computed:
        """The computed style; its ancestors are computed first, from the root down."""
        missing: list[Element] = []
        current: Element | None = element
        while current is not None and current not in self._computed:
            missing.append(current)
            current = current.parent
        around = self._computed[current] if current is not None else None
        for each in reversed(missing):
            around = self._computed[each] = self._compute(each, around)
        assert around is not None
        return around

    def _compute(self, element: Element, around: Computed | None) -> Computed:
        """The computed style; siblings with the same names share it, unless their place decides."""
        written = element.attributes.get("style")
        key = (around, element.tag, element.identifier, element.attributes.get("class"), written)
        known = self._alike.get(key) if not self._rules.has_attributes(element) else None
        if known is None:
            known = Computed(self, element, self._declare(element), around)
            if self._is_alike(element):
                self._alike[key] = known
        return known

    def _is_alike(self, element: Element) -> bool:
        """Whether its names decide about an element, and not its place or its other attributes."""
        if not _PRESENTATION.isdisjoint(element.attributes) or self._rules.has_attributes(element):
            return False
        return not any(each.selector.is_special for each in self._rules.candidates(element))

    def computed_alone(self, element: Element) -> Computed:
        """The computed style without inheritance, unless its own declarations depend on it."""
        if self.is_complete:
            return self.computed(element)
        declared = self._declare(element)
        if self.sheets.is_thorough and (_depends(declared) or self._depends_on_variables(declared)):
            return self.computed(element)
        return Computed(self, element, declared, None)

    def _depends_on_variables(self, declared: Mapping[str, str]) -> bool:
        """Whether a value refers to a variable that has not the same value in the whole page."""
        referred = [name for value in declared.values() if "var(" in value for name in _REFERENCE.findall(value)]
        return any(name not in self.sheets.variables for name in referred)

    def matches(self, rule: Indexed, element: Element) -> bool:
        """Whether a rule applies to an element; costly selectors do not, once the work is spent."""
        return not (self.is_rough and rule.selector.is_costly) and rule.matches(element)

    def later(self, element: Element) -> Iterator[Indexed]:
        """Rules for the element in another state or place."""
        for each in (*self._states.candidates(element), *self._rules.candidates(element)):
            if each.selector.compounds[-1].matches(element, in_any_state=True):
                yield each

    def has_layers(self, element: Element) -> bool:
        """Whether a pseudo-element with a background lies behind or over the element's text."""
        return bool(self._layers.candidates(element))

    def _declare(self, element: Element) -> dict[str, str]:
        """The declarations for an element after the cascade."""
        found = [
            (self.sheets.rank(each.rule), each.selector.specificity, each.rule.order, each.rule)
            for each in self._rules.candidates(element)
            if self.matches(each, element)
        ]
        found.sort(key=_strength)
        style = element.attributes.get("style")
        written = read_style(style) if style else _NOTHING
        result = _presentation(element.attributes)
        for *_, rule in found:
            _merge(result, rule.style.normal)
        _merge(result, written.normal)
        important = [each for each in found if each[3].style.important]
        # Important declarations of an earlier layer are the stronger ones.
        for *_, rule in sorted(important, key=lambda each: (-each[0], *each[1:3])):
            _merge(result, rule.style.important)
        _merge(result, written.important)
        return result

    @cached_property
    def _indexes(self) -> tuple[RuleIndex, RuleIndex, RuleIndex]:
        """Lazily: most pages have no element that a sheet may hide."""
        found = RuleIndex(), RuleIndex(), RuleIndex()
        for rule in self.sheets.rules:
            if _is_relevant(rule.style):
                index_rule(rule, *found)
        return found

    @property
    def _rules(self) -> RuleIndex:
        return self._indexes[0]

    @property
    def _states(self) -> RuleIndex:
        return self._indexes[1]

    @property
    def _layers(self) -> RuleIndex:
        return self._indexes[2]


class Computed:
    """The style of an element: its declarations with their variables resolved, and the inherited values.

    `colour` is that of text, `ground` that behind it; `None` for an unknown one.
    """

    font_px: float
    indent_px: float
    root_px: float
    opacity: float
    is_visible: bool
    is_cut_out: bool
    blend: str
    is_in_grid: bool
    reliefs: tuple[str, ...]
    scale: float
    colour: Colour | None
    ground: Colour | None
    variables: Mapping[str, str]

    def __init__(
        self, cascade: Cascade, element: Element, declared: Mapping[str, str], around: Computed | None
    ) -> None:
        self.element = element
        self.variables = _inherit_variables(
            declared, around.variables if around else cascade.sheets.variables, cascade.work
        )
        self.style = resolve_variables(declared, self.variables)
        # Values are read for each element: long ones count as work.
        cascade.work.spend(sum(map(len, self.style.values())) // _CHARS_OF_A_STEP)
        _animate(self.style, cascade.sheets.keyframes)
        self._take_letters(around)
        self._take_text(cascade, around)
        self._take_ground(cascade, around)
        self._take_filter(around)

    @property
    def is_camouflaged(self) -> bool:
        """Whether text has the colour of its background, or none."""
        if self.colour is None or self._has_relief():
            return False
        if any(is_smothered(value, self.colour, self.ground) for value in self.reliefs):
            return True
        if self.colour[3] * self.opacity < FAINT:
            # A picture may be cut out in the form of the letters.
            return not self.is_cut_out and self.opacity > FAINT
        return self.ground is not None and is_same_colour(self.colour, self.ground)

    def _has_relief(self) -> bool:
        """Whether a shadow, an outline or a blend shows letters on their background."""
        ground = self.ground
        if self.blend in _INVERTING or (
            self.blend not in _PLAIN_BLENDS and (ground is None or not keeps_blended(ground))
        ):
            return True
        return any(ground is None or is_relief(value, ground) for value in self.reliefs)

    def _is_layered(self, cascade: Cascade) -> bool:
        return cascade.has_layers(self.element) or _may_overlap(self)

    def _take_text(self, cascade: Cascade, around: Computed | None) -> None:
        style = self.style
        around_px, root_px = (around.font_px, around.root_px) if around else (_MEDIUM_PX, _MEDIUM_PX)
        font_px = font_pixels(style, around_px, root_px)
        self.font_px = around_px if font_px is None else font_px
        self.root_px = root_px if around else self.font_px
        self.opacity = opacity_of(style) * (around.opacity if around else 1.0)
        self.scale = (around.scale if around else 1.0) * scale_of(style)
        visibility = style.get("visibility", "inherit")
        self.is_visible = around is None or around.is_visible if visibility in _KEPT else visibility == "visible"
        self.colour = self._own_colour(cascade, around)

    def _take_letters(self, around: Computed | None) -> None:
        """How letters are indented, outlined, cut out and blended."""
        style = self.style
        own = tuple(style[name] for name in _RELIEF if style.get(name, "none") not in ("none", "normal", "0"))
        clips = style.get("background-clip", "") + style.get("-webkit-background-clip", "")
        indent_px = self._own_indent()
        self.indent_px, self.reliefs, self.blend = indent_px or 0.0, own, style.get("mix-blend-mode", "normal")
        self.is_cut_out = "text" in clips
        self.is_in_grid = around is not None and "grid" in around.style.get("display", "")
        if around is not None:
            self.indent_px = around.indent_px if indent_px is None else indent_px
            self.reliefs = own or around.reliefs
            self.blend = style.get("mix-blend-mode", around.blend)
            self.is_cut_out = self.is_cut_out or around.is_cut_out

    def _own_indent(self) -> float | None:
        is_block = self.element.tag not in INLINE or self.style.get("display", "inline") != "inline"
        return pixels(self.style.get("text-indent", "")) if is_block else None

    def _own_colour(self, cascade: Cascade, around: Computed | None) -> Colour | None:
        text = ink_of(self.style) or "inherit"
        if text not in _KEPT:
            return BLACK if text in ("initial", "windowtext") else read_colour(text)
        return self._inherited_colour(cascade, around)

    def _inherited_colour(self, cascade: Cascade, around: Computed | None) -> Colour | None:
        if not cascade.is_complete and (around is None or _is_named(self.element)):
            return None
        if self.element.tag == "a" and "href" in self.element.attributes and "color" not in self.style:
            return _LINK if cascade.is_complete else None
        return around.colour if around is not None else WHITE if _is_dark(self.style) else BLACK

    def _take_ground(self, cascade: Cascade, around: Computed | None) -> None:
        """The background: its own, or that of its ancestors unless something else may lie behind it."""
        own = self._own_ground()
        if has_picture(self.style):
            self._take_picture(cascade, around)
        elif own is not None and own[3] == 1:
            self.ground = own
        elif cascade.is_complete and self._is_layered(cascade):
            self.ground = None
        else:
            self.ground = blend_colours(own, self._ground_behind(cascade, around))

    def _take_picture(self, cascade: Cascade, around: Computed | None) -> None:
        """A gradient of one colour is a background like any other, or the colour of letters that it is cut out as."""
        gradient = find_gradient_colour(self.style.get("background", "") + self.style.get("background-image", ""))
        self.ground = None if self.is_cut_out else gradient
        if self.is_cut_out and gradient is not None and self.colour is not None and self.colour[3] < FAINT:
            self.colour, self.ground = gradient, self._ground_behind(cascade, around)

    def _take_filter(self, around: Computed | None) -> None:
        """Apply filters to the colours; those of the root change the background of the page as well."""
        if around is None or around.element.parent is None or "brightness" not in self.style.get("filter", ""):
            return
        filters = [(name, arguments) for name, _, arguments in functions(self.style, "filter")]
        self.colour = filter_colour(self.colour, filters)
        if self._own_ground() is not None:
            self.ground = filter_colour(self.ground, filters)

    def _own_ground(self) -> Colour | None:
        written = self.style.get("background-color", "") + self.style.get("background", "")
        if not written and self.element.tag == "mark":
            return _MARK
        return self.colour if "currentcolor" in written else find_ground_colour(self.style)

    def _ground_behind(self, cascade: Cascade, around: Computed | None) -> Colour | None:
        if not cascade.is_complete and (around is None or _is_named(self.element)):
            return None
        return around.ground if around is not None else _DARK if _is_dark(self.style) else WHITE


def _is_relevant(style: Declarations) -> bool:
    """Whether a rule declares anything that visibility depends on."""
    if not RELEVANT.isdisjoint(style.normal) or not RELEVANT.isdisjoint(style.important):
        return True
    return any(name.startswith("--") for name in style.normal)


def _is_dark(style: Mapping[str, str]) -> bool:
    return style.get("color-scheme", "").startswith("dark")


def _is_named(element: Element) -> bool:
    """Whether a sheet that is not known may style the element by its name."""
    return bool(element.classes or element.identifier)


def _may_overlap(computed: Computed) -> bool:
    """Whether an element may lie on top of a picture beside it."""
    node = computed.element.node
    is_placed = computed.style.get("position") in ("absolute", "fixed") or computed.is_in_grid
    if not is_placed or node is None or node.parent is None:
        return False
    return node.parent.css_first(_MEDIA) is not None


def _depends(declared: Mapping[str, str]) -> bool:
    """Whether declarations depend on the style of ancestors."""
    size = declared.get("font-size", "")
    if size.endswith(("em", "%")) and size[:1] in "0.1234" and (size[-1] == "%" or size[:1] in "0."):
        return True
    return 0 < opacity_of(declared) < 0.3


def _presentation(attributes: Attributes) -> dict[str, str]:
    """Declarations of attributes from the time before style sheets."""
    if _PRESENTATION.isdisjoint(attributes):
        return {}
    found = {"background-color": attributes.get("bgcolor"), "color": attributes.get("color") or attributes.get("text")}
    return {name: value.lower() for name, value in found.items() if value}


def _strength(found: tuple[int, int, int, StyleRule]) -> tuple[int, int, int]:
    return found[:3]


def _merge(result: dict[str, str], style: Mapping[str, str]) -> None:
    if "all" in style:
        for name in [name for name in result if name[:2] != "--"]:
            del result[name]
    if not _SHORTHANDS.isdisjoint(style):
        for name in _SHORTHANDS & style.keys():
            for longhand in _LONGHANDS[name]:
                result.pop(longhand, None)
    result |= style


def _inherit_variables(declared: Mapping[str, str], around: Mapping[str, str], work: Work) -> Mapping[str, str]:
    """The variables of an element; a variable of its own that refers to itself has no value."""
    own = {name: value for name, value in declared.items() if name[0] == "-" and name[:2] == "--"}
    if not own:
        return around
    work.spend(len(own) + len(around))
    written = with_value({**around, **own})
    resolved = {name: substitute(value, written) for name, value in own.items()}
    kept = {name: value for name, value in around.items() if name not in own}
    return kept | with_value(resolved)


def _animate(style: dict[str, str], keyframes: Mapping[str, Mapping[str, str]]) -> None:
    """Add the last keyframe of an animation that stays there."""
    if not keyframes or _ANIMATIONS.isdisjoint(style):
        return
    written = f"{style.get('animation', '')} {style.get('animation-name', '')} {style.get('animation-fill-mode', '')}"
    words = written.replace(",", " ").split()
    if "forwards" in words or "both" in words:
        for name in words:
            style |= keyframes.get(name, {})
