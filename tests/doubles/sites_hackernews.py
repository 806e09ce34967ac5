"""Double of the API of Hacker News: an item with its whole tree, and the search that knows the story of a comment."""

from __future__ import annotations

import re

from aiohttp import web

from tests.doubles.listings import Listing
from tests.doubles.seen import SeenRequest
from tests.doubles.sites_searching import SearchedSite, day, seconds, stamp

_ITEM = re.compile(r"/items/\d+")
_SEARCHES = ("/search", "/search_by_date")
_FILTER = re.compile(r"(created_at_i|points|num_comments)(>=|<|>|<=|=)(\d+)")
_SEARCH_FIELDS = frozenset(["query", "tags", "numericFilters", "page", "hitsPerPage"])


class HackerNewsApi(SearchedSite):
    name = "hackernews"
    variable = "HACKERNEWS_API_URL"

    def checks(self, seen: SeenRequest) -> web.Response | None:
        path = seen.path.removeprefix(self.path)
        is_search = path in _SEARCHES
        if not is_search and not _ITEM.fullmatch(path):
            return self.error(404, "Not Found")
        if set(seen.params) - (_SEARCH_FIELDS if is_search else frozenset()):
            return self.error(400, "invalid parameter")
        if not all(map(_FILTER.fullmatch, filter(None, seen.params.get("numericFilters", "").split(",")))):
            return self.error(400, "invalid numericFilters")
        return super().checks(seen)

    def missing(self, seen: SeenRequest) -> web.Response:
        if seen.path.removeprefix(self.path) not in _SEARCHES:
            return super().missing(seen)
        params, most = seen.params, int(seen.params.get("hitsPerPage", "20"))
        limits = {sign: value for _, sign, value in _FILTER.findall(params.get("numericFilters", ""))}
        since, until = day(limits.get(">=", "")), day(limits.get("<", ""), before=True)
        # All others are looked up by what they belong to, and only what a test has recorded belongs to anything.
        is_stories = params.get("tags") == "story"
        found = self.matches(params.get("query", ""), most, since=since, until=until) if is_stories else []
        hits = [_story(*each) for each in enumerate(found, 1)]
        return web.json_response(
            {"hits": hits, "nbHits": len(hits), "page": 0, "nbPages": 1 if hits else 0, "hitsPerPage": most}
        )

    def error(self, status: int, message: str) -> web.Response:
        return web.json_response({"status": status, "error": message}, status=status)


def _story(number: int, listing: Listing) -> dict[str, object]:
    return {
        "_tags": ["story", "author_otter42", f"story_{number}"],
        "author": "otter42",
        "created_at": stamp(listing),
        "created_at_i": seconds(listing),
        "num_comments": 12,
        "objectID": str(number),
        "points": 100 - number,
        "story_id": number,
        "story_text": listing.snippet,
        "title": listing.title,
        "url": listing.url,
    }
