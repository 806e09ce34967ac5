"""Pieces of HTML through the tree and the renderer, as a page goes that is content from end to end."""

from __future__ import annotations

from dowse.document.clean import clean
from dowse.extract.html.page import base_of
from dowse.extract.html.render import render
from dowse.extract.html.tree.build import build

URL = "https://docs.example/guide/start?utm_source=feed"


def markdown(html: str, *, with_images: bool = True) -> str:
    """The Markdown of a page in which everything is kept, cleaned as it is before anybody reads it."""
    tree = build(html)
    return clean(render(tree, None, base_of(tree, URL), with_images=with_images))
