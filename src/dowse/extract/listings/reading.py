"""The page of a search engine in, its results out. Results come first: only a page without any is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dowse.core.listings import Listing, Outcome
from dowse.core.models import Body
from dowse.extract.decode import decode
from dowse.extract.listings import duckduckgo, mojeek, searxng
from dowse.extract.listings.judge import judge
from dowse.extract.listings.page import Page, Reading, sifted

READERS: Mapping[str, Callable[[Page], Reading]] = {
    "searxng": searxng.read,
    "duckduckgo": duckduckgo.read,
    "mojeek": mojeek.read,
}


def to_listing(engine: str, body: Body, query: str) -> Listing:
    """What the page says; `engine` is one of `READERS`."""
    markup = decode(body.data, body.charset)
    found = READERS[engine](Page(markup, body.url))
    rows, odd_links = sifted(found.rows)
    if rows or found.answers:
        outcome, detail = Outcome.RESULTS, ""
    elif odd_links:
        outcome, detail = Outcome.UNKNOWN, "no link of its results leads to the web"
    elif found.is_empty:
        outcome, detail = Outcome.EMPTY, ""
    else:
        outcome, detail = judge(markup, body.url, query, is_own=found.is_own)
    return Listing(outcome, rows, detail, found.failed_engines, found.answers, found.suggestions, odd_links)
