"""Formulas in HTML as the LaTeX they were written in: MathML means nothing to a reader of Markdown."""

from __future__ import annotations

import re

# Both Wikipedia and arXiv keep the source in `alttext`. A quoted value may hold `>`; every quantifier is bounded.
_FORMULA = re.compile(r"""<math\b((?:[^<>"]{1,1000}+|"[^"]{0,8000}+"){0,60}+)>""")
_SOURCE = re.compile(r'\balttext="([^"]{0,8000})"')
_END = "</math>"
_BLOCK = 'display="block"'
_STYLE = re.compile(r"\{\\(?:display|text)style\s{1,9}(.{0,8000})\}", re.DOTALL)


def as_latex(html: str) -> str:
    """The HTML with `$…$` in place of each formula whose source it tells, and `$$…$$` where it stands alone."""
    pieces: list[str] = []
    position = 0
    for found in _FORMULA.finditer(html):
        if found.start() < position:
            continue
        end = html.find(_END, found.end())
        if end < 0:
            break
        pieces += [html[position : found.start()], _written(found[1])]
        position = end + len(_END)
    return "".join(pieces) + html[position:]


def _written(attributes: str) -> str:
    found = _SOURCE.search(attributes)
    source = found[1].strip() if found else ""
    if styled := _STYLE.fullmatch(source):
        source = styled[1].strip()
    mark = "$$" if _BLOCK in attributes else "$"
    return f"{mark}{source}{mark}" if source else ""
