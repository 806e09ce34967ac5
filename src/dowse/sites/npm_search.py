"""Packages in npm's registry: https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md#get-v1search."""

from __future__ import annotations

from dowse.core.models import Deadline, Hit, Query
from dowse.net.json_api import Api, Json, first_hits, hit, items, string, strings
from dowse.sites.answer import Answer
from dowse.sites.words import keywords

_SITE = "https://www.npmjs.com/package/"
# It refuses longer and shorter ones (ERR_TEXT_LENGTH).
_SHORTEST_QUERY, _LONGEST_QUERY = 2, 64
_MOST = 50
_NOISE = frozenset(
    "add error i install javascript js latest library module node node.js nodejs npm npx package packages pnpm "
    "typescript version yarn".split()
)


class Npm:
    """Implements `OpenApi`."""

    name = "npm"
    title = "npm"
    rate = None

    def __init__(self, api: Api, base_url: str) -> None:
        self._api = api
        self._base = base_url.rstrip("/")

    def address(self, _query: Query) -> str:
        return f"{self._base}/-/v1/search"

    async def search(self, query: Query, deadline: Deadline) -> Answer:
        text = keywords(query.text, max_chars=_LONGEST_QUERY, most=5, without=_NOISE)
        if len(text) < _SHORTEST_QUERY:
            return Answer(())
        params = {"text": text, "size": str(min(query.num_results, _MOST))}
        body = await self._api.get(self.address(query), deadline, headers={}, params=params)
        return Answer(first_hits(map(_hit, items(self.name, body, "objects")), query.num_results))


def _hit(item: Json) -> Hit | None:
    package = item.get("package")
    if not isinstance(package, dict):
        return None
    name, links = string(package, "name"), package.get("links")
    url = (string(links, "npm") if isinstance(links, dict) else "") or f"{_SITE}{name}"
    known_for = ", ".join(strings(package.get("keywords"))[:8])
    snippet = string(package, "description") + (f" ({known_for})" if known_for else "")
    title = f"{name} {string(package, 'version')} · npm" if name else ""
    return hit(title, url, snippet, engine=Npm.name, published=string(package, "date"))
