"""Search over the corpus: word overlap, `site:` and domain filters, dates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

_OPERATOR = re.compile(r"\(?(-?)site:([^\s()]+)\)?")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Listing:
    """One search result before a double gives it its provider's shape; `published` is an ISO date or empty."""

    title: str
    url: str
    snippet: str = ""
    published: str = ""
    keywords: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A search after the double understood its request."""

    text: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    since: str = ""
    until: str = ""

    @classmethod
    def from_operators(cls, query: str) -> Wanted:
        """Take `site:` and `-site:` out of the text, as web engines do."""
        sites = _OPERATOR.findall(query)
        return cls(
            text=_OPERATOR.sub(" ", query),
            include=tuple(site for minus, site in sites if not minus),
            exclude=tuple(site for minus, site in sites if minus),
        )


def choose(listings: Iterable[Listing], wanted: Wanted, *, ranked: bool = True) -> list[Listing]:
    """What passes the filters; best overlap first, and the others after it in their own order."""
    kept = [listing for listing in listings if _passes(listing, wanted)]
    if ranked:
        kept.sort(key=lambda listing: -overlap(wanted.text, listing))
    return kept


def overlap(query: str, listing: Listing) -> int:
    """How many words of the query a listing shares; the title counts most."""
    words = [word for word in _WORD.findall(query.lower()) if len(word) > 2 or not word.isascii()]
    parts = ((3, listing.title), (2, listing.keywords), (1, listing.snippet))
    return sum(weight for word in words for weight, part in parts if _contains(part.lower(), word))


def on_site(url: str, site: str) -> bool:
    """Whether a URL lies under `host`, `host:port` or `host/path`; subdomains count."""
    parts = urlsplit(url)
    wanted_host, slash, wanted_path = site.removeprefix("https://").removeprefix("http://").lower().partition("/")
    host = parts.netloc if ":" in wanted_host else parts.hostname or ""
    same_host = host == wanted_host or host.endswith(f".{wanted_host}")
    return same_host and parts.path.lower().startswith(slash + wanted_path)


def _passes(listing: Listing, wanted: Wanted) -> bool:
    if wanted.include and not any(on_site(listing.url, site) for site in wanted.include):
        return False
    if any(on_site(listing.url, site) for site in wanted.exclude):
        return False
    if wanted.since and (not listing.published or listing.published < wanted.since):
        return False
    return not wanted.until or bool(listing.published and listing.published <= wanted.until)


def _contains(text: str, word: str) -> bool:
    """Whole words; in scripts without spaces any run of characters."""
    return word in _WORD.findall(text) or (not word.isascii() and word in text)
