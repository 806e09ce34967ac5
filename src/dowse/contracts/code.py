"""List of the code blocks of a page."""

from __future__ import annotations

from textwrap import dedent

# The text has the same code, so only a little of it is worth repeating.
_MOST_CHARS = 1000


def code_of(markdown: str) -> list[dict[str, object]]:
    """Language, code and first line of each code block, as long as they fit into the limit together."""
    from dowse.document.markdown import BlockKind, Document

    document = Document(markdown)
    listed: list[dict[str, object]] = []
    room = _MOST_CHARS
    for block in document.blocks:
        if block.kind is not BlockKind.CODE:
            continue
        code = dedent("\n".join(document.code_lines(block)))
        if code and len(code) <= room:
            room -= len(code)
            line = markdown.count("\n", 0, block.start) + 1
            listed.append({"language": document.code_language(block) or None, "code": code, "start_line": line})
    return listed
