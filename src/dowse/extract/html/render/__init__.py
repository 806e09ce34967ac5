"""A tree as Markdown: which element is written how."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dowse.extract.html.render import blocks, code, formula, inline, tables
from dowse.extract.html.render.dom_index import CODE, HEADINGS, Outline
from dowse.extract.html.render.line import DELETED, EMPHASIS, STRONG
from dowse.extract.html.render.references import Images, Links
from dowse.extract.html.render.walk import Handler, Walk
from dowse.extract.html.tree.grammar import INLINE
from dowse.extract.html.tree.node import Tree

_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(INLINE, inline.transparent),
    **dict.fromkeys(HEADINGS, blocks.heading),
    **dict.fromkeys(CODE, code.block),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), blocks.begin_list),
    **dict.fromkeys(("strong", "b"), inline.emphasis(STRONG)),
    **dict.fromkeys(("em", "i", "var"), inline.emphasis(EMPHASIS)),
    **dict.fromkeys(("del", "s", "strike"), inline.emphasis(DELETED)),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), inline.inline_code),
    **dict.fromkeys(("caption", "figcaption"), blocks.caption),
    **dict.fromkeys(("sup", "sub"), inline.script),
    **dict.fromkeys(("td", "th"), tables.cell),
    **dict.fromkeys(("img", "image"), inline.image),
    "a": inline.link,
    "blockquote": blocks.quote,
    "br": inline.line_break,
    "dd": blocks.meaning,
    "div": blocks.division,
    "dl": blocks.begin_terms,
    "dt": blocks.term,
    "hr": blocks.rule,
    "li": blocks.item,
    "math": formula.math,
    "mjx-container": formula.wrapper,
    "q": inline.quotation,
    "rt": inline.reading,
    "script": formula.script,
    "span": inline.span,
    "summary": blocks.summary,
    "table": tables.table,
}


def render(
    tree: Tree,
    kept: Sequence[int] | None,
    base: str,
    *,
    with_images: bool = True,
    posts: Collection[int] = frozenset(),
) -> str:
    """The Markdown of the nodes that are kept, or of all; links are relative to `base`.

    `kept` has a flag for each node: what counts are texts, images, rules and formulas. A rule
    is before each element with its index in `posts`.
    """
    outline = Outline(tree, kept)
    walk = Walk(outline, _HANDLERS, Links(base), Images(outline, are_shown=with_images), posts)
    walk.run(1, len(tree.nodes))
    walk.divide()
    return walk.writer.text()
