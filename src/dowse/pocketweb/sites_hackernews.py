"""Double of the API of Hacker News: an item with its whole tree, and the search that knows the story of a comment."""

from __future__ import annotations

import re

from aiohttp import web

from dowse.pocketweb.seen import SeenRequest
from dowse.pocketweb.sites import SiteDouble

_ITEM = re.compile(r"/items/\d+")
_SEARCH_FIELDS = frozenset(["query", "tags", "numericFilters", "page", "hitsPerPage"])


class HackerNewsApi(SiteDouble):
    name = "hackernews"
    variable = "HACKERNEWS_API_URL"

    def checks(self, seen: SeenRequest) -> web.Response | None:
        path = seen.path.removeprefix(self.path)
        is_search = path == "/search"
        if not is_search and not _ITEM.fullmatch(path):
            return self.error(404, "Not Found")
        if set(seen.params) - (_SEARCH_FIELDS if is_search else frozenset()):
            return self.error(400, "invalid parameter")
        return super().checks(seen)

    def missing(self, seen: SeenRequest) -> web.Response:
        if seen.path.endswith("/search"):
            return web.json_response({"hits": [], "nbHits": 0, "page": 0, "nbPages": 0, "hitsPerPage": 20})
        return super().missing(seen)

    def error(self, status: int, message: str) -> web.Response:
        return web.json_response({"status": status, "error": message}, status=status)
