"""Wikipedia in the language of the query: https://www.mediawiki.org/wiki/API:Search, one request."""

from __future__ import annotations

import re
from urllib.parse import quote

from dowse.core import urls
from dowse.core.allowances import Rate
from dowse.core.errors import BadAnswer, ProviderError, RateLimited, Unavailable
from dowse.core.models import Deadline, Hit, Query
from dowse.core.text import one_line
from dowse.net.json_api import Api, Json, first_hits, hit, items, string
from dowse.sites.answer import Answer
from dowse.sites.words import keywords, without_tags

_ENDPOINT = "https://{}.wikipedia.org/w/api.php"
_LANGUAGE = re.compile(r"[a-z]{2,3}")
# What browsers call a language, and what its Wikipedia is called.
_NAMED_OTHERWISE = {"nb": "no"}
_LONGEST_QUERY = 300  # CirrusSearch refuses more.
_LONGEST_PART = 255  # No title, no host and no path of articles is longer.
_MOST = 50
_OVERLOADED = frozenset({"maxlag", "readonly"})


class Wikipedia:
    """Implements `OpenApi`. The setting `WIKIPEDIA_API_URL` takes the place of every language's own API."""

    name = "wikipedia"
    title = "Wikipedia"
    # For programs that say who they are: https://www.mediawiki.org/wiki/Wikimedia_APIs/Rate_limits.
    rate = Rate(200, 60.0)

    def __init__(self, api: Api, api_url: str | None = None, *, user_agent: str = "") -> None:
        self._api = api
        self._api_url = api_url
        agent = one_line(user_agent)
        self._headers = {"User-Agent": agent} if agent else {}

    def address(self, query: Query) -> str:
        return self._api_url or _ENDPOINT.format(_language(query))

    async def search(self, query: Query, deadline: Deadline) -> Answer:
        address = self.address(query)
        params = {
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "list": "search",
            "srsearch": keywords(query.text, max_chars=_LONGEST_QUERY, most=30),
            "srlimit": str(min(query.num_results, _MOST)),
            "srprop": "snippet",
            # Tells where the articles are, which the results do not.
            "meta": "siteinfo",
            "siprop": "general",
        }
        body = await self._api.get(address, deadline, headers=self._headers, params=params)
        if isinstance(error := body.get("error"), dict):
            raise _failure(error)
        found = body.get("query")
        if not isinstance(found, dict):
            raise BadAnswer(self.name, "the answer has no object 'query'")
        base = _articles(found, address)
        return Answer(first_hits((_hit(item, base) for item in items(self.name, found, "search")), query.num_results))


def _language(query: Query) -> str:
    label = query.language.lower().partition("-")[0]
    label = _NAMED_OTHERWISE.get(label, label)
    return label if _LANGUAGE.fullmatch(label) else "en"


def _failure(error: Json) -> ProviderError:
    """Errors come with the status of a success."""
    code = one_line(string(error, "code"), 60)
    if code == "ratelimited":
        return RateLimited(Wikipedia.name)
    return (Unavailable if code in _OVERLOADED else BadAnswer)(Wikipedia.name, said=code)


def _articles(found: Json, address: str) -> str:
    """The address of an article, with `$1` for its title."""
    general = found.get("general")
    told = general if isinstance(general, dict) else {}
    server, path = (string(told, name)[:_LONGEST_PART] for name in ("server", "articlepath"))
    # The server may be told without its scheme.
    parsed = urls.parse(server or "/", base=address)
    if parsed is None:
        raise BadAnswer(Wikipedia.name, "the answer does not say where the articles are")
    return parsed.href.rstrip("/") + (path or "/wiki/$1")


def _hit(item: Json, base: str) -> Hit | None:
    title = string(item, "title")[:_LONGEST_PART]
    url = base.replace("$1", quote(title.replace(" ", "_"), safe="/:,()!*@;~", errors="replace"), 1)
    return hit(title, url, without_tags(string(item, "snippet")), engine=Wikipedia.name)
