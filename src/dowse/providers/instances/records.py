"""The state of instances in the store: written after changes, and read now and again where others write too."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dowse.core import urls
from dowse.core.tasks import Background
from dowse.providers.instances.instance import Instance, joined
from dowse.stores.cache import Cache
from dowse.stores.codec import Codec

KIND = "instances"
"""Under which a cache knows the state of instances, and the list of the public ones."""

_KEPT_S = 30 * 86_400.0
# Lists change: of those that are on none any more, the ones that were asked last stay known.
_MOST = 1000


@dataclass(frozen=True, slots=True)
class _Page:
    """All instances of a provider, as they are kept."""

    instances: tuple[Instance, ...]


class Records:
    """What is known of each instance. What a store cannot tell, or somebody has damaged, is not known."""

    def __init__(self, provider: str, cache: Cache) -> None:
        self._name = f"state of {provider}"
        self._cache = cache
        self._codec = Codec(_Page)
        self._changed: dict[str, Instance] = {}
        self._is_writing = False
        self._background = Background()

    @property
    def is_shared(self) -> bool:
        """Whether other processes may write here."""
        return self._cache.is_shared

    async def read(self) -> dict[str, Instance]:
        """The state by address; addresses are without a password that the settings may have in them."""
        kept = await self._cache.look(KIND, self._name)
        page = self._codec.decode(kept.value) if kept else None
        return {instance.url: instance for instance in page.instances} if page else {}

    def write(self, instance: Instance) -> None:
        """Keep a change. Nobody waits for it; changes that come while another is being written go together."""
        address = name_of(instance.url)
        self._changed[address] = replace(instance, url=address)
        if not self._is_writing:
            self._is_writing = True
            self._background.start(self._write())

    async def finish(self) -> None:
        """Wait until all is written."""
        await self._background.finish()

    async def _write(self) -> None:
        try:
            while self._changed:
                changed, self._changed = self._changed, {}
                # Other processes write here too: only what changed in this one is replaced, and their news stays.
                known = await self.read()
                known |= {name: joined(each, known.get(name, each)) for name, each in changed.items()}
                newest = sorted(known.values(), key=lambda instance: instance.last_checked)[-_MOST:]
                if data := self._codec.encode(_Page(tuple(newest))):
                    await self._cache.put(KIND, self._name, data, _KEPT_S)
        finally:
            self._is_writing = False


def name_of(url: str) -> str:
    """How an instance is called where people may see it, and in the store."""
    return urls.without_userinfo(url)
