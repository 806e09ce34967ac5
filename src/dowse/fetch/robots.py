"""What sites ask programs not to read: robots.txt, looked up in passing and remembered for a day."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dowse import urls
from dowse.errors import WireError
from dowse.models import Clock
from dowse.net.clients import Fetched, UntrustedClient

if TYPE_CHECKING:
    from protego import Protego

_AGENT = "dowse"
_LOOK_UP_S = 5.0
_MAX_BYTES = 512_000
_DAY_S = 86_400.0
# A site that was down or slow may have rules all the same.
_RETRY_S = 300.0


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a site says until a moment; without a file everything is allowed."""

    until: float
    file: Protego | None = None

    def allow(self, url: str) -> bool:
        return self.file is None or self.file.can_fetch(url, _AGENT)


class RobotsFiles:
    """The robots.txt of each site. Implements `interfaces.Robots`; the guard judges these requests like all others.

    Nobody waits longer for permission than `patience_s`; a later answer still counts for the next page of the site.
    """

    def __init__(
        self, client: UntrustedClient, clock: Clock, *, patience_s: float = 0.3, remembered_sites: int = 1000
    ) -> None:
        self._client = client
        self._clock = clock
        self._patience_s = patience_s
        self._remembered_sites = remembered_sites
        self._known: OrderedDict[str, _Rules] = OrderedDict()
        self._asking: dict[str, asyncio.Task[_Rules]] = {}

    async def allows(self, url: str) -> bool:
        parsed = urls.parse(url)
        if parsed is None or parsed.scheme not in ("http", "https"):
            # No site to ask; the guard has its own word for such addresses.
            return True
        site = f"{parsed.scheme}://{parsed.host}:{parsed.port}"
        rules = self._known.get(site)
        if rules is None or rules.until <= self._clock.now():
            # Rules that are a day old are better than none.
            rules = await self._ask(site) or rules
        return rules is None or rules.allow(parsed.href)

    async def close(self) -> None:
        """Stop asking."""
        tasks = list(self._asking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, site: str) -> _Rules | None:
        """The rules, if they come soon; pages of one site that are read together ask once."""
        if site not in self._asking:
            task = asyncio.create_task(self._look_up(site))
            task.add_done_callback(lambda _: self._asking.pop(site, None))
            self._asking[site] = task
        done, _ = await asyncio.wait([self._asking[site]], timeout=self._patience_s)
        return next((task.result() for task in done), None)

    async def _look_up(self, site: str) -> _Rules:
        try:
            fetched = await self._client.get(
                f"{site}/robots.txt", timeout_s=_LOOK_UP_S, max_bytes=_MAX_BYTES, accept="text/plain,*/*;q=0.1"
            )
        except WireError:
            rules = None
        else:
            rules = await self._read(fetched)
        if rules is None:
            known = self._known.get(site)
            rules = _Rules(self._clock.now() + _RETRY_S, known.file if known else None)
        self._known[site] = rules
        self._known.move_to_end(site)
        while len(self._known) > self._remembered_sites:
            self._known.popitem(last=False)
        return rules

    async def _read(self, fetched: Fetched) -> _Rules | None:
        """What the site says, or nothing for now.

        By RFC 9309, except that a site whose file fails is not taken for closed: we read single pages for people.
        """
        until = self._clock.now() + _DAY_S
        if fetched.status >= 500 or fetched.status == 429:
            return None
        if not 200 <= fetched.status < 300:
            return _Rules(until)
        from protego import Protego

        # In a thread: half a megabyte of rules takes longer than others should wait.
        text = fetched.body.decode("utf-8", "replace")
        return _Rules(until, await asyncio.to_thread(Protego.parse, text))
