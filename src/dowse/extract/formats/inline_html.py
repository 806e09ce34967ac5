"""HTML in Markdown: elements that hide what is in them from everybody who looks at the page."""

from __future__ import annotations

import re

from dowse.core.text import visible
from dowse.document.markdown import read_lines, without_comments
from dowse.extract.hidden import hides
from dowse.extract.html.tree.grammar import VOID

# What Markdown takes for a tag: unlike in HTML, `a <b and c` begins none.
_TAG = re.compile(
    r"""<(?P<slash>/?)(?P<name>[a-zA-Z][a-zA-Z0-9-]{0,30}+)"""
    r"""(?P<attributes>(?:\s(?:[^<>"']|"[^"]{0,1000}+"|'[^']{0,1000}+')*+)?+)>"""
)
_CODE_SPAN = re.compile(r"(?<!`)(`++)[^`\n]{1,2000}+\1(?!`)")


def without_hidden_elements(markdown: str) -> str:
    """The text without elements whose attributes hide them; code keeps what it shows."""
    source = without_comments(visible(markdown))
    if "<" not in source:
        return source
    pieces: list[str] = []
    hidden, level, position = "", 0, 0
    for found in _TAG.finditer(_without_tags_in_code(source)):
        name = found["name"].lower()
        if hidden:
            level += (-1 if found["slash"] else 1) if name == hidden else 0
            if not level:
                hidden, position = "", found.end()
        elif name not in VOID and not found["slash"] and hides(found["attributes"]):
            pieces.append(source[position : found.start()])
            hidden, level, position = name, 1, found.end()
    if hidden:
        # It never ends. A paragraph does all the same, everything else takes the rest.
        end = source.find("\n\n", position) if hidden == "p" else -1
        position = end if end >= 0 else len(source)
    return "".join([*pieces, source[position:]])


def _without_tags_in_code(source: str) -> str:
    """The text with every character in its place, but without what begins a tag in blocks of code."""
    return "\n".join(
        line.text.replace("<", " ") if line.fence or line.is_indented_code else _without_tags_in_spans(line.text)
        for line in read_lines(source)
    )


def _without_tags_in_spans(line: str) -> str:
    return _CODE_SPAN.sub(lambda span: span[0].replace("<", " "), line) if "`" in line else line
