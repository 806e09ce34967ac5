"""Style sheets: rules with nesting and layers, for a usual screen; the conditions of other media do not hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from dowse.extract.html.tree.selectors import Selector, compile_selectors, unescape

COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*(?:\*/)?+")
# A brace in a string opens no block. A string ends at the end of its line, closed or not.
_STRING_OR_COMMENT = re.compile(rf"""{COMMENT.pattern}|"(?:[^"\\\n]++|\\.)*+"?+|'(?:[^'\\\n]++|\\.)*+'?+|<!--|-->""")
_BRACES = str.maketrans("{};", "\x01\x02\x03")
_DECLARATION = re.compile(r"(?:^|;)\s*+([\w-]++)\s*+:\s*+([^;]*[^;\s])")
_AT_RULE = re.compile(r"@([\w-]+)\s*+(.*)", re.S)
_LAYERS = re.compile(r"@layer\s++([^;{]++)")
_LAST_FRAME = re.compile(r"(?:^|,)\s*+(?:to|100%)\s*+(?:,|$)")
_SCOPE = re.compile(r"\(([^()]*+(?:\([^()]*+\)[^()]*+)*+)\)")
# Of all sheets together; the rest is ignored.
_MAX_LENGTH = 1_000_000
_ROOTS = re.compile(r"(?:(?:^|,)\s*+(?::root|html|body|:host)\s*+)++")
# Declarations that hide an element or show it again contain one of these; most rules contain none.
_TELLING = (
    *("display", "visibility", "opacity", "hidden", "max-height", "clip:", "clip-path", "indent", ":-", ": -", "(-9"),
    *("size:0", "size: 0", "size:1px", "size: 1px", "transparent", "scale(0", "\\", "initial-value"),
)
# Rules that are nested deeper apply wherever their own selector does.
_MAX_NESTING = 24
UNLAYERED = 1_000_000_000
_DISPLAYS = frozenset(
    "none block inline inline-block flex inline-flex grid inline-grid contents flow flow-root table"
    " inline-table list-item run-in ruby table-row table-cell table-column table-caption table-row-group"
    " table-header-group table-footer-group table-column-group math -webkit-box -webkit-inline-box -webkit-flex"
    " -ms-flexbox inherit initial unset revert revert-layer".split()
)
# A declaration with any other value is invalid, and the one before it stays in force.
_KEYWORDS = {
    "display": _DISPLAYS,
    "visibility": frozenset("visible hidden collapse inherit initial unset revert revert-layer".split()),
    "position": frozenset("static relative absolute fixed sticky -webkit-sticky inherit initial unset revert".split()),
    "content-visibility": frozenset("visible hidden auto inherit initial unset revert".split()),
}


@dataclass(frozen=True, slots=True)
class Declarations:
    """Declarations by property, the important ones apart."""

    normal: dict[str, str]
    important: dict[str, str]


def read_style(text: str) -> Declarations:
    """Parse the declarations of a `style` attribute: lower case, without comments and escapes."""
    return _read_declarations(COMMENT.sub("", text.lower()) if "/*" in text else text.lower())


def _read_declarations(text: str) -> Declarations:
    if "\\" in text:
        text = unescape(text)
    normal: dict[str, str] = dict(_DECLARATION.findall(text))
    important: dict[str, str] = {}
    if "!" in text or not all(_is_valid(name, normal[name]) for name in _KEYWORDS.keys() & normal.keys()):
        normal, important = _sort_declarations(_DECLARATION.findall(text))
    return Declarations(normal, important)


def _sort_declarations(written: list[tuple[str, str]]) -> tuple[dict[str, str], dict[str, str]]:
    """The valid declarations: the normal ones and the important ones."""
    normal: dict[str, str] = {}
    important: dict[str, str] = {}
    for name, value in written:
        value, mark, _ = value.partition("!")
        value = value.strip()
        if name not in _KEYWORDS or _is_valid(name, value):
            (important if mark else normal)[name] = value
    return normal, important


def _is_valid(name: str, value: str) -> bool:
    return value in _KEYWORDS[name] or "var(" in value or _KEYWORDS[name].issuperset(value.split())


@dataclass(slots=True)
class RuleBlock:
    """An open block: its selectors, the rule around it, its layer, and whether its content applies.

    `frame` names the keyframes whose end it describes, `registers` the variable that it registers.
    """

    selectors: str = ""
    around: RuleBlock | None = None
    applies: bool = True
    layer: str = ""
    depth: int = 0
    keyframes: str = ""
    frame: str = ""
    registers: str = ""
    _compiled: Sequence[Selector] | None = None

    @property
    def compiled(self) -> Sequence[Selector]:
        """The selectors, compiled on first use: most are of no interest."""
        if self._compiled is None:
            scope = self.around.compiled if self.around is not None else ()
            self._compiled = compile_selectors(self.selectors, scope)
        return self._compiled


@dataclass(frozen=True, slots=True)
class StyleRule:
    """Declarations for the selectors of a block; a later rule is stronger than an earlier one."""

    block: RuleBlock
    style: Declarations
    order: int

    @property
    def variables(self) -> dict[str, str]:
        return {name: value for name, value in self.style.normal.items() if name[:2] == "--"}

    @property
    def is_for_root(self) -> bool:
        return self.block.around is None and _ROOTS.fullmatch(self.block.selectors) is not None


@dataclass(slots=True)
class StyleSheets:
    """Rules of all sheets of a page, with their layers, keyframes and variables."""

    is_thorough: bool = True
    """Whether all declarations count; else only declarations that hide or show an element by themselves."""
    rules: list[StyleRule] = field(default_factory=list)
    keyframes: dict[str, dict[str, str]] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    layers: dict[str, int] = field(default_factory=dict)
    _remaining: int = _MAX_LENGTH

    def fix_variables(self) -> None:
        """Resolve the variables that have one value in the whole page, as most have."""
        roots: dict[str, str] = {}
        others: set[str] = set()
        for rule in self.rules:
            own = rule.variables
            if own and rule.is_for_root:
                others |= {name for name in own.keys() & roots.keys() if roots[name] != own[name]}
                roots |= own
            else:
                others |= own.keys()
        self.variables |= {name: value for name, value in roots.items() if name not in others}

    def rank(self, rule: StyleRule) -> int:
        """The place of a rule's layer; rules outside of layers come last."""
        return self.layers.get(rule.block.layer, UNLAYERED) if rule.block.layer else UNLAYERED

    def read(self, sheet: str) -> None:
        """Add a sheet. Each piece up to a closing brace ends one block."""
        text = _STRING_OR_COMMENT.sub(_disarm, sheet[: self._remaining].lower())
        self._remaining -= min(self._remaining, len(sheet))
        blocks = [RuleBlock()]
        for piece in text.split("}"):
            *openings, declarations = piece.split("{")
            for opening in openings:
                before, _, prelude = opening.rpartition(";")
                if before:
                    self._take(blocks[-1], before)
                blocks.append(self._open(prelude.strip(), blocks[-1]))
            if declarations and (self.is_thorough or _is_telling(declarations)):
                self._take(blocks[-1], declarations)
            if len(blocks) > 1:
                blocks.pop()

    def _take(self, block: RuleBlock, text: str) -> None:
        """Add the declarations of a block, or the statements outside of all blocks."""
        if block.frame:
            self.keyframes[block.frame] = _read_declarations(text).normal
        elif block.registers:
            self.variables[block.registers] = _read_declarations(text).normal.get("initial-value", "")
        elif block.selectors:
            style = _read_declarations(text) if block.applies else Declarations({}, {})
            if style.normal or style.important:
                self.rules.append(StyleRule(block, style, len(self.rules)))
        elif "@" in text and block.applies:
            self._take_statements(text)

    def _take_statements(self, text: str) -> None:
        for found in _LAYERS.finditer(text):
            for name in found[1].split(","):
                self.layers.setdefault(name.strip(), len(self.layers))

    def _open(self, prelude: str, around: RuleBlock) -> RuleBlock:
        if prelude[:1] == "@":
            return self._open_at_rule(prelude, around)
        if around.keyframes:
            return RuleBlock(frame=around.keyframes if _LAST_FRAME.search(prelude) else "", applies=False)
        if not around.selectors or around.depth >= _MAX_NESTING:
            return RuleBlock(prelude, None, around.applies, around.layer, around.depth)
        return RuleBlock(prelude, around, around.applies, around.layer, around.depth + 1)

    def _open_at_rule(self, prelude: str, around: RuleBlock) -> RuleBlock:
        found = _AT_RULE.match(prelude)
        name, condition = (found[1], found[2][:1_000]) if found else ("", "")
        if name == "layer":
            return self._open_layer(condition.strip(), around)
        if name == "scope":
            limits = _SCOPE.match(condition)
            return RuleBlock(limits[1] if limits else ":root", None, around.applies, around.layer, around.depth + 1)
        if name.endswith("keyframes"):
            return RuleBlock(keyframes=condition.strip("\"' ") if around.applies else "", applies=False)
        if name == "property":
            return RuleBlock(registers=condition.strip(), applies=False)
        judge = _CONDITIONS.get(name)
        applies = around.applies and judge is not None and judge(condition)
        return RuleBlock(around.selectors, around.around, applies, around.layer, around.depth)

    def _open_layer(self, name: str, around: RuleBlock) -> RuleBlock:
        layer = f"{around.layer}.{name}".strip(".") or f"({len(self.layers)})"
        self.layers.setdefault(layer, len(self.layers))
        return RuleBlock(around.selectors, around.around, around.applies, layer, around.depth)


def _is_telling(declarations: str) -> bool:
    # A plain loop: `any` takes half as long again, and there are thousands of rules.
    for sign in _TELLING:
        if sign in declarations:
            return True
    # Text in the colour of its background.
    return "background" in declarations and "color:" in declarations


def _disarm(found: re.Match[str]) -> str:
    text = found[0]
    return text.translate(_BRACES) if text[0] in "\"'" else ""


# A screen of the usual size, with a mouse.
_FEATURES = dict(
    pair.split(":")
    for pair in (
        "hover:hover any-hover:hover pointer:fine any-pointer:fine orientation:landscape"
        " prefers-color-scheme:light scripting:enabled update:fast display-mode:browser color-gamut:srgb"
        " dynamic-range:standard overflow-block:scroll forced-colors:none inverted-colors:none"
    ).split()
)
_NUMBERS = {
    "width": 1280.0,
    "device-width": 1280.0,
    "height": 800.0,
    "device-height": 800.0,
    "aspect-ratio": 1.6,
    "resolution": 1.0,
    "-webkit-device-pixel-ratio": 1.0,
    "color": 8.0,
    "monochrome": 0.0,
    "grid": 0.0,
}
_UNITS = {"px": 1.0, "": 1.0, "em": 16.0, "rem": 16.0, "dppx": 1.0, "x": 1.0, "dpi": 1 / 96}
_QUANTITY = re.compile(r"([\d.]{1,9})\s*(?:/\s*([\d.]{1,9})|([a-z]{0,4}))")
_RANGE = re.compile(r"(?:([^<>=]+?)\s*([<>]=?|=)\s*)?([a-z-]+)\s*(?:([<>]=?|=)\s*([^<>=]+))?")
_TERM = re.compile(r"\s*+(?:(not|and|or|only)(?![\w-])|([\w-]*+)(\()|([\w-]++))")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
    "=": lambda one, other: one == other,
}
_MAX_CONDITIONS = 20
_SUPPORTED = frozenset(
    "display position color background background-color background-image background-clip opacity visibility overflow"
    " float clear width height min-width max-width min-height max-height margin padding border border-radius font"
    " font-size font-family font-variation-settings font-feature-settings line-height text-decoration text-wrap"
    " transform transition animation filter backdrop-filter mix-blend-mode clip-path mask mask-image mask-size"
    " object-fit object-position aspect-ratio gap row-gap column-gap grid grid-area grid-template"
    " grid-template-columns grid-template-areas flex flex-wrap order align-items justify-content place-items inset"
    " content-visibility contain container container-type scroll-snap-type scroll-behavior overscroll-behavior"
    " scrollbar-gutter scrollbar-color will-change writing-mode appearance accent-color columns column-count hyphens"
    " shape-outside touch-action pointer-events user-select view-transition-name animation-timeline translate rotate"
    " scale line-clamp text-underline-offset margin-inline padding-inline inset-inline anchor-name".split()
)


@lru_cache(maxsize=500)
def is_for_screens(media: str) -> bool:
    """Whether a list of media queries holds for a usual screen."""
    queries = [query.strip() for query in media.lower().split(",")]
    return not media.strip() or any(map(_is_query_met, filter(None, queries)))


def _is_query_met(query: str) -> bool:
    # In front of a medium `not` negates the whole query.
    is_negated = query.startswith("not ") and query[4:].lstrip()[:1] != "("
    return _holds(query[4:] if is_negated else query, _has_feature) != is_negated


def _holds(condition: str, decide: Callable[[str], bool], depth: int = 0) -> bool:
    """Evaluate `not`, `and` and `or` from left to right; `decide` judges the content of parentheses."""
    result, negated, joined_by = True, False, "and"
    at = 0
    while (term := _TERM.match(condition, at)) is not None and depth < _MAX_CONDITIONS:
        at = term.end()
        if term[1]:
            negated = negated != (term[1] == "not")
            joined_by = term[1] if term[1] in ("and", "or") else joined_by
            continue
        inner, at = _argument(condition, at) if term[3] else (term[4], at)
        value = _is_met(term, inner.strip(), decide, depth)
        value, negated = value != negated, False
        result = (result and value) if joined_by == "and" else (result or value)
    return result


def _is_met(term: re.Match[str], inner: str, decide: Callable[[str], bool], depth: int) -> bool:
    """Whether a medium or the content of parentheses holds; functions such as `selector()` always do."""
    if not term[3]:
        return inner in ("screen", "all")
    if term[2]:
        return True
    return _holds(inner, decide, depth + 1) if inner.startswith(("(", "not ", "not(")) else decide(inner)


def _argument(text: str, start: int) -> tuple[str, int]:
    """The text up to the parenthesis that closes, and the place behind it."""
    level = 1
    for at in range(start, len(text)):
        level += {"(": 1, ")": -1}.get(text[at], 0)
        if level == 0:
            return text[start:at], at + 1
    return text[start:], len(text)


def _has_feature(feature: str) -> bool:
    name, colon, value = (part.strip() for part in feature.partition(":"))
    bound = name.partition("-")[0] if name.startswith(("min-", "max-")) else ""
    number = _NUMBERS.get(name[4:] if bound else name)
    if colon and number is not None:
        wanted = _quantity(value)
        return wanted is not None and _COMPARE[{"min": ">=", "max": "<="}.get(bound, "=")](number, wanted)
    if colon:
        return _FEATURES.get(name, "no-preference") == value
    if name in _FEATURES or name.startswith("prefers-"):
        return _FEATURES.get(name, "none") != "none"
    return _is_in_range(feature)


def _is_in_range(feature: str) -> bool:
    found = _RANGE.fullmatch(feature)
    number = _NUMBERS.get(found[3]) if found else None
    if found is None or number is None:
        return False
    if not found[2] and not found[4]:
        return number > 0
    return _is_ordered(_quantity(found[1] or "0"), found[2], number) and _is_ordered(
        number, found[4], _quantity(found[5] or "0")
    )


def _is_ordered(one: float | None, comparison: str | None, other: float | None) -> bool:
    if not comparison:
        return True
    return one is not None and other is not None and _COMPARE[comparison](one, other)


def _quantity(value: str) -> float | None:
    found = _QUANTITY.fullmatch(value.strip())
    if found is None or (found[3] or "") not in _UNITS:
        return None
    try:
        return float(found[1]) / float(found[2]) if found[2] else float(found[1]) * _UNITS[found[3] or ""]
    except (ValueError, ZeroDivisionError):
        return None


@lru_cache(maxsize=500)
def _is_supported(condition: str) -> bool:
    return _holds(condition, _has_property)


def _has_property(declaration: str) -> bool:
    name, _, value = (part.strip() for part in declaration.partition(":"))
    if name == "display":
        return _DISPLAYS.issuperset(value.split())
    return name in _SUPPORTED or name.startswith(("--", "-webkit-"))


@lru_cache(maxsize=500)
def _fits_container(condition: str) -> bool:
    """Whether a container of any usual width meets a condition."""
    return "(" in condition and _holds(condition[condition.index("(") :], _has_feature)


_CONDITIONS: dict[str, Callable[[str], bool]] = {
    "media": is_for_screens,
    "supports": _is_supported,
    "container": _fits_container,
    "document": lambda _condition: False,
}
