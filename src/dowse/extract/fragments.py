"""Pieces of HTML that are content from end to end, as APIs hand them out: rendered whole, nothing is selected."""

from __future__ import annotations

import json
from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser

from dowse.extract import clutter, codeblocks, literals, references, scripts, strip, tags
from dowse.extract.frames import MOST_CHARS
from dowse.extract.markdown import render
from dowse.extract.tidy import beginning
from dowse.markdown import clean
from dowse.models import Body, Text

_CUT = "_The rest is not shown._"


def to_texts(body: Body) -> Text:
    """A job for many pieces at once: JSON in, and a JSON list of Markdown out."""
    job = json.loads(body.data)
    pieces: list[str] = []
    left = MOST_CHARS
    for fragment in job["fragments"]:
        piece = to_markdown(fragment, body.url, job["without"]) if left else ""
        pieces.append(piece if len(piece) <= left else f"{beginning(piece, left)}\n\n{_CUT}")
        left = max(0, left - len(piece))
    return Text(json.dumps(pieces, ensure_ascii=False))


def to_markdown(fragment: str, url: str, without: Sequence[str] = ()) -> str:
    if not tags.is_parseable(fragment):
        return clean(strip.strip_html(fragment))
    tree = LexborHTMLParser(fragment)
    clutter.remove_invisible(tree)
    body = tree.body
    if body is None:
        return ""
    for selector in without:
        clutter.remove(body.css(selector))
    codeblocks.normalise(body)
    scripts.write_out(body)
    references.write_out_images(body)
    references.rewrite_links(body, url)
    references.undo_layout_tables(tree, body)
    html = literals.inner_html(body)
    # The converter returns nothing for trees deeper than it likes.
    rendered = render(html)
    if rendered.is_cut:
        return f"{rendered.markdown}\n\n{_CUT}"
    return rendered.markdown or clean(strip.strip_html(html))
