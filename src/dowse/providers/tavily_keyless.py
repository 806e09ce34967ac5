"""Tavily without a key: a header in its place, and the same answers, less often.

As documented at https://docs.tavily.com/documentation/keyless.
"""

from __future__ import annotations

from dowse.core.models import Deadline, Found, Query
from dowse.net.json_api import Api
from dowse.providers import tavily
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.kit import Kit
from dowse.providers.limits import fit
from dowse.settings.providers import TAVILY_KEYLESS as SPEC

_HEADERS = {"X-Tavily-Access-Mode": "keyless"}
_DEPTH = "basic"


class TavilyKeyless:
    name = SPEC.name
    categories = SPEC.limits.categories

    def __init__(self, api: Api, disclosure: Disclosure, *, search_endpoint: str) -> None:
        self.timeout_s = api.timeout_s
        self._api = api
        self._disclosure = disclosure
        self._search_endpoint = search_endpoint

    async def search(self, query: Query, deadline: Deadline) -> Found:
        fitted, warnings = fit(self.name, query, SPEC.limits)
        self._disclosure.tell(party(SPEC.title, self._search_endpoint), self.name)
        body = await self._api.post(
            self._search_endpoint, deadline, headers=_HEADERS, body=tavily.payload(fitted, _DEPTH)
        )
        return tavily.found(self.name, body, query, wanted=fitted.num_results, warnings=warnings)


def make(kit: Kit) -> TavilyKeyless:
    return TavilyKeyless(kit.api(SPEC.name), kit.disclosure, search_endpoint=kit.settings.endpoint(SPEC.name))
