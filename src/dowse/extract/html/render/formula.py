"""Formulas as TeX: the source that a page carries, or MathML converted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice

from dowse.core.text import visible
from dowse.extract.html.render.dom_index import MATH
from dowse.extract.html.render.walk import Walk
from dowse.extract.html.tree.node import Node

_WRAPPERS = frozenset(
    {"katex", "katex-display", "mwe-math-element", "MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_Preview"}
)
_DISPLAY = frozenset({
    "katex-display", "MathJax_Display", "MJXc-display", "mwe-math-fallback-image-display",
    "mwe-math-fallback-image-block",
})  # fmt: skip
_IMAGES = frozenset({"latex", "tex", "mwe-math-fallback-image-inline"}) | _DISPLAY
_TEX = frozenset({"application/x-tex", "application/x-latex", "tex", "latex", "text/x-tex"})
_STYLED = r"{\displaystyle "
# Nobody sees the source of a formula; what is longer is none.
_LONGEST = 8000
_ANCESTORS_ASKED = 5
_NODES_ASKED = 3
_SIGNS = {
    "×": r"\times", "÷": r"\div", "·": r"\cdot", "⋅": r"\cdot", "∗": "*", "±": r"\pm", "∓": r"\mp", "−": "-",
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim", "≪": r"\ll", "≫": r"\gg",
    "∝": r"\propto", "∞": r"\infty", "∂": r"\partial", "∇": r"\nabla", "∑": r"\sum", "∏": r"\prod", "∫": r"\int",
    "∮": r"\oint", "∬": r"\iint", "√": r"\surd", "∈": r"\in", "∉": r"\notin", "∋": r"\ni", "⊂": r"\subset",
    "⊆": r"\subseteq", "⊃": r"\supset", "⊇": r"\supseteq", "∪": r"\cup", "∩": r"\cap", "∅": r"\emptyset",
    "∀": r"\forall", "∃": r"\exists", "¬": r"\neg", "∧": r"\wedge", "∨": r"\vee", "⊕": r"\oplus", "⊗": r"\otimes",
    "→": r"\to", "←": r"\leftarrow", "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "⇐": r"\Leftarrow",
    "⇔": r"\Leftrightarrow", "↦": r"\mapsto", "∣": r"\mid", "∥": r"\parallel", "‖": r"\|", "⟨": r"\langle",
    "⟩": r"\rangle", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil", "…": r"\dots", "⋯": r"\cdots",
    "⋮": r"\vdots", "⋱": r"\ddots", "′": "'", "″": "''", "∘": r"\circ", "°": r"^\circ", "ℓ": r"\ell", "ℏ": r"\hbar",
    "ℝ": r"\mathbb{R}", "ℕ": r"\mathbb{N}", "ℤ": r"\mathbb{Z}", "ℚ": r"\mathbb{Q}", "ℂ": r"\mathbb{C}",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ϵ": r"\epsilon", "ε": r"\varepsilon",
    "ζ": r"\zeta", "η": r"\eta", "θ": r"\theta", "ϑ": r"\vartheta", "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda",
    "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "ς": r"\varsigma",
    "τ": r"\tau", "υ": r"\upsilon", "φ": r"\varphi", "ϕ": r"\phi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega",
    "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi", "Σ": r"\Sigma",
    "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega", "{": r"\{", "}": r"\}", "%": r"\%", "#": r"\#", "&": r"\&",
    # Multiplication and application that nobody sees, and blanks.
    "\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "", "\xa0": " ", "\u2009": " ", "\u200a": "", "\u200b": "",
}  # fmt: skip
_ACCENTS = {
    "¯": r"\bar", "‾": r"\overline", "_": r"\underline", "^": r"\hat", "ˆ": r"\hat", "~": r"\tilde", "˜": r"\tilde",
    "→": r"\vec", "⃗": r"\vec", "˙": r"\dot", "¨": r"\ddot", "ˇ": r"\check", "˘": r"\breve", "⏞": r"\overbrace",
    "⏟": r"\underbrace",
}  # fmt: skip
_FUNCTIONS = frozenset({
    "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "log", "ln",
    "lg", "exp", "lim", "limsup", "liminf", "max", "min", "sup", "inf", "det", "dim", "ker", "gcd", "deg", "arg",
    "Pr",
})  # fmt: skip
_LIMITS = re.compile(r"\\(?:sum|prod|int|oint|iint|lim|limsup|liminf|max|min|sup|inf|bigcup|bigcap)$")
_COMMAND_END = re.compile(r"\\[A-Za-z]+$")
_MOST_NODES = 5000


def math(walk: Walk, node: Node) -> bool:
    """MathML: the TeX that it was made from, where the page has it."""
    write(walk, _source(walk, node), is_display=node.get("display") == "block" or _is_displayed(node))
    return False


def script(walk: Walk, node: Node) -> bool:
    """The source that MathJax leaves in a page."""
    tex = "".join([each.text for each in walk.outline.nodes[node.index : node.end]])
    write(walk, tex, is_display="display" in node.get("type"))
    return False


def is_wrapper(node: Node) -> bool:
    """Whether a program drew a formula in an element, maybe several times over."""
    return not _WRAPPERS.isdisjoint(node.get("class").split())


def wrapper(walk: Walk, node: Node) -> bool:
    """What a formula is drawn in: of several copies of it one is written."""
    if _is_source_behind(walk, node):
        return False
    source = walk.outline.first(MATH, node)
    if source is None:
        return True
    classes = node.get("class").split()
    is_display = source.get("display") == "block" or node.get("display") == "true" or _is_displayed(node)
    write(walk, _source(walk, source), is_display=is_display or not _DISPLAY.isdisjoint(classes))
    return False


def image(walk: Walk, node: Node) -> bool:
    """Whether an image shows a formula; then it is written."""
    classes = node.get("class").split()
    if _IMAGES.isdisjoint(classes) or not 0 < len(node.get("alt")) <= _LONGEST:
        return False
    write(walk, node.get("alt"), is_display=not _DISPLAY.isdisjoint(classes))
    return True


def write(walk: Walk, tex: str, *, is_display: bool) -> None:
    """Add a formula to the line."""
    tex = " ".join(visible(tex).split())
    if tex.startswith(_STYLED) and tex.endswith("}"):
        tex = tex.removeprefix(_STYLED)[:-1].strip()
    if tex:
        mark = "$$" if is_display and not walk.flat else "$"
        walk.line.literal(f"{mark}{tex}{mark}")


def _source(walk: Walk, node: Node) -> str:
    inside = walk.outline.nodes[node.index : node.end]
    named = _annotation(inside) or node.get("alttext")
    return named if 0 < len(named) <= _LONGEST else tex_of(inside)


def _annotation(inside: list[Node]) -> str:
    for each in inside:
        if each.tag == "annotation" and each.get("encoding").lower() in _TEX:
            return "".join([child.text for child in each.children])
    return ""


def _is_displayed(node: Node) -> bool:
    return any(
        not _DISPLAY.isdisjoint(above.get("class").split()) or above.get("display") == "true"
        for above in islice(node.ancestors(), _ANCESTORS_ASKED)
        if above.attributes
    )


def _is_source_behind(walk: Walk, node: Node) -> bool:
    """Whether the source of a formula follows the picture of it."""
    following = walk.outline.nodes[node.end : node.end + _NODES_ASKED]
    return any(each.tag == "script" for each in following)


def tex_of(nodes: Sequence[Node]) -> str:
    """The TeX of a formula, given as the nodes from `math` on; plain words for one that is larger than any formula."""
    if len(nodes) > _MOST_NODES:
        return " ".join("".join([node.text for node in nodes]).split())
    made: dict[int, str] = {}
    # From the end, so that the parts of an element are there when it is made.
    for node in reversed(nodes):
        if not node.tag:
            made[node.index] = node.text
        else:
            parts = [made[child.index] for child in node.children if child.tag or not node.children[0].tag]
            made[node.index] = _MAKERS.get(node.tag, _joined)(node, parts)
    return " ".join(made[nodes[0].index].split())


def _joined(node: Node, parts: Sequence[str]) -> str:
    made: list[str] = []
    for part in parts:
        part = part.strip() if node.tag != "mtext" else part
        if not part:
            continue
        if made and _COMMAND_END.search(made[-1]) and part[0].isalpha():
            made.append(" ")
        made.append(part)
    return "".join(made)


def _symbols(node: Node, parts: Sequence[str]) -> str:
    text = "".join(parts).strip()
    if text in _FUNCTIONS:
        return rf"\{text}"
    if len(text) > 1 and text.isalpha() and text.isascii():
        return rf"\mathrm{{{text}}}"
    return _joined(node, [_SIGNS.get(sign, sign) for sign in text])


def _operator(node: Node, parts: Sequence[str]) -> str:
    text = "".join(parts).strip()
    if text in _FUNCTIONS or not text.isalpha() or not text.isascii():
        return _symbols(node, parts)
    return rf"\operatorname{{{text}}}"


def _words(_node: Node, parts: Sequence[str]) -> str:
    text = "".join(parts).replace("\xa0", " ")
    return rf"\text{{{text}}}" if text.strip() else r"\ "


def _nothing(_node: Node, _parts: Sequence[str]) -> str:
    return ""


def _blank(_node: Node, _parts: Sequence[str]) -> str:
    return r"\ "


def _fraction(_node: Node, parts: Sequence[str]) -> str:
    above, below = _padded(parts, 2)
    return rf"\frac{{{above}}}{{{below}}}"


def _square_root(node: Node, parts: Sequence[str]) -> str:
    return rf"\sqrt{{{_joined(node, parts)}}}"


def _root(_node: Node, parts: Sequence[str]) -> str:
    inner, degree = _padded(parts, 2)
    return rf"\sqrt[{degree}]{{{inner}}}"


def _raised(_node: Node, parts: Sequence[str]) -> str:
    base, above = _padded(parts, 2)
    return f"{_one(base)}{above}" if set(above) == {"'"} else f"{_one(base)}^{_in_braces(above)}"


def _lowered(_node: Node, parts: Sequence[str]) -> str:
    base, below = _padded(parts, 2)
    return f"{_one(base)}_{_in_braces(below)}"


def _both(_node: Node, parts: Sequence[str]) -> str:
    base, below, above = _padded(parts, 3)
    return f"{_one(base)}_{_in_braces(below)}^{_in_braces(above)}"


def _over(_node: Node, parts: Sequence[str]) -> str:
    base, above = _padded(parts, 2)
    return _set_around(base, above, "^", r"\overset")


def _under(_node: Node, parts: Sequence[str]) -> str:
    base, below = _padded(parts, 2)
    return _set_around(base, below, "_", r"\underset")


def _under_and_over(_node: Node, parts: Sequence[str]) -> str:
    base, below, above = _padded(parts, 3)
    return f"{_one(base)}_{_in_braces(below)}^{_in_braces(above)}"


def _fenced(node: Node, parts: Sequence[str]) -> str:
    opening = node.attributes.get("open")
    closing = node.attributes.get("close")
    separators = (node.attributes.get("separators") or ",").strip() or ","
    inner = f"{separators[0]} ".join(parts)
    return f"{_SIGNS.get(opening or '(', opening or '(')}{inner}{_SIGNS.get(closing or ')', closing or ')')}"


def _table(_node: Node, parts: Sequence[str]) -> str:
    rows = r" \\ ".join(part.strip() for part in parts)
    return rf"\begin{{matrix}} {rows} \end{{matrix}}"


def _row(_node: Node, parts: Sequence[str]) -> str:
    return " & ".join(part.strip() for part in parts)


def _box(node: Node, parts: Sequence[str]) -> str:
    return rf"\boxed{{{_joined(node, parts)}}}"


def _set_around(base: str, sign: str, mark: str, command: str) -> str:
    """Something above or below: a limit of a sum, an accent, or just something there."""
    if _LIMITS.search(base):
        return f"{base}{mark}{_in_braces(sign)}"
    accent = next((name for accent, name in _ACCENTS.items() if sign in (accent, _SIGNS.get(accent))), None)
    return f"{accent}{{{base}}}" if accent else f"{command}{{{sign}}}{{{base}}}"


def _padded(parts: Sequence[str], count: int) -> list[str]:
    stripped = [part.strip() for part in parts if part.strip()]
    return [*stripped[:count], *[""] * (count - len(stripped))]


def _one(base: str) -> str:
    """A base that takes an exponent as a whole."""
    is_one = len(base) == 1 or base.isdigit() or re.fullmatch(r"\\[A-Za-z]+(?:\{[^{}]*\})?|[()\[\]]", base)
    return base if is_one else f"{{{base}}}"


def _in_braces(part: str) -> str:
    return f"{{{part}}}"


_MAKERS: dict[str, Callable[[Node, Sequence[str]], str]] = {
    "annotation": _nothing,
    "annotation-xml": _nothing,
    "menclose": _box,
    "mfenced": _fenced,
    "mfrac": _fraction,
    "mi": _symbols,
    "mn": _symbols,
    "mo": _operator,
    "mover": _over,
    "mphantom": _nothing,
    "mprescripts": _nothing,
    "mroot": _root,
    "mspace": _blank,
    "msqrt": _square_root,
    "msub": _lowered,
    "msubsup": _both,
    "msup": _raised,
    "mtable": _table,
    "mtext": _words,
    "mtr": _row,
    "munder": _under,
    "munderover": _under_and_over,
    "none": _nothing,
}
