"""HTML pages to Markdown: parse, select the main content, render it, read the metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dowse.core.models import Text
    from dowse.extract.html.content.model import Model


def to_text(
    markup: str,
    url: str,
    *,
    with_images: bool = False,
    model: Model | None = None,
    sheets: Sequence[str] = (),
    http_status: int = 200,
) -> Text:
    """Extract the main content of a page; `model` replaces the trained one of dowse.

    `sheets` are the texts of the style sheets that an earlier extraction of the page asked for in `Text.sheets`;
    `http_status` is that of the page.
    Raises `PageUnreadable` for a page that is not the content it stands for, such as a login form or a soft 404.
    """
    # Lazily: the server process uses `html.tree.grammar` and must not load the parser and numpy with it.
    from dowse.extract.html import page

    return page.to_text(markup, url, with_images=with_images, model=model, sheets=sheets, http_status=http_status)
