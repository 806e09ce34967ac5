"""Pages of a few lines, of which no model can tell much: all of it is content, but for what says that it is not."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from dowse.extract.html.content import texts
from dowse.extract.html.content.blocks import Block
from dowse.extract.html.content.outline import Numbers
from dowse.extract.html.tree.node import Node

_FEW_WORDS = 60
_FEW_BLOCKS = 8
_FRAME = frozenset({"nav", "footer", "aside", "dialog"})
_FRAME_ROLES = frozenset(
    {"navigation", "contentinfo", "complementary", "banner", "search", "dialog", "alertdialog", "alert"}
)
_CALLED_FRAME = re.compile(r"(?<![a-z])(?:breadcrumbs?|cookies?|consent|share|sharing|social)(?![a-z])", re.I)
# Documentation puts its notes and warnings into `aside`.
_CALLED_CONTENT = re.compile(r"(?<![a-z])(?:admonition|note|warning|tip|caution|callout)(?![a-z])", re.I)
_LONGEST_NAME = 200


def is_small(words: Numbers) -> bool:
    """Whether a page is too small for a judgement, given how many words each block has."""
    return len(words) < _FEW_BLOCKS or float(words.sum()) < _FEW_WORDS


def kept(blocks: Sequence[Block], words: Numbers) -> Numbers:
    """The blocks of a small page that are content."""
    around = [[block.container, *block.container.ancestors()][:-1] for block in blocks]
    are_headings = np.array([texts.heading_level(block) > 0 for block in blocks])
    are_inside = np.array([not any(map(_is_frame, nodes)) for nodes in around])
    are_inside &= are_headings | ~np.array([_is_in_header(nodes) for nodes in around])
    are_main = np.array([any(map(_is_main, nodes)) for nodes in around])
    if words[are_inside & are_main].sum() <= words[are_inside].sum() / 2:
        return are_inside
    return np.asarray(are_inside & (are_main | are_headings))


def _is_frame(node: Node) -> bool:
    called = f"{node.get('class')} {node.get('id')}"[:_LONGEST_NAME]
    if node.tag in _FRAME or node.get("role").lower() in _FRAME_ROLES:
        return node.tag != "aside" or _CALLED_CONTENT.search(called) is None
    return _CALLED_FRAME.search(called) is not None


def _is_in_header(around: Sequence[Node]) -> bool:
    """Whether it is in the header of the page; an article has one of its own."""
    tags = [node.tag for node in around]
    return "header" in tags and not any(map(_is_main, around[tags.index("header") :]))


def _is_main(node: Node) -> bool:
    return node.tag in ("main", "article") or node.get("role") == "main"
