"""DuckDuckGo's page for slow browsers (`/lite/`): a table, three rows for each result.

Shape: the pages that searxng/searxng and deedy5/ddgs read, and recorded ones in tests of other public clients.
"""

from __future__ import annotations

from dataclasses import replace

from selectolax.lexbor import LexborNode

from dowse.core import urls
from dowse.core.listings import Row
from dowse.extract.listings.page import Page, Reading, attribute_of, label_of, parameter, text_of, title_of

_LINK, _SNIPPET, _DATE = "result-link", "result-snippet", "timestamp"
_PARTS = f"a.{_LINK}, td.{_SNIPPET}, span.{_DATE}"
_HOST = "duckduckgo.com"
# What stands in a cell of its own where the results would.
_NOTHING = ("no more results.", "no results.")
_FORM = "form[action*='/lite/'] input[name='q']"


def read(page: Page) -> Reading:
    rows = _rows(page)
    return Reading(
        rows=tuple(rows),
        is_own=page.has(_FORM),
        is_empty=not rows and (page.has(".no-results") or any(_says_nothing(cell) for cell in page.all("td, span"))),
    )


def _rows(page: Page) -> list[Row]:
    """Parts come one after another, and belong to the link before them; those of an advertisement to nobody."""
    rows: list[Row] = []
    is_ad = True
    for part in page.all(_PARTS):
        kind = attribute_of(part, "class").split()
        if _LINK in kind:
            link = page.link(part)
            is_ad = _is_sponsored(part) or _leads_to(link, "/y.js")
            if not is_ad:
                rows.append(Row(title_of(part), _target(link)))
        elif not is_ad and _SNIPPET in kind:
            rows[-1] = replace(rows[-1], snippet=text_of(part))
        elif not is_ad:
            rows[-1] = replace(rows[-1], published=label_of(part)[:10])
    return rows


def _target(link: str) -> str:
    """Where a link leads in the end: some go through a page that forwards them."""
    return (parameter(link, "uddg") or link) if _leads_to(link, "/l/") else link


def _leads_to(link: str, path: str) -> bool:
    parsed = urls.parse(link)
    return parsed is not None and parsed.path == path and urls.is_below(parsed.name, _HOST)


def _is_sponsored(link: LexborNode) -> bool:
    above = link.parent
    while above is not None and above.tag != "tr":
        above = above.parent
    return "sponsored" in attribute_of(above, "class")


def _says_nothing(cell: LexborNode) -> bool:
    return label_of(cell).lower() in _NOTHING
