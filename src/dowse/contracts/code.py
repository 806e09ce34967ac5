"""The blocks of code in a text as a list, for whoever looks for an example only."""

from __future__ import annotations

from textwrap import dedent

# The same code stands in the text, so little of it is worth being told twice.
_MOST_CHARS = 1000


def code_of(markdown: str) -> list[dict[str, object]]:
    """Language, code and first line of each block; those that are too long together with the others are left out."""
    from dowse.document.blocks import Kind, blocks  # dowse starts without it.

    listed: list[dict[str, object]] = []
    room = _MOST_CHARS
    for block in blocks(markdown):
        if block.kind is not Kind.CODE:
            continue
        opening, *lines = markdown[block.start : block.end].split("\n")
        code = dedent("\n".join(lines[:-1] if block.is_closed else lines))
        if code and len(code) <= room:
            room -= len(code)
            language = opening.strip("`~ ").partition(" ")[0]
            line = markdown.count("\n", 0, block.start) + 1
            listed.append({"language": language or None, "code": code, "start_line": line})
    return listed
