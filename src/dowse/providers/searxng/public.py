"""Public SearXNG instances: at most two are asked for a query, in rotation, politely and without trust."""

from __future__ import annotations

from dataclasses import replace

from dowse.core import urls
from dowse.core.errors import (
    NoInstance,
)
from dowse.core.models import Deadline, Found, Query
from dowse.providers.disclosure import Disclosure
from dowse.providers.limits import fit
from dowse.providers.searxng.instance import Fingerprint, Fingerprints, Instance, Misbehaved, Misbehaviour
from dowse.providers.searxng.pool import InstancePool
from dowse.providers.searxng.protocol import (
    PublicClient,
    PublicVisit,
    SearxngAnswer,
    check,
    gather,
)
from dowse.providers.searxng.several import Failures, ask_in_turn, summarise
from dowse.settings.providers import SEARXNG_POOL as SPEC

_MAX_PAGES = 2
_ADVICE = "try again later, or set SEARXNG_URL to an instance of your own"


class SearxngPool:
    """Search provider over the pool of public instances."""

    name = SPEC.name
    categories = SPEC.limits.categories

    def __init__(
        self, client: PublicClient, instances: InstancePool, disclosure: Disclosure, *, timeout_s: float
    ) -> None:
        self.timeout_s = timeout_s
        self.instances = instances
        self._client = client
        self._disclosure = disclosure
        self._fingerprints = Fingerprints()

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, SPEC.limits)

        async def ask(instance: Instance, deadline: Deadline) -> Found:
            return await self._ask(instance, query, deadline)

        found = await ask_in_turn(self.instances, ask, deadline, self._failure)
        return replace(found, warnings=warnings + self.instances.warnings() + found.warnings)

    async def _ask(self, instance: Instance, query: Query, deadline: Deadline) -> Found:
        self._disclosure.tell(f"the public SearXNG instance {urls.host_of(instance.url)}", self.name)
        visit = PublicVisit(self._client, instance.url, query, json=instance.json)

        def judge(answer: SearxngAnswer) -> None:
            self._check_honesty(instance, query, answer)
            check(self.name, query, answer)

        found = await gather(query, visit.get_page, judge, deadline, max_pages=_MAX_PAGES)
        if visit.json != instance.json and visit.json is not None:
            await self.instances.report_format(instance.url, json=visit.json)
        return found

    def _check_honesty(self, instance: Instance, query: Query, answer: SearxngAnswer) -> None:
        """Raise `Misbehaved` for odd links, and for results that were given to unrelated queries."""
        if answer.odd_links:
            raise Misbehaved(self.name, Misbehaviour.STRANGE_LINKS)
        fingerprint = Fingerprint.of(query.text, (found.url for found in answer.hits))
        if self._fingerprints.contradict(instance.url, fingerprint):
            raise Misbehaved(self.name, Misbehaviour.SAME_RESULTS)

    def _failure(self, failures: Failures) -> NoInstance:
        detail = f"{summarise(failures)}; {_ADVICE}"
        wait_s = self.instances.retry_after_s()
        return NoInstance(self.name, detail, retry_after_s=wait_s, instances=tuple(failures))
