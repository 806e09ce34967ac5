"""Stories on Hacker News, which lead to pages all over the web: https://hn.algolia.com/api, one request."""

from __future__ import annotations

from dowse.core.allowances import Rate
from dowse.core.models import Deadline, Hit, Query
from dowse.net.json_api import Api, Json, first_hits, hit, items, string, whole
from dowse.sites.answer import Answer
from dowse.sites.period import Period, period_of
from dowse.sites.words import keywords, without_tags

_DISCUSSION = "https://news.ycombinator.com/item?id="
# It looks for every word, and titles are short.
_LONGEST_QUERY, _MOST_WORDS = 250, 6
_MOST = 50
_NOISE = frozenset("hacker news hn".split())


class HackerNews:
    """Implements `OpenApi`."""

    name = "hackernews"
    title = "Hacker News"
    # It takes 10,000 in an hour; this is less, and needs no long memory.
    rate = Rate(150, 60.0)

    def __init__(self, api: Api, base_url: str) -> None:
        self._api = api
        self._base = base_url.rstrip("/")

    def address(self, query: Query) -> str:
        # Among stories of some days the newest are wanted, among all the best.
        wants_news = query.time_range or query.start_date or query.end_date
        return f"{self._base}/{'search_by_date' if wants_news else 'search'}"

    async def search(self, query: Query, deadline: Deadline) -> Answer:
        params = {
            "query": keywords(query.text, max_chars=_LONGEST_QUERY, most=_MOST_WORDS, without=_NOISE),
            "tags": "story",
            "hitsPerPage": str(min(query.num_results, _MOST)),
        }
        if filters := _filters(period_of(query, deadline.clock.today())):
            params["numericFilters"] = filters
        body = await self._api.get(self.address(query), deadline, headers={}, params=params)
        return Answer(first_hits(map(_hit, items(self.name, body, "hits")), query.num_results))


def _filters(period: Period) -> str:
    first = f"created_at_i>={period.starts_at}" if period.first else ""
    last = f"created_at_i<{period.ends_at}" if period.last else ""
    return ",".join(filter(None, [first, last]))


def _hit(item: Json) -> Hit | None:
    number = string(item, "objectID")
    url = string(item, "url") or (f"{_DISCUSSION}{number}" if number.isdecimal() else "")
    facts = f"{whole(item, 'points')} points, {whole(item, 'num_comments')} comments on Hacker News"
    snippet = " · ".join(filter(None, [without_tags(string(item, "story_text")), facts]))
    return hit(string(item, "title"), url, snippet, engine=HackerNews.name, published=string(item, "created_at"))
