"""Mojeek's pages: a list of results, of news, or of pictures.

Shape: the pages that the engine `mojeek` of searxng/searxng reads, its news and pictures included.
"""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from dowse.core import urls
from dowse.core.listings import Row
from dowse.extract.listings.page import Page, Reading, first, label_of, labels, text_of, title_of

_RESULTS = "ul.results-standard > li, .news-search-result article"
_PICTURES = "#results > div.image"
_FORM = "form[action*='search'] input[name='q']"
_HOST = "mojeek.com"
_NOTHING = ("no pages found", "no results found", "no news found", "no images found")
_NOTICES = "p, h1, h2, .no-results"


def read(page: Page) -> Reading:
    listed = [_row(page, item) for item in page.all(_RESULTS)] + [_picture(page, item) for item in page.all(_PICTURES)]
    rows = tuple(row for row in listed if not _is_its_own(row.url))
    return Reading(
        rows=rows,
        is_own=page.has(_FORM),
        is_empty=not rows and any(label_of(notice).lower().startswith(_NOTHING) for notice in page.all(_NOTICES)),
        suggestions=labels(label_of(link) for link in page.all("p.spell em a")),
    )


def _row(page: Page, item: LexborNode) -> Row:
    title = first(item, "h2 a")
    return Row(title_of(title), page.link(title or first(item, "a.ob")), text_of(first(item, "p.s")))


def _picture(page: Page, item: LexborNode) -> Row:
    """A picture and the page it is on; Mojeek shows a copy of its own, and does not say where the picture itself is."""
    link = first(item, "a")
    shown = first(item, "img")
    title = title_of(link, "data-title") or title_of(shown, "alt")
    return Row(title, page.link(link), thumbnail=page.link(shown, "src"))


def _is_its_own(url: str) -> bool:
    """Whether it is one of the links to further searches that stand among the results."""
    parsed = urls.parse(url)
    return parsed is not None and urls.is_below(parsed.name, _HOST)
