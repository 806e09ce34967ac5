"""Adapter of one configured SearXNG instance: JSON, or the web page where JSON is refused."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from dowse.core import urls
from dowse.core.errors import BadRequest, Blocked, KeyRejected, Misconfigured, ProviderError, RateLimited
from dowse.core.listings import Outcome
from dowse.core.models import Deadline, Found, Query
from dowse.core.protocols import ListingReader
from dowse.net.clients import Reply
from dowse.net.json_api import Api, is_challenge
from dowse.providers.limits import fit
from dowse.providers.searxng.protocol import (
    Preferences,
    SearxngAnswer,
    check,
    from_json,
    from_listing,
    gather,
    health_address,
    parameters,
    read_page,
    search_address,
    web_page,
)
from dowse.settings.providers import SEARXNG as SPEC

LIMITS = SPEC.limits
MAX_PAGES = 5
JSON_OFF = (
    "its JSON answers are switched off; add `json` to `search.formats` in its settings.yml "
    "(search: {formats: [html, json]}) and restart it, or set SEARXNG_FORMAT=html"
)
NO_SEARXNG = "SEARXNG_URL is not the base address of a SearXNG"
_PASS_LIMITER = (
    "set `server.limiter: false` in its settings.yml, or add this machine to `pass_ip` in its limiter.toml, "
    "and restart it"
)
LIMITER = f"its limiter allows four JSON answers an hour; {_PASS_LIMITER}; or set SEARXNG_FORMAT=html"
PAGE_LIMITER = f"its limiter takes us for a bot; {_PASS_LIMITER}"
# SearXNG's limiter takes clients without these headers for bots.
_HEADERS = {"accept": "application/json, text/html;q=0.9", "accept-language": "en;q=0.9, *;q=0.5"}
_PAGE_HEADERS = {**_HEADERS, "accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"}


class SearXNG:
    """One instance. `answer_format` is `json`, `html`, or `auto` (the web page where JSON is refused)."""

    name = SPEC.name
    categories = LIMITS.categories

    def __init__(
        self,
        api: Api,
        base_url: str,
        listings: ListingReader,
        *,
        preferences: Preferences | None = None,
        headers: Mapping[str, str],
        answer_format: str = "json",
    ) -> None:
        self.timeout_s = api.timeout_s
        self._api = api
        self._base_url = base_url
        self._listings = listings
        self._preferences = preferences or Preferences()
        self._headers = headers
        self.asks_for_json = answer_format != "html"
        """Whether JSON is requested; false after it was refused and the web page read instead."""
        self._reads_pages = answer_format != "json"

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, LIMITS)
        asked_for_json = self.asks_for_json

        async def get_page(number: int, deadline: Deadline) -> SearxngAnswer:
            return await self._get_page(query, number, deadline)

        def judge(answer: SearxngAnswer) -> None:
            check(self.name, query, answer, engines=self._preferences.engines)

        found = await gather(query, get_page, judge, deadline, max_pages=MAX_PAGES)
        if asked_for_json and not self.asks_for_json:
            warnings += (f"{self.name} gave no JSON, so its web page was read: {JSON_OFF}",)
        return replace(found, warnings=warnings + found.warnings)

    async def ping(self, deadline: Deadline) -> None:
        """Check that the instance is up; nothing is searched for."""
        headers = {**_PAGE_HEADERS, **self._headers}
        # Older versions without this page are up to say so.
        with suppress(BadRequest):
            await self._api.get_reply(health_address(self._base_url), deadline, headers=headers, params={})

    async def _get_page(self, query: Query, number: int, deadline: Deadline) -> SearxngAnswer:
        if self.asks_for_json:
            try:
                return await self._from_json(query, number, deadline)
            except Misconfigured as error:
                if not self._reads_pages or error.http_status == 404:
                    raise
        answer = await self._from_web_page(query, number, deadline)
        # Only now: an unreadable page is no reason to give JSON up.
        self.asks_for_json = False
        return answer

    async def _from_json(self, query: Query, number: int, deadline: Deadline) -> SearxngAnswer:
        reply = await self._reply(query, number, deadline, as_json=True)
        if "html" not in reply.headers.get("content-type", ""):
            return from_json(self.name, self._api.read_object(reply), query)
        if is_challenge(reply):
            raise Blocked(self.name, "it answered with a challenge page; let this machine pass there")
        raise Misconfigured(self.name, f"it answered with a web page: {NO_SEARXNG}, or {JSON_OFF}")

    async def _from_web_page(self, query: Query, number: int, deadline: Deadline) -> SearxngAnswer:
        reply = await self._reply(query, number, deadline, as_json=False)
        body = web_page(urls.without_userinfo(search_address(self._base_url)), reply.headers, reply.body)
        timeout_s = min(self.timeout_s, deadline.remaining_s())
        listing = await read_page(self.name, self._listings, body, query, timeout_s=timeout_s)
        if listing.outcome is Outcome.UNKNOWN and not listing.odd_links:
            raise Misconfigured(self.name, f"its web page is not a list of results: {NO_SEARXNG}")
        return from_listing(self.name, listing, query)

    async def _reply(self, query: Query, number: int, deadline: Deadline, *, as_json: bool) -> Reply:
        params = parameters(query, number, self._preferences, as_json=as_json)
        headers = {**(_HEADERS if as_json else _PAGE_HEADERS), **self._headers}
        try:
            return await self._api.get_reply(search_address(self._base_url), deadline, headers=headers, params=params)
        except (KeyRejected, BadRequest, Blocked, RateLimited) as error:
            raise _explain(error, as_json=as_json) from error


def _explain(error: ProviderError, *, as_json: bool) -> ProviderError:
    """Translate a failure into its meaning for SearXNG, with advice."""
    status, provider = error.http_status, error.provider
    if status == 404:
        return Misconfigured(provider, f"HTTP 404, {NO_SEARXNG}", http_status=404)
    if status == 403 and isinstance(error, KeyRejected) and as_json:
        return Misconfigured(provider, f"HTTP 403, {JSON_OFF}", http_status=403)
    if status == 429:
        detail = f"HTTP 429, {LIMITER if as_json else PAGE_LIMITER}"
        return RateLimited(provider, detail, retry_after_s=error.retry_after_s, http_status=429)
    if isinstance(error, Blocked):
        detail = f"HTTP {status} and a challenge page; let this machine pass there"
        return Blocked(provider, detail, http_status=status)
    return error
