"""Several SearXNG instances of your own: asked in turn, at most two for a query, and none that is unwell."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dowse.core.errors import NoInstance, ProviderError, Skipped
from dowse.core.models import Clock, Deadline, Found, Query
from dowse.providers.instances.instance import Instance
from dowse.providers.instances.manager import Instances
from dowse.providers.instances.records import name_of
from dowse.providers.searxng import LIMITS, SearXNG
from dowse.providers.searxng_turns import Failures, ask_in_turn, told

_PROBE = Query("weather", num_results=1)


class OwnAsker:
    """Talks to one's own instances, with a `SearXNG` for each address. Implements `instances.health.Asker`."""

    def __init__(self, make: Callable[[str], SearXNG], addresses: Sequence[str], clock: Clock) -> None:
        self._own = {name_of(url.rstrip("/")): make(url) for url in addresses}
        self._clock = clock

    def at(self, url: str) -> SearXNG:
        """The same for the same address: it remembers what it learnt. Raises `Skipped` for a stranger's."""
        found = self._own.get(name_of(url))
        if found is None:
            # Headers and passwords of the settings are for those that the settings name.
            raise Skipped(SearXNG.name, "it is not one of those in SEARXNG_URL")
        return found

    async def ping(self, url: str) -> None:
        searxng = self.at(url)
        await searxng.ping(Deadline.after(self._clock, searxng.timeout_s))

    async def probe(self, url: str) -> bool:
        searxng = self.at(url)
        await searxng.search(_PROBE, Deadline.after(self._clock, searxng.timeout_s))
        return searxng.asks_for_json


class SearXNGs:
    """Answers under the name that one instance has."""

    name = SearXNG.name
    categories = LIMITS.categories

    def __init__(self, asker: OwnAsker, instances: Instances, *, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self.instances = instances
        self._asker = asker

    async def search(self, query: Query, deadline: Deadline) -> Found:
        async def ask(instance: Instance, deadline: Deadline) -> Found:
            return await self._asker.at(instance.url).search(query, deadline)

        return await ask_in_turn(self.instances, ask, deadline, self._failure)

    def _failure(self, failures: Failures) -> ProviderError:
        """What went wrong, if it was the same everywhere: then it says what to do about it."""
        asked, errors = tuple(failures), list(failures.values())
        if len({type(error) for error in errors}) == 1:
            errors[0].instances = asked
            return errors[0]
        wait_s = self.instances.retry_after_s()
        return NoInstance(self.name, told(failures), retry_after_s=wait_s, instances=asked)
