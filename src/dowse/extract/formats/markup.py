"""XML as its source, with line breaks where a machine left them out. Nothing in it is resolved or loaded."""

from __future__ import annotations

from collections.abc import Iterator

from dowse.core.models import Text
from dowse.document.markdown import as_code, clean

# Indenting is slow, and nobody reads more of it.
_LARGEST_INDENTED = 500_000
_SHORT_LINES = 200
_DEEPEST_INDENT = 20
_SPECIAL = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"))


def from_xml(markup: str) -> Text:
    """The source in a code block; tags say what the values mean."""
    source = markup.lstrip("\ufeff").strip()
    if not source:
        return Text("")
    is_dense = len(source) > _SHORT_LINES * (source.count("\n") + 1)
    if is_dense and len(source) <= _LARGEST_INDENTED:
        source = _indented(source)
    return Text(clean(as_code(source, "xml")))


def _indented(source: str) -> str:
    """Each element on a line of its own; one that holds only text stays on one line with it."""
    lines: list[str] = []
    depth = 0
    # The start tag above has had nothing but text behind it.
    is_open = False
    for piece in _pieces(source):
        is_end = piece.startswith("</")
        if not piece.startswith("<") or piece.startswith("<![CDATA["):
            if is_open or not lines:
                lines[-1:] = ["".join(lines[-1:]) + piece]
            elif piece.strip():
                lines.append(_indent(depth) + piece.strip())
        elif is_end:
            depth = max(0, depth - 1)
            if is_open:
                lines[-1] += piece
            else:
                lines.append(_indent(depth) + piece)
            is_open = False
        else:
            lines.append(_indent(depth) + piece)
            is_open = not piece.startswith(("<!", "<?")) and not piece.endswith("/>")
            depth += is_open
    return "\n".join(lines)


def _pieces(source: str) -> Iterator[str]:
    """Tags, comments, and the text between them; what never ends takes the rest."""
    position = 0
    while position < len(source):
        if source[position] != "<":
            end = source.find("<", position)
        else:
            closing = next((close for begin, close in _SPECIAL if source.startswith(begin, position)), ">")
            end = source.find(closing, position) + len(closing)
            end = -1 if end < len(closing) else end
        end = len(source) if end < 0 else end
        yield source[position:end]
        position = end


def _indent(depth: int) -> str:
    return "  " * min(depth, _DEEPEST_INDENT)
