"""Public SearXNG instances: strangers who help out, so at most two are asked for a query, politely and in turn."""

from __future__ import annotations

from dataclasses import replace

from dowse.core import urls
from dowse.core.errors import NoInstance, RateLimited, Unavailable
from dowse.core.models import Category, Clock, Deadline, Found, Query
from dowse.providers.disclosure import Disclosure
from dowse.providers.instances.fingerprint import Fingerprint, Fingerprints
from dowse.providers.instances.instance import Instance, Misbehaviour
from dowse.providers.instances.manager import Instances
from dowse.providers.limits import Limits, fit
from dowse.providers.searxng_answer import Answer
from dowse.providers.searxng_public import PublicWay, Visit, failure
from dowse.providers.searxng_query import check, gather, health_address
from dowse.providers.searxng_turns import Failures, Misbehaved, ask_in_turn, told

NAME = "searxng_pool"
LIMITS = Limits(
    max_results=20,
    filters=frozenset({"language", "safe_search", "time_range", "page"}),
    categories=frozenset(Category),
)
_MAX_PAGES = 2
_PROBE = Query("weather", num_results=1)
_ADVICE = "try again later, or set SEARXNG_URL to an instance of your own"


class PublicAsker:
    """Looks after public instances for their manager. Implements `instances.health.Asker`."""

    def __init__(self, way: PublicWay, clock: Clock, *, timeout_s: float) -> None:
        self._way = way
        self._clock = clock
        self._timeout_s = timeout_s

    async def ping(self, url: str) -> None:
        headers, deadline = self._way.manners.headers(), Deadline.after(self._clock, self._timeout_s)
        fetched = await self._way.get(health_address(url), headers, deadline)
        error = failure(self._way.provider, fetched)
        # Some have no such page, or show it to nobody; they are there to say so.
        if isinstance(error, RateLimited | Unavailable):
            raise error

    async def probe(self, url: str) -> bool:
        visit = Visit(self._way, url, _PROBE, json=None)
        deadline = Deadline.after(self._clock, self._timeout_s)
        answer = await visit.page(1, deadline)
        if answer.odd_links:
            raise Misbehaved(self._way.provider, Misbehaviour.STRANGE_LINKS)
        check(self._way.provider, _PROBE, answer)
        return bool(visit.json)


class SearxngPool:
    name = NAME
    categories = LIMITS.categories

    def __init__(self, way: PublicWay, instances: Instances, disclosure: Disclosure, *, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self.instances = instances
        self._way = way
        self._disclosure = disclosure
        self._fingerprints = Fingerprints()

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, LIMITS)

        async def ask(instance: Instance, deadline: Deadline) -> Found:
            return await self._ask(instance, query, deadline)

        found = await ask_in_turn(self.instances, ask, deadline, self._failure)
        return replace(found, warnings=warnings + self.instances.warnings() + found.warnings)

    async def _ask(self, instance: Instance, query: Query, deadline: Deadline) -> Found:
        address = urls.parse(instance.url)
        self._disclosure.tell(f"the public SearXNG instance {address.host if address else ''}", self.name)
        visit = Visit(self._way, instance.url, query, json=instance.json)

        def judge(answer: Answer) -> None:
            self._check_honesty(instance, query, answer)
            check(self.name, query, answer)

        found = await gather(query, visit.page, judge, deadline, max_pages=_MAX_PAGES)
        if visit.json != instance.json and visit.json is not None:
            await self.instances.speaks(instance.url, json=visit.json)
        return found

    def _check_honesty(self, instance: Instance, query: Query, answer: Answer) -> None:
        """Before anything else: what a dishonest instance sends is not worth a judgement."""
        if answer.odd_links:
            raise Misbehaved(self.name, Misbehaviour.STRANGE_LINKS)
        fingerprint = Fingerprint.of(query.text, (found.url for found in answer.hits))
        if self._fingerprints.contradicts_itself(instance.url, fingerprint):
            raise Misbehaved(self.name, Misbehaviour.SAME_RESULTS)

    def _failure(self, failures: Failures) -> NoInstance:
        wait_s = self.instances.retry_after_s()
        return NoInstance(self.name, f"{told(failures)}; {_ADVICE}", retry_after_s=wait_s, instances=tuple(failures))
