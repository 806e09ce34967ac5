"""Explanation of main-content extraction: the score, the decision and the reasons for each block of a page.

The server reads explanations too, so the parsers are imported where a worker needs them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Text
from dowse.core.text import one_line

if TYPE_CHECKING:
    from dowse.extract.html.content.selection import Selection
    from dowse.extract.html.tree.node import Node, Tree

# Enough for people; the answer has to fit into one frame as well.
_MOST_BLOCKS = 3000
# Each takes a millisecond.
_MOST_REASONS = 1500
_MOST_CHARS = 300
_NAME_CHARS = 40
_LEVELS = 5


@dataclass(frozen=True, slots=True)
class ExplainedBlock:
    """A run of text such as a paragraph; `text` is its beginning only, `words` counts all of it."""

    text: str
    path: str
    words: int
    score: float
    is_kept: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """How the main content of a page was chosen.

    Blocks that score at least `cut` are content, unless `is_whole`: then too few did, and all of them were kept.
    `further_blocks` are not listed, on a page that has very many. `verdict` tells why the page is no interstitial.
    """

    kind: str
    kind_confidence: float
    cut: float
    is_whole: bool
    hidden_words: int
    blocks: tuple[ExplainedBlock, ...]
    further_blocks: int = 0
    verdict: str = ""


def to_explanation(body: Body) -> Text:
    """The explanation as JSON in place of Markdown; empty for anything but HTML."""
    from dowse.extract.decode import decode
    from dowse.extract.formats import kinds

    if kinds.binary_kind(body.media_type) is not None:
        return Text("")
    markup = decode(body.data, body.charset)
    if kinds.text_kind(body.media_type, body.url, markup) is not kinds.DocumentKind.HTML:
        return Text("")
    return Text(encode_explanation(explain(markup, body.url)))


def explain(markup: str, url: str) -> Explanation:
    """Explain the decisions of `to_text` about the blocks of a page."""
    from dowse.extract.html.content.selection import select
    from dowse.extract.html.tree.build import build
    from dowse.extract.html.tree.guard import cap_markup

    tree = build(cap_markup(markup))
    selection = select(tree, url)
    return Explanation(
        selection.kind,
        selection.kind_confidence,
        selection.cut,
        selection.is_whole,
        tree.hidden_words,
        tuple(_explain_block(selection, number) for number in range(min(len(selection.blocks), _MOST_BLOCKS))),
        max(0, len(selection.blocks) - _MOST_BLOCKS),
        _explain_verdict(markup, tree, url),
    )


def _explain_verdict(markup: str, tree: Tree, url: str) -> str:
    """The verdict with its strongest signs."""
    from dowse.extract import verdict
    from dowse.extract.html.page import extract_unjudged

    text, context = extract_unjudged(tree, url)
    try:
        found = verdict.check_page(markup, url, text.markdown, context)
    except PageUnreadable as unreadable:
        return unreadable.detail
    signs = f": {', '.join(found.signs)}" if found.signs else ", by its length"
    return "; ".join((f"content{signs}", *found.warnings))


def path_of(container: Node) -> str:
    """The elements around a text, such as `main > article > p`; of many, the innermost ones."""
    names = list(map(_name, islice((container, *container.ancestors()), _LEVELS + 1)))
    if len(names) > _LEVELS:
        names[-1] = "…"
    return " > ".join(reversed(names))


def encode_explanation(explanation: Explanation) -> str:
    return json.dumps(asdict(explanation), ensure_ascii=False)


def decode_explanation(text: str) -> Explanation:
    """Raises `ValueError` for bytes that `encode_explanation` does not write."""
    from pydantic import TypeAdapter  # Workers do without it.

    return TypeAdapter(Explanation).validate_json(text, strict=True)


def _explain_block(selection: Selection, number: int) -> ExplainedBlock:
    from dowse.extract.html.content.reasons import reasons

    block = selection.blocks[number]
    return ExplainedBlock(
        one_line(block.text, _MOST_CHARS),
        path_of(block.container),
        len(block.text.split()),
        round(float(selection.scores[number]), 3),
        bool(selection.are_kept[number]),
        reasons(selection, number) if number < _MOST_REASONS else (),
    )


def _name(node: Node) -> str:
    """An element by its tag, and its identifier or its first class."""
    if node.tag in ("html", "body"):
        return node.tag
    identifier, classes = node.get("id").split(), node.get("class").split()
    mark = f"#{identifier[0]}" if identifier else f".{classes[0]}" if classes else ""
    return one_line(f"{node.tag}{mark}", _NAME_CHARS)
