"""Crossref: a search over scholarly works. https://api.crossref.org/swagger-ui/index.html"""

from __future__ import annotations

import re

from dowse.core.allowances import Rate
from dowse.core.errors import BadAnswer
from dowse.core.models import Deadline, Hit, Query
from dowse.net.json_api import Api, Json, first_hits, hit, objects, results, string, strings
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
        doi, period = _DOI.search(query.text), period_of(query, deadline.clock.today())
        asked = {} if doi else {"query.bibliographic": keywords(query.text, max_chars=_LONGEST_QUERY, most=30)}
        filters = [
            f"doi:{doi[0]}" if doi else "",
            f"from-pub-date:{period.first}" if period.first else "",
            f"until-pub-date:{period.last}" if period.last else "",
        ]
        if named := ",".join(filter(None, filters)):
            asked["filter"] = named
        params = {**asked, "rows": str(min(query.num_results, _MOST)), "select": _FIELDS}
        body = await self._api.get(self.address(query), deadline, headers={}, params=params)
        message = body.get("message")
        if not isinstance(message, dict):
            raise BadAnswer(NAME, "the answer has no object 'message'")
        return SiteHits(first_hits([_hit(item) for item in results(NAME, message, "items")], query.num_results))


def _hit(item: Json) -> Hit | None:
    published = _date(item)
    facts = [_authors(item), *strings(item.get("container-title"))[:1], published[:4]]
    snippet = ". ".join(filter(None, [", ".join(filter(None, facts)), without_tags(string(item, "abstract"))]))
    doi = string(item, "DOI")
    url = string(item, "URL") or (f"{_RESOLVER}{doi}" if doi else "")
    title = without_tags(" ".join(strings(item.get("title"))[:1]))
    return hit(title, url, snippet, engine=NAME, published=published)


def _authors(item: Json) -> str:
    names = [string(author, "family", "name") for author in objects(item.get("author"))]
    return ", ".join(filter(None, names[:_MOST_AUTHORS])) + (" et al." if len(names) > _MOST_AUTHORS else "")


def _date(item: Json) -> str:
    """The date of publication as far as it is known: a year, a month or a day."""
    issued = item.get("issued")
    parts = issued.get("date-parts") if isinstance(issued, dict) else None
    first = parts[0] if isinstance(parts, list) and parts else None
    numbers = [part for part in first if isinstance(part, int)] if isinstance(first, list) else []
    return "-".join(f"{number:02d}" for number in numbers[:3])


SITE = Site(search=CrossrefSearch)
