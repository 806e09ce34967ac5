"""Style sheets: rules with nesting and layers, for a usual screen; the conditions of other media do not hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from dowse.extract.html.tree.appearance import RELEVANT, Certainty, judge_display
from dowse.extract.html.tree.grammar import unescape
from dowse.extract.html.tree.selectors import Selector, compile_selectors
from dowse.extract.html.tree.values import CONDITIONS, DISPLAYS, is_for_screens

COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*(?:\*/)?+")
# A brace in a string opens no block. A string ends at the end of its line, closed or not.
_STRING_OR_COMMENT = re.compile(
    rf"""{COMMENT.pattern}|"(?:[^"\\\n]++|\\.)*+"?+|'(?:[^'\\\n]++|\\.)*+'?+|<!--|-->|<!\[cdata\[|\]\]>"""
)
_BRACES = str.maketrans("{};", "\x01\x02\x03")
_NO_VALUE = re.compile(r":\s*+;")
_DECLARATION = re.compile(r"(?:^|;)\s*+([\w-]++)\s*+:\s*+([^;]*[^;\s]|(?<=:)(?=;)|(?<=:\s)(?=;))")
_AT_RULE = re.compile(r"@([\w-]+)\s*+(.*)", re.S)
_LAYERS = re.compile(r"@layer\s++([^;{]++)")
_LAST_FRAME = re.compile(r"(?:^|,)\s*+(?:to|100%)\s*+(?:,|$)")
_SCOPE = re.compile(r"\(([^()]*+(?:\([^()]*+\)[^()]*+)*+)\)")
# Of all sheets together; the rest is ignored.
_MAX_LENGTH = 1_000_000
_ROOTS = re.compile(r"(?:(?:^|,)\s*+(?::root|html|body|:host)\s*+)++")
# Longer values are cut off, and long blocks keep relevant properties only: each costs for every element.
_MAX_VALUE_CHARS = 1_000
_MAX_DECLARATIONS = 20
# Declarations that hide an element or show it again contain one of these; most rules contain none.
_TELLING = (
    *("display", "visibility", "opacity", "hidden", "max-height", "clip:", "clip-path", "indent", ":-", ": -", "(-9"),
    *("size:0", "size: 0", "size:1px", "size: 1px", "transparent", "scale(0", "\\", "initial-value"),
)
# Rules that are nested deeper apply wherever their own selector does.
_MAX_NESTING = 24
_IMPORT = re.compile(
    r"""@import\s++(?:url\(\s*+)?(?:"(?P<a>[^"\n]*+)"|'(?P<b>[^'\n]*+)'|(?P<c>[^"'();\s]++))\s*+\)?(?P<for>[^;]*+)""",
    re.I,
)
_LAYER_OR_SUPPORT = re.compile(r"layer(?:\([\w.\s-]*+\))?|supports\([^()]*+\)")
_MAX_IMPORTS = 20
UNLAYERED = 1_000_000_000
# A declaration with any other value is invalid, and the one before it stays in force.
_KEYWORDS = {
    "display": DISPLAYS,
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


def find_imports(sheet: str) -> list[str]:
    """The addresses of the sheets that a sheet imports for a screen."""
    if "@import" not in sheet:
        return []
    found = _IMPORT.finditer(COMMENT.sub("", sheet[:_MAX_LENGTH]))
    return [
        each["a"] or each["b"] or each["c"] or ""
        for each in islice(found, _MAX_IMPORTS)
        if is_for_screens(_LAYER_OR_SUPPORT.sub("", each["for"]))
    ]


def _read_declarations(text: str) -> Declarations:
    if "\\" in text:
        text = unescape(text)
    if "env(" in text:
        text = text.replace("env(", "var(--env-")
    written = _find_declarations(text)
    if len(text) > _MAX_VALUE_CHARS or len(written) > _MAX_DECLARATIONS:
        written = _shorten(written)
    normal: dict[str, str] = dict(written)
    important: dict[str, str] = {}
    if "!" in text or not all(_is_valid(name, normal[name]) for name in _KEYWORDS.keys() & normal.keys()):
        normal, important = _sort_declarations(written)
    return Declarations(_behind_all(normal) if "all" in normal else normal, important)


def _find_declarations(text: str) -> list[tuple[str, str]]:
    """Names and values; only variables may have an empty value."""
    found: list[tuple[str, str]] = _DECLARATION.findall(text)
    return [each for each in found if each[1] or each[0][:2] == "--"] if _NO_VALUE.search(text) else found


def _behind_all(normal: dict[str, str]) -> dict[str, str]:
    """The declarations from `all` on, which resets those in front of it."""
    names = [*normal]
    return {name: normal[name] for name in names[names.index("all") :]}


def _shorten(written: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, value[:_MAX_VALUE_CHARS]) for name, value in written if name in RELEVANT or name[:2] == "--"]


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
            opening, brace, declarations = piece.rpartition("{")
            is_telling = bool(declarations) and (self.is_thorough or _is_telling(declarations))
            if not is_telling and brace and _opens_nothing(opening):
                # Most rules say nothing about visibility.
                continue
            if brace:
                self._open_all(opening, blocks)
            if is_telling:
                self._take(blocks[-1], declarations)
            if len(blocks) > 1:
                blocks.pop()

    def _open_all(self, opening: str, blocks: list[RuleBlock]) -> None:
        for part in opening.split("{"):
            before, _, prelude = part.rpartition(";")
            if before:
                self._take(blocks[-1], before)
            blocks.append(self._open(prelude.strip(), blocks[-1]))

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
        judge = CONDITIONS.get(name)
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


def _opens_nothing(opening: str) -> bool:
    """Whether in front of the last block there is no other, no statement, and no layer to be known."""
    return "{" not in opening and ";" not in opening and "@layer" not in opening


def _disarm(found: re.Match[str]) -> str:
    text = found[0]
    return text.translate(_BRACES) if text[0] in "\"'" else ""


def switches_off(rule: StyleRule) -> bool:
    """Whether a rule hides elements."""
    declared = rule.style.normal | rule.style.important
    return declared.get("visibility") in ("hidden", "collapse") or judge_display(declared) is not Certainty.NONE
