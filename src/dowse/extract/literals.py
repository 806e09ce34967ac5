"""Prose that would be syntax in Markdown: what a page shows as text must not open a code block or hide anything."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

# The converter would escape a backslash before it.
_COMMENT, _SHOWN_COMMENT = "<!--", "&lt;!--"
_FENCES = ("```", "~~~")
_CODE = frozenset({"code", "pre", "kbd", "samp", "tt"})


def inner_html(body: LexborNode) -> str:
    """The HTML inside of an element, with such text made harmless."""
    html = body.inner_html or ""
    if not any(mark in html for mark in ("&lt;!--", *_FENCES)):
        return html
    # Collected first: the tree must not change while it is walked through.
    texts = [node for node in body.traverse(include_text=True) if node.is_text_node]
    for node in texts:
        said = node.text_content or ""
        shown = _on_one_line(said).replace(_COMMENT, _SHOWN_COMMENT)
        if shown != said and not _is_in_code(node):
            node.replace_with(shown)
    return body.inner_html or ""


def _on_one_line(text: str) -> str:
    """Text without line breaks before a fence. To a browser they are blanks; the converter keeps them as they are."""
    first, *others = text.split("\n")
    return first + "".join((" " if line.lstrip().startswith(_FENCES) else "\n") + line for line in others)


def _is_in_code(node: LexborNode) -> bool:
    above = node.parent
    while above is not None and above.tag not in _CODE:
        above = above.parent
    return above is not None
