"""Why each part of a page was kept or not: a job of the worker, for people who wonder."""

from __future__ import annotations

from itertools import islice

from dowse.core.models import Body, Text
from dowse.core.text import one_line
from dowse.extract.decode import decode
from dowse.extract.explanation import ExplainedBlock, Explanation, encoded
from dowse.extract.formats import kinds
from dowse.extract.formats.kinds import Kind
from dowse.extract.html.content.reasons import reasons
from dowse.extract.html.content.selection import Selection, select
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.guard import cap_markup
from dowse.extract.html.tree.node import Node

# So much of a page is looked at by people; the answer has to fit into one frame as well.
_MOST_BLOCKS = 3000
# Finding them out takes a millisecond each.
_MOST_REASONS = 1500
_MOST_CHARS = 300
_NAME_CHARS = 40
_LEVELS = 5


def to_explanation(body: Body) -> Text:
    """The explanation as JSON in place of Markdown; nothing for what is no HTML."""
    if kinds.binary_kind(body.media_type) is not None:
        return Text("")
    markup = decode(body.data, body.charset)
    if kinds.text_kind(body.media_type, body.url, markup) is not Kind.HTML:
        return Text("")
    return Text(encoded(explain(markup, body.url)))


def explain(markup: str, url: str) -> Explanation:
    """What `to_text` would make of the blocks of this page."""
    tree = build(cap_markup(markup))
    selection = select(tree, url)
    return Explanation(
        selection.kind,
        selection.kind_confidence,
        selection.cut,
        selection.is_whole,
        tree.hidden_words,
        tuple(_explained(selection, number) for number in range(min(len(selection.blocks), _MOST_BLOCKS))),
        max(0, len(selection.blocks) - _MOST_BLOCKS),
    )


def path_of(container: Node) -> str:
    """The elements around a text, such as `main > article > p`; of many, the innermost ones."""
    names = [_name(node) for node in islice((container, *container.ancestors()), _LEVELS + 1)]
    if len(names) > _LEVELS:
        names[-1] = "…"
    return " > ".join(reversed(names))


def _explained(selection: Selection, number: int) -> ExplainedBlock:
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
    """An element by its tag and what tells it from others like it: its identifier, or its first class."""
    if node.tag in ("html", "body"):
        return node.tag
    identifier, classes = node.get("id").split(), node.get("class").split()
    mark = f"#{identifier[0]}" if identifier else f".{classes[0]}" if classes else ""
    return one_line(f"{node.tag}{mark}", _NAME_CHARS)
