"""Double of npm's registry: whole documents, single versions, and no other methods."""

from __future__ import annotations

import re

from aiohttp import web

from tests.doubles.listings import Listing
from tests.doubles.seen import SeenRequest
from tests.doubles.sites_searching import SearchedSite, stamp

_ROUTE = re.compile(r"/(?:@[^/@]+/)?[^/@]+(?:/[^/]+)?")
_SEARCH = "/-/v1/search"
_SEARCH_FIELDS = frozenset({"text", "size", "from", "quality", "popularity", "maintenance"})


class NpmApi(SearchedSite):
    name = "npm"
    variable = "NPM_REGISTRY_URL"

    def checks(self, seen: SeenRequest) -> web.Response | None:
        if seen.method == "GET" and seen.path == self.path + _SEARCH:
            return self._checked_search(seen.params) or super().checks(seen)
        if seen.method != "GET" or not _ROUTE.fullmatch(seen.path.removeprefix(self.path)):
            return self.error(405, "method not allowed")
        return super().checks(seen)

    def error(self, status: int, message: str) -> web.Response:
        return web.json_response({"error": message}, status=status)

    def missing(self, seen: SeenRequest) -> web.Response:
        if seen.path != self.path + _SEARCH:
            return super().missing(seen)
        found = self.matches(seen.params["text"], int(seen.params.get("size", "20")))
        objects = [_object(*each) for each in enumerate(found, 1)]
        return web.json_response({"objects": objects, "total": len(objects), "time": "2026-01-01T00:00:00.000Z"})

    def _checked_search(self, params: dict[str, str]) -> web.Response | None:
        if not 2 <= len(params.get("text", "")) <= 64:
            message = "The 'text' parameter must be between 2 and 64 characters"
            return web.json_response({"error": message, "code": "ERR_TEXT_LENGTH"}, status=400)
        size = params.get("size", "20")
        if set(params) - _SEARCH_FIELDS or not size.isdecimal() or not 1 <= int(size) <= 250:
            return self.error(400, "invalid parameter")
        return None


def _object(number: int, listing: Listing) -> dict[str, object]:
    package = {
        "name": f"pocket-page-{number}",
        "keywords": listing.keywords.split(),
        "version": f"1.{number}.0",
        "description": f"{listing.title}: {listing.snippet}",
        "date": stamp(listing),
        "links": {"npm": listing.url},
        "publisher": {"username": "otter42", "email": "otter42@example.org"},
        "maintainers": [{"username": "otter42", "email": "otter42@example.org"}],
        "license": "MIT",
    }
    return {"package": package, "score": {"final": 1.0}, "searchScore": 1.0, "flags": {"insecure": 0}}
