"""Backslash escapes for prose that would be Markdown syntax, and for no other prose."""

from __future__ import annotations

import re

from dowse.core.text import without_images

_SPECIAL = re.compile(r"[\\`*_\[\]<&~]")
_SYNTAX = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?[0-9A-Za-z]{1,31};)"
    r"|\](?=[(\[])"
    r"|\*+|_+|`+|~+"
)
_SYNTAX_OR_BRACKET = re.compile(_SYNTAX.pattern + r"|[\[\]]")
# Line starts that begin a heading, an item, a quotation, code, a rule, a table or a definition.
_LINE_SYNTAX = re.compile(
    r"#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|(?P<number>\d{1,9})[.)](?=\s|$)|~{3}|```(?=[^`]*$)|=++\s*+$|-{2,}+\s*+$"
    r"|(?:\*\s*+){3,}+$|(?:_\s*+){3,}+$|\||[:-][ |:]*+-[ |:-]*+$|\[(?:[^\[\]\\]|\\.){1,200}+\]:"
)
_LINE_STARTS = frozenset("#-+*>~`=_|:[0123456789")
_IN_PAIRS = "*_`~"
_FORMULA = re.compile(r"\\[(\[]|\$\$")
_CLOSINGS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}


def has_signs(prose: str) -> bool:
    """Whether a text contains a character that could be inline syntax."""
    return _SPECIAL.search(prose) is not None


def active_marks(prose: str, own: str = "") -> str:
    """The paired marks that could find a partner in a paragraph; `own` are those written by the renderer."""
    found = [mark for mark in "*_`" if mark in prose and (mark in own or prose.count(mark) > 1)]
    if "~~" in prose or ("~" in prose and "~" in own):
        found.append("~")
    return "".join(found)


def escape_prose(prose: str, pairs: str, *, in_link: bool = False) -> str:
    """Escape the text of a paragraph in which `pairs` are active. Formulas in TeX are not touched."""
    if not _SPECIAL.search(prose):
        return prose
    if "![" in prose:
        prose = without_images(prose)
    if "\\" in prose or "$$" in prose:
        parts = _split_at_formulas(prose)
        return "".join(part if is_formula else _escape_part(part, pairs, in_link=in_link) for part, is_formula in parts)
    return _escape_part(prose, pairs, in_link=in_link)


def escape_line_start(line: str) -> str:
    """Escape a line of a paragraph that would begin another kind of block."""
    if line[:1] not in _LINE_STARTS:
        return line
    found = _LINE_SYNTAX.match(line)
    if found is None:
        return line
    place = found.end("number") if found["number"] else 0
    return f"{line[:place]}\\{line[place:]}"


def _escape_part(prose: str, pairs: str, *, in_link: bool) -> str:
    last_bracket = prose.rfind(">")
    pattern = _SYNTAX_OR_BRACKET if in_link else _SYNTAX
    return pattern.sub(lambda found: _escape_mark(found, pairs, last_bracket), prose)


def _escape_mark(found: re.Match[str], pairs: str, last_bracket: int) -> str:
    mark = found[0]
    first = mark[0]
    if first in _IN_PAIRS:
        is_syntax = first in pairs and not _is_harmless(found)
        return "".join(f"\\{character}" for character in mark) if is_syntax else mark
    if first == "<" and found.start() and last_bracket < found.end():
        return mark
    return f"\\{mark}"


def _is_harmless(found: re.Match[str]) -> bool:
    """Whether a mark neither opens nor closes anything at its position."""
    text, start, end = found.string, found.start(), found.end()
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before.isspace() and after.isspace():
        return found[0][0] in "*_"
    return found[0][0] == "_" and before.isalnum() and after.isalnum()


def _split_at_formulas(prose: str) -> list[tuple[str, bool]]:
    """Text and formulas in turn, each with whether it is a formula; formulas get `$` or `$$` as marks."""
    parts: list[tuple[str, bool]] = []
    position = 0
    never_closed: set[str] = set()
    for opening in _FORMULA.finditer(prose):
        closing = _CLOSINGS[opening[0]]
        if opening.start() < position or closing in never_closed:
            continue
        end = prose.find(closing, opening.end())
        if end < 0:
            never_closed.add(closing)
            continue
        mark = "$" if opening[0] == "\\(" else "$$"
        formula = prose[opening.end() : end].strip()
        parts += [(prose[position : opening.start()], False), (f"{mark}{formula}{mark}", True)]
        position = end + 2
    return [*parts, (prose[position:], False)]
