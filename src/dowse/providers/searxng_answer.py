"""What a SearXNG says, in JSON or on its web page: one answer out of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dowse.core.errors import BadAnswer, Blocked, EnginesFailed
from dowse.core.listings import Listing, Outcome, Row
from dowse.core.media_types import HTML
from dowse.core.models import Body, Category, Hit, Query
from dowse.net.json_api import Json, first_hits, hit, items, media, plain, string, strings

PER_PAGE = 10
_MEDIA = frozenset({Category.IMAGES, Category.VIDEOS})
_MOST_ROWS = 200  # More is no page of results, whoever sends it.
_SCHEME = re.compile(r"\s{0,9}([a-z][a-z0-9+.-]{0,30}):", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_TOLD_ENGINES = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """One page of results, the better ranked of two hits for one address kept.

    `failed` are the engines that did not look, with their reasons. `odd_links` counts results that lead out
    of the web, such as `javascript:`; they are not among the hits.
    """

    hits: tuple[Hit, ...]
    answers: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    odd_links: int = 0

    def raise_if_nobody_looked(self, provider: str, engines: str) -> None:
        """No result is only an answer when somebody looked: all engines failing also comes as HTTP 200.

        Which engines were asked is known only if the settings name them; otherwise one failure makes
        an empty answer doubtful, and doubtful is not empty.
        """
        asked = {name.strip() for name in engines.split(",") if name.strip()}
        if not self.hits and not self.answers and self.failed and asked <= self.failed.keys():
            told = list(self.failed.items())[:_TOLD_ENGINES]
            raise EnginesFailed(provider, said=", ".join(f"{name}: {reason}" for name, reason in told))


def from_json(provider: str, body: Json, query: Query) -> Answer:
    """Raises `BadAnswer` for a body without results, not even none."""
    results = items(provider, body, "results")[:_MOST_ROWS]
    told = _listed(body.get("unresponsive_engines"))
    return Answer(
        _first((_from_item(item, query) for item in results), query),
        plain(_answers(body)),
        plain(strings(body.get("suggestions"))),
        {str(pair[0]): str(pair[1]) for pair in told if isinstance(pair, list) and len(pair) == 2},
        sum(_leads_elsewhere(string(item, "url")) for item in results),
    )


def web_page(url: str, headers: Mapping[str, str], data: bytes) -> Body:
    """A page as it came, for those who read the results off it."""
    declared = _CHARSET.search(headers.get("content-type", ""))
    return Body(url, data, HTML, declared[1].lower() if declared else "")


def from_listing(provider: str, listing: Listing, query: Query) -> Answer:
    """Raises `Blocked` for a page that stands in front of the results, `BadAnswer` for one of another kind."""
    if listing.outcome is Outcome.BLOCKED:
        raise Blocked(provider, listing.detail or "it answered with a challenge page")
    if listing.outcome is Outcome.UNKNOWN and not listing.odd_links:
        raise BadAnswer(provider, listing.detail or "the page is no list of results")
    return Answer(
        _first((_from_row(row, query) for row in listing.rows), query),
        plain(listing.answers),
        plain(listing.suggestions),
        dict(listing.failed_engines),
        listing.odd_links,
    )


def _first(hits: Iterable[Hit | None], query: Query) -> tuple[Hit, ...]:
    by_address: dict[str, Hit] = {}
    # A whole page where fewer are wanted: whether an answer is about the query is judged by more than its top.
    for found in first_hits(hits, max(query.num_results, PER_PAGE)):
        by_address.setdefault(found.url, found)
    return tuple(by_address.values())


def _from_item(item: Json, query: Query) -> Hit | None:
    texts = (string(item, name) for name in ("title", "url", "content"))
    found = hit(*texts, engine=string(item, "engine"), published=string(item, "publishedDate"))
    if query.category not in _MEDIA:
        return found
    thumbnail, duration = string(item, "thumbnail_src", "thumbnail"), _duration(item)
    return media(found, image_url=string(item, "img_src"), thumbnail=thumbnail, duration=duration)


def _from_row(row: Row, query: Query) -> Hit | None:
    found = hit(row.title, row.url, row.snippet, engine=row.engine, published=row.published)
    if query.category not in _MEDIA:
        return found
    return media(found, image_url=row.image_url, thumbnail=row.thumbnail, duration=row.duration)


def _duration(item: Json) -> str:
    """`3:05`. Engines that know the length exactly have it sent as a number of seconds, others as text."""
    for value in (item.get("length"), item.get("duration")):
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int | float) and 0 < value < 1e6:
            minutes, seconds = divmod(round(value), 60)
            hours, minutes = divmod(minutes, 60)
            return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return ""


def _answers(body: Json) -> Iterable[str]:
    """Answers are objects today and were strings in older versions."""
    texts = (string(item, "answer") if isinstance(item, dict) else item for item in _listed(body.get("answers")))
    return (text for text in texts if isinstance(text, str))


def _leads_elsewhere(url: str) -> bool:
    scheme = _SCHEME.match(url)
    return scheme is not None and scheme[1].lower() not in ("http", "https")


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
