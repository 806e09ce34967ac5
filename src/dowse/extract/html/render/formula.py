"""Formulas as TeX: the source that a page carries, or MathML converted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice

from dowse.core.text import visible
from dowse.extract.html.render.dom_index import MATH
from dowse.extract.html.render.walk import RenderWalk
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
# A longer source is no formula.
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
    # Invisible multiplication and application, and blanks.
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

_Converter = Callable[[Node, Sequence[str]], str]


def write_math(walk: RenderWalk, node: Node) -> bool:
    """Write MathML, as its TeX source where the page carries it."""
    write_tex(walk, _source(walk, node), is_display=node.get("display") == "block" or _is_displayed(node))
    return False


def write_script(walk: RenderWalk, node: Node) -> bool:
    """Write the TeX source that MathJax leaves in a page."""
    tex = "".join([each.text for each in walk.dom.nodes[node.index : node.end]])
    write_tex(walk, tex, is_display="display" in node.get("type"))
    return False


def is_wrapper(node: Node) -> bool:
    """Whether an element holds a drawn formula, maybe several times over."""
    return not _WRAPPERS.isdisjoint(node.get("class").split())


def write_wrapper(walk: RenderWalk, node: Node) -> bool:
    """Write one of several copies of a drawn formula."""
    if _is_source_behind(walk, node):
        return False
    source = walk.dom.first(MATH, node)
    if source is None:
        return True
    classes = node.get("class").split()
    is_display = source.get("display") == "block" or node.get("display") == "true" or _is_displayed(node)
    write_tex(walk, _source(walk, source), is_display=is_display or not _DISPLAY.isdisjoint(classes))
    return False


def write_image(walk: RenderWalk, node: Node) -> bool:
    """Write an image of a formula; false for any other image."""
    classes = node.get("class").split()
    if _IMAGES.isdisjoint(classes) or not 0 < len(node.get("alt")) <= _LONGEST:
        return False
    write_tex(walk, node.get("alt"), is_display=not _DISPLAY.isdisjoint(classes))
    return True


def write_tex(walk: RenderWalk, tex: str, *, is_display: bool) -> None:
    """Add a formula to the line."""
    tex = " ".join(visible(tex).split())
    if tex.startswith(_STYLED) and tex.endswith("}"):
        tex = tex.removeprefix(_STYLED)[:-1].strip()
    if tex:
        mark = "$$" if is_display and not walk.is_flat else "$"
        walk.line.literal(f"{mark}{tex}{mark}")


def _source(walk: RenderWalk, node: Node) -> str:
    inside = walk.dom.nodes[node.index : node.end]
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


def _is_source_behind(walk: RenderWalk, node: Node) -> bool:
    """Whether the source of a formula follows its drawing."""
    following = walk.dom.nodes[node.end : node.end + _NODES_ASKED]
    return any(each.tag == "script" for each in following)


def tex_of(nodes: Sequence[Node]) -> str:
    """Convert MathML, given as the nodes from `math` on, to TeX; one larger than any formula to plain words."""
    if len(nodes) > _MOST_NODES:
        return " ".join("".join([node.text for node in nodes]).split())
    tex: dict[int, str] = {}
    # From the end, so that children come before their parents.
    for node in reversed(nodes):
        if not node.tag:
            tex[node.index] = node.text
        else:
            parts = [tex[child.index] for child in node.children if child.tag or not node.children[0].tag]
            tex[node.index] = _CONVERTERS.get(node.tag, _join)(node, parts)
    return " ".join(tex[nodes[0].index].split())


def _join(_node: Node, parts: Sequence[str]) -> str:
    pieces: list[str] = []
    for part in filter(None, map(str.strip, parts)):
        if pieces and _COMMAND_END.search(pieces[-1]) and part[0].isalpha():
            pieces.append(" ")
        pieces.append(part)
    return "".join(pieces)


def _convert_symbols(node: Node, parts: Sequence[str]) -> str:
    text = "".join(parts).strip()
    if text in _FUNCTIONS:
        return rf"\{text}"
    if len(text) > 1 and text.isalpha() and text.isascii():
        return rf"\mathrm{{{text}}}"
    return _join(node, [_SIGNS.get(sign, sign) for sign in text])


def _convert_operator(node: Node, parts: Sequence[str]) -> str:
    text = "".join(parts).strip()
    if text in _FUNCTIONS or not text.isalpha() or not text.isascii():
        return _convert_symbols(node, parts)
    return rf"\operatorname{{{text}}}"


def _convert_words(_node: Node, parts: Sequence[str]) -> str:
    text = "".join(parts).replace("\xa0", " ")
    return rf"\text{{{text}}}" if text.strip() else r"\ "


def _convert_superscript(_node: Node, parts: Sequence[str]) -> str:
    base, above = _pad(parts, 2)
    return f"{_group(base)}{above}" if set(above) == {"'"} else f"{_group(base)}^{{{above}}}"


def _convert_subscript(_node: Node, parts: Sequence[str]) -> str:
    base, below = _pad(parts, 2)
    return f"{_group(base)}_{{{below}}}"


def _convert_both(_node: Node, parts: Sequence[str]) -> str:
    base, below, above = _pad(parts, 3)
    return f"{_group(base)}_{{{below}}}^{{{above}}}"


def _convert_fences(node: Node, parts: Sequence[str]) -> str:
    opening, closing = node.get("open") or "(", node.get("close") or ")"
    separators = node.get("separators").strip() or ","
    return f"{_SIGNS.get(opening, opening)}{f'{separators[0]} '.join(parts)}{_SIGNS.get(closing, closing)}"


def _fill(template: str, count: int) -> _Converter:
    """A converter that puts so many parts into a template."""
    return lambda _node, parts: template.format(*_pad(parts, count))


def _wrap(template: str, separator: str | None = None) -> _Converter:
    """A converter that puts all parts, joined, into a template."""
    if separator is None:
        return lambda node, parts: template.format(_join(node, parts))
    return lambda _node, parts: template.format(separator.join(map(str.strip, parts)))


def _set_around(mark: str, command: str) -> _Converter:
    """A converter for a limit of a sum, an accent, or any other sign above or below."""
    return lambda _node, parts: _convert_around(parts, mark, command)


def _convert_around(parts: Sequence[str], mark: str, command: str) -> str:
    base, sign = _pad(parts, 2)
    if _LIMITS.search(base):
        return f"{base}{mark}{{{sign}}}"
    accent = next((name for accent, name in _ACCENTS.items() if sign in (accent, _SIGNS.get(accent))), None)
    return f"{accent}{{{base}}}" if accent else f"{command}{{{sign}}}{{{base}}}"


def _pad(parts: Sequence[str], count: int) -> list[str]:
    stripped = [part.strip() for part in parts if part.strip()]
    return [*stripped[:count], *[""] * (count - len(stripped))]


def _group(base: str) -> str:
    """Braces around a base, unless it takes an exponent as a whole without them."""
    is_one = len(base) == 1 or base.isdigit() or re.fullmatch(r"\\[A-Za-z]+(?:\{[^{}]*\})?|[()\[\]]", base)
    return base if is_one else f"{{{base}}}"


_CONVERTERS: dict[str, _Converter] = {
    **dict.fromkeys(("annotation", "annotation-xml", "mphantom", "mprescripts", "none"), _fill("", 0)),
    **dict.fromkeys(("mi", "mn"), _convert_symbols),
    **dict.fromkeys(("msubsup", "munderover"), _convert_both),
    "menclose": _wrap(r"\boxed{{{}}}"),
    "mfenced": _convert_fences,
    "mfrac": _fill(r"\frac{{{}}}{{{}}}", 2),
    "mo": _convert_operator,
    "mover": _set_around("^", r"\overset"),
    "mroot": _fill(r"\sqrt[{1}]{{{0}}}", 2),
    "mspace": _fill(r"\ ", 0),
    "msqrt": _wrap(r"\sqrt{{{}}}"),
    "msub": _convert_subscript,
    "msup": _convert_superscript,
    "mtable": _wrap(r"\begin{{matrix}} {} \end{{matrix}}", r" \\ "),
    "mtext": _convert_words,
    "mtr": _wrap("{}", " & "),
    "munder": _set_around("_", r"\underset"),
}
