"""The parts that adapters are made of besides their own code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dowse.cache.entries import CacheEntries
from dowse.core.models import Clock
from dowse.core.protocols import Limiter, ListingReader
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.json_api import Api
from dowse.providers.disclosure import Disclosure
from dowse.secrets.redact import Redactor
from dowse.settings import SPECS, Settings

if TYPE_CHECKING:
    from dowse.providers.politeness import Manners


@dataclass(frozen=True)
class Kit:
    """`watches` is for a process that lives on: SearXNG instances are checked in the background."""

    settings: Settings
    client: ConfiguredClient
    page_client: UntrustedClient
    listings: ListingReader
    cache: CacheEntries
    clock: Clock
    redactor: Redactor
    disclosure: Disclosure
    limiter: Limiter
    user_agent: str
    watches: bool = False

    def api(self, name: str, *, credential: str = "") -> Api:
        """A provider's JSON API. A rejected key is blamed on `credential`, its own variable by default."""
        timeout_s = self.settings.providers[name].timeout_s
        return Api(name, self.client, timeout_s, credential or SPECS[name].credential, self.redactor)

    @cached_property
    def manners(self) -> Manners:
        from dowse.providers.politeness import Manners

        settings = self.settings
        rotates = settings.rotate_user_agents != "off"
        return Manners(self.clock, rotates=rotates, delay_s=settings.request_delay_range, user_agent=self.user_agent)
