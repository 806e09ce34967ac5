"""The adapter of every described provider: one request, one list; or a page as its reader gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dowse.core.errors import BadAnswer
from dowse.core.models import Deadline, Found, Hit, Query, Text
from dowse.core.text import count_noun
from dowse.net.clients import Reply
from dowse.net.json_api import Api
from dowse.net.json_fields import Json
from dowse.providers.described import answer, request
from dowse.providers.described.failures import NothingFound, quoting, raise_failure
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.limits import divide_hits, fit
from dowse.providers.table import Kit
from dowse.settings.described.files import read_shipped
from dowse.settings.described.model import Description
from dowse.settings.model import Settings, reveal
from dowse.settings.spec import ProviderSpec, QueryLimits


class Described:
    """Serves the descriptions of one provider, by kind. `disclosure` hears of queries that no key was set for."""

    def __init__(
        self,
        api: Api,
        spec: ProviderSpec,
        descriptions: Mapping[str, Description],
        endpoints: Mapping[str, str],
        *,
        key: str = "",
        disclosure: Disclosure | None = None,
    ) -> None:
        self.name = spec.name
        self.timeout_s = api.timeout_s
        self.categories = spec.limits.categories
        self._api = api
        self._spec = spec
        self._descriptions = descriptions
        self._endpoints = endpoints
        self._key = key
        self._disclosure = disclosure

    async def search(self, query: Query, deadline: Deadline) -> Found:
        description, endpoint = self._descriptions["search"], self._endpoints["search"]
        # One timeout for both requests of an API that finds ids first.
        deadline = deadline.cap(self.timeout_s)
        fitted, warnings = fit(self.name, query, self._limits(description, query))
        if pages := request.pages_exceeded(description, fitted):
            return Found((), warnings=(*warnings, f"{self.name} has only {count_noun(pages, 'page')}."))
        built = request.search_request(description, endpoint, self._key, fitted, deadline.clock.today())
        warnings += tuple(f"{self.name} {warning}" for warning in built.warnings)
        if self._disclosure:
            self._disclosure.tell(party(self._spec.title, endpoint), self.name)
        # Where all pages up to the wanted one are asked for, the earlier results come first.
        earlier = 0 if description.page else query.earlier
        try:
            found = await self._found(description, built, fitted, deadline, earlier)
        except NothingFound:
            found = Found(())
        return replace(found, warnings=warnings)

    async def _found(
        self, description: Description, built: request.Request, query: Query, deadline: Deadline, earlier: int
    ) -> Found:
        body = await self._ask(description, built, deadline)
        hits = await self._hits(description, query, body, deadline)
        found = divide_hits(hits[built.skipped + earlier :], max(0, query.num_results - earlier))
        told = answer.read_found(description.shape_of(query.category), body, found.hits)
        return replace(told, spare=found.spare)

    def _limits(self, description: Description, query: Query) -> QueryLimits:
        variant = description.variants.get(query.category)
        limits = self._spec.limits
        return replace(limits, filters=limits.filters - variant.lacks) if variant else limits

    async def read(self, url: str, deadline: Deadline) -> Text:
        description = self._descriptions["read"]
        built = request.read_request(description, self._endpoints["read"], self._key, url)
        try:
            body = await self._ask(description, built, deadline)
        except NothingFound:
            raise self._api.not_read("the answer is empty") from None
        fields, shape = description.shape.fields, description.shape
        page = next(answer.walk(body, shape.results), None)
        if not isinstance(page, dict) or not any(
            next(answer.walk(page, path), None) is not None for path in fields["text"].paths
        ):
            with quoting(self._api, body):
                raise BadAnswer(self.name, "the answer has no text of a page")
        text, title, plain = (answer.pick_text(fields.get(name), page) for name in ("text", "title", "plain"))
        return self._api.page(text, title, plain=plain)

    async def _ask(self, description: Description, built: request.Request, deadline: Deadline) -> object:
        body = built.body if description.method == "POST" else None
        reply = await self._api.request(built.method, built.address, deadline, headers=built.headers, body=body)
        return self._read(description, reply, deadline)

    def _read(self, description: Description, reply: Reply, deadline: Deadline) -> object:
        raise_failure(self._api, description.errors, reply, deadline.clock)
        self._api.check(reply, deadline)
        if description.shape.results or description.kind == "read":
            return self._api.read_object(reply)
        return self._api.read_json(reply)

    async def _hits(self, description: Description, query: Query, body: object, deadline: Deadline) -> list[Hit]:
        shape, today = description.shape_of(query.category), deadline.clock.today()
        listed = await self._list(description, query, body, deadline)
        return answer.read_hits(self.name, shape, listed, today, query.category)

    async def _list(self, description: Description, query: Query, body: object, deadline: Deadline) -> list[Json]:
        shape, then = description.shape_of(query.category), description.then
        if not then:
            with quoting(self._api, body):
                return answer.read_list(self.name, shape, body)
        with quoting(self._api, body):
            ids = answer.read_ids(self.name, body, then.ids)
        if not ids:
            return []
        follow = request.follow_request(description, self._endpoints["search"], self._key, ids)
        reply = await self._api.request("GET", follow.address, deadline, headers=follow.headers)
        found = self._read(replace(description, shape=shape), reply, deadline)
        return answer.read_by_id(self.name, shape, found, ids)


def make(name: str, kit: Kit) -> Described:
    spec, chosen = kit.settings.specs[name], kit.settings.providers[name]
    descriptions = kit.settings.own.descriptions.get(name) or read_shipped(spec.source)[name]
    key = reveal(chosen.api_key)
    disclosure = None if key or spec.servers else kit.disclosure
    # Without a key there is none to check: the API refuses this client, and the next provider may answer.
    api = kit.api(name) if key else replace(kit.api(name), key_variable="")
    return Described(
        api, spec, descriptions, _endpoints(name, kit.settings, descriptions), key=key, disclosure=disclosure
    )


def _endpoints(name: str, settings: Settings, descriptions: Mapping[str, Description]) -> dict[str, str]:
    if servers := settings.providers[name].servers:
        return {kind: request.own_server_url(servers[0], each) for kind, each in descriptions.items()}
    return {kind: settings.endpoint(name, kind) for kind in descriptions}
