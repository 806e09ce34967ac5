"""Markdown renderer of a tree, with the handler of each element, and of HTML fragments from APIs."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from dowse.core.models import Body, Text
from dowse.core.text import MOST_TEXT_CHARS
from dowse.document.clean import beginning, clean
from dowse.extract.html.render import blocks, code, formula, inline, tables
from dowse.extract.html.render.dom_index import CODE, HEADINGS, DomIndex
from dowse.extract.html.render.line import DELETED, EMPHASIS, STRONG
from dowse.extract.html.render.references import Images, Links
from dowse.extract.html.render.walk import Handler, RenderWalk
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.grammar import INLINE
from dowse.extract.html.tree.guard import cap_markup
from dowse.extract.html.tree.node import Tree

_CUT = "_The rest is not shown._"
_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(INLINE, inline.descend),
    **dict.fromkeys(HEADINGS, blocks.begin_heading),
    **dict.fromkeys(CODE, code.write_block),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), blocks.begin_list),
    **dict.fromkeys(("strong", "b"), inline.emphasis_handler(STRONG)),
    **dict.fromkeys(("em", "i", "var"), inline.emphasis_handler(EMPHASIS)),
    **dict.fromkeys(("del", "s", "strike"), inline.emphasis_handler(DELETED)),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), inline.write_code),
    **dict.fromkeys(("caption", "figcaption"), blocks.begin_caption),
    **dict.fromkeys(("sup", "sub"), inline.write_script),
    **dict.fromkeys(("td", "th"), tables.begin_cell),
    **dict.fromkeys(("img", "image"), inline.write_image),
    "a": inline.begin_link,
    "blockquote": blocks.begin_quote,
    "br": inline.write_break,
    "dd": blocks.begin_meaning,
    "div": blocks.begin_division,
    "dl": blocks.begin_terms,
    "dt": blocks.begin_term,
    "hr": blocks.write_rule,
    "li": blocks.begin_item,
    "math": formula.write_math,
    "mjx-container": formula.write_wrapper,
    "q": inline.begin_quotation,
    "rt": inline.begin_reading,
    "script": formula.write_script,
    "span": inline.begin_span,
    "summary": blocks.begin_summary,
    "table": tables.write_table,
}


def render(
    tree: Tree,
    kept: Sequence[int] | None,
    base: str,
    *,
    with_images: bool = True,
    posts: Collection[int] = frozenset(),
) -> str:
    """Render the kept nodes, or all, as Markdown; links are relative to `base`.

    `kept` has a flag for each node, of which those of texts, images, rules and formulas count. A rule is written
    before each element with its index in `posts`.
    """
    dom = DomIndex(tree, kept)
    walk = RenderWalk(dom, _HANDLERS, Links(base), Images(dom, are_shown=with_images), posts)
    walk.run(1, len(tree.nodes))
    walk.end_paragraph()
    return walk.writer.text()


def to_texts(body: Body) -> Text:
    """Render many fragments in one job: JSON in, and a JSON list of Markdown out."""
    job = json.loads(body.data)
    pieces: list[str] = []
    left = MOST_TEXT_CHARS
    for fragment in job["fragments"]:
        piece = to_markdown(fragment, body.url, job["without"]) if left else ""
        pieces.append(piece if len(piece) <= left else f"{beginning(piece, left)}\n\n{_CUT}")
        left = max(0, left - len(piece))
    return Text(json.dumps(pieces, ensure_ascii=False))


def to_markdown(fragment: str, url: str, without: Sequence[str] = ()) -> str:
    """Render a fragment without the elements that some CSS selectors name."""
    markdown = render(build(cap_markup(fragment), without), None, url)
    if len(markdown) <= MOST_TEXT_CHARS:
        return clean(markdown)
    return f"{clean(beginning(markdown, MOST_TEXT_CHARS))}\n\n{_CUT}"
