"""HTML fragments from APIs, which are content from end to end: rendered whole, without selection."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dowse.core.models import MOST_TEXT_CHARS, Body, Text
from dowse.document.clean import clean
from dowse.extract.html.render import render
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.guard import cap_markup
from dowse.extract.tidy import beginning

_CUT = "_The rest is not shown._"


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
