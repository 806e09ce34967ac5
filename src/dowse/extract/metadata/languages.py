"""Language of a page: as declared, unless its script contradicts."""

from __future__ import annotations

import re

from dowse.extract.html.tree.node import Tree
from dowse.extract.metadata.declared import Head
from dowse.language.detection import LATIN_TAGS, detect_tag_by_script, detect_tag_by_words

_TAG = re.compile(r"([a-z]{2,3})(?:[-_](?:[a-z]{4}[-_])?([a-z]{2}|\d{3}))?(?![a-z])", re.I)
_SAMPLE_CHARS = 1500
_SHORTEST_LINE = 40


def language_of(tree: Tree, head: Head, declared: str = "") -> str:
    """A tag such as `de` or `en-GB`; empty if unknown."""
    html = next(iter(tree.head.get("html", ())), {})
    said = (
        html.get("lang"),
        html.get("xml:lang"),
        *head.each("content-language", "og:locale", "dc.language"),
        declared,
    )
    tag = next((tag for each in said if each and (tag := _tag(each))), "")
    # Templates declare `en` on pages in any script; the titles of such pages are not ASCII.
    if tag and (tree.title.isascii() or tag[:2] not in LATIN_TAGS):
        return tag
    sample = _sample(tree)
    return detect_tag_by_script(sample) or tag or detect_tag_by_words(sample)


def _tag(text: str) -> str:
    match = _TAG.match(text.strip())
    if match is None:
        return ""
    return match[1].lower() + (f"-{match[2].upper()}" if match[2] else "")


def _sample(tree: Tree) -> str:
    """The first sentences; short lines are menus, often in another language."""
    pieces, length = [], 0
    for node in tree.nodes:
        if len(node.text) > _SHORTEST_LINE and not node.text.isspace():
            pieces.append(node.text[:_SAMPLE_CHARS])
            length += len(pieces[-1])
            if length > _SAMPLE_CHARS:
                break
    return " ".join(pieces)[:_SAMPLE_CHARS]
