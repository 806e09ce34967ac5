"""Crossref: a search over scholarly works. https://api.crossref.org/swagger-ui/index.html"""

from __future__ import annotations

import re

from dowse.core.allowances import Rate
from dowse.core.models import Deadline, Hit, Query
from dowse.core.text import enclose
from dowse.net.json_api import Api
from dowse.net.json_fields import (
    Json,
    elements,
    first_hits,
    hit,
    mapping,
    objects,
    required_mapping,
    results,
    string,
    strings,
)
from dowse.settings import Settings
from dowse.sites.query import keywords, period_of, without_tags
from dowse.sites.site import Site, SiteHits

NAME = "crossref"
# Without commas, which separate filters.
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s,\"'<>]{1,200}[^\s,.;:)\"'<>\]]")
_RESOLVER = "https://doi.org/"
_FIELDS = "DOI,URL,title,author,container-title,issued,abstract"
_LONGEST_QUERY = 300
_MOST, _MOST_AUTHORS = 50, 3


class CrossrefSearch:
    """Implements `SiteSearch`."""

    # Lists for clients without a mail address: https://doi.org/10.64000/wadve-3tj60.
    rate = Rate(1, 1.0)

    def __init__(self, settings: Settings, api: Api) -> None:
        self._api = api
        self._base = settings.crossref_api_url.rstrip("/")

    def address(self, _query: Query) -> str:
        return f"{self._base}/works"

    async def search(self, query: Query, deadline: Deadline) -> SiteHits:
        doi, period = "".join(_DOI.findall(query.text)[:1]), period_of(query, deadline.clock.today())
        asked = {} if doi else {"query.bibliographic": keywords(query.text, max_chars=_LONGEST_QUERY, most=30)}
        filters = [
            enclose("doi:", doi),
            enclose("from-pub-date:", period.first),
            enclose("until-pub-date:", period.last),
        ]
        if named := ",".join(filter(None, filters)):
            asked["filter"] = named
        params = {**asked, "rows": str(min(query.num_results, _MOST)), "select": _FIELDS}
        body = await self._api.get(self.address(query), deadline, headers={}, params=params)
        message = required_mapping(NAME, body, "message")
        return SiteHits(first_hits(list(map(_hit, results(NAME, message, "items"))), query.num_results))


def _hit(item: Json) -> Hit | None:
    published = _date(item)
    facts = [_authors(item), *strings(item.get("container-title"))[:1], published[:4]]
    snippet = ". ".join(filter(None, [", ".join(filter(None, facts)), without_tags(string(item, "abstract"))]))
    url = string(item, "URL") or enclose(_RESOLVER, string(item, "DOI"))
    title = without_tags(" ".join(strings(item.get("title"))[:1]))
    return hit(title, url, snippet, engine=NAME, published=published)


def _authors(item: Json) -> str:
    names = [string(author, "family", "name") for author in objects(item.get("author"))]
    return ", ".join(filter(None, names[:_MOST_AUTHORS])) + (" et al." if len(names) > _MOST_AUTHORS else "")


def _date(item: Json) -> str:
    """The date of publication as far as it is known: a year, a month or a day."""
    dates = elements(mapping(item, "issued").get("date-parts"))
    numbers = [part for parts in dates[:1] for part in elements(parts) if isinstance(part, int)]
    return "-".join(f"{number:02d}" for number in numbers[:3])


SITE = Site(search=CrossrefSearch)
