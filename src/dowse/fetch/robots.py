"""What sites ask programs not to read: robots.txt, looked up in passing and remembered for a day."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dowse.cache.entries import CacheEntries
from dowse.core import urls
from dowse.core.errors import WireError
from dowse.core.models import Clock
from dowse.core.runtime import Background
from dowse.net.clients import Fetched, UntrustedClient

if TYPE_CHECKING:
    from protego import Protego

KIND = "robots"
"""Under which a cache knows what sites have said."""

_AGENT = "dowse"
_LOOK_UP_S = 5.0
_LAST_S = 0.7
_MAX_BYTES = 512_000
_DAY_S = 86_400.0
_FILE = "rules"
# A site that was down or slow may have rules all the same.
_RETRY_S = 300.0


@dataclass(frozen=True, slots=True)
class _Said:
    """What a site said a while ago: the text of its file, or that it has none."""

    file: str | None
    age_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a site says until a moment; without a file everything is allowed."""

    until: float
    file: Protego | None = None

    def allow(self, url: str) -> bool:
        return self.file is None or self.file.can_fetch(url, _AGENT)


class RobotsFiles:
    """The robots.txt of each site. Implements `protocols.Robots`; the guard judges these requests like all others.

    Nobody waits longer for a site than `patience_s`; a later answer still counts for the next page of the site.
    What a site says holds for `kept_s`; with a cache also for other processes, and after a restart.
    """

    def __init__(
        self,
        client: UntrustedClient,
        clock: Clock,
        cache: CacheEntries | None = None,
        *,
        kept_s: float = _DAY_S,
        patience_s: float = 0.3,
        remembered_sites: int = 1000,
    ) -> None:
        self._client = client
        self._clock = clock
        self._cache = cache
        self._kept_s = kept_s
        self._patience_s = patience_s
        self._remembered_sites = remembered_sites
        self._known: OrderedDict[str, _Rules] = OrderedDict()
        self._asking: dict[str, asyncio.Task[_Rules]] = {}
        self._keeping = Background()

    async def allows(self, url: str) -> bool:
        parsed, site = urls.parse(url), _site(url)
        if parsed is None or not site:
            # No site to ask; the guard has its own word for such addresses.
            return True
        rules = self._known.get(site)
        if rules is None or rules.until <= self._clock.now():
            # Rules that are too old are better than none.
            rules = await self._recall(site) or await self._ask(site) or rules
        return rules is None or rules.allow(parsed.href)

    def has_heard(self, url: str) -> bool:
        site = _site(url)
        return not site or site in self._known

    async def close(self) -> None:
        """Stop asking after a moment; what was heard by then is kept, for a command that is called again and again."""
        tasks = list(self._asking.values())
        if tasks:
            await asyncio.wait(tasks, timeout=_LAST_S)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._keeping.finish()

    async def _ask(self, site: str) -> _Rules | None:
        """The rules, if they come soon; pages of one site that are read together ask once."""
        if site not in self._asking:
            task = asyncio.create_task(self._look_up(site))
            task.add_done_callback(lambda _: self._asking.pop(site, None))
            self._asking[site] = task
        done, _ = await asyncio.wait([self._asking[site]], timeout=self._patience_s)
        return next((task.result() for task in done), None)

    async def _look_up(self, site: str) -> _Rules:
        said = await self._hear(site)
        if said is not None and self._cache is not None:
            self._keep(self._cache, site, said)
        return await self._rules(site, said)

    async def _hear(self, site: str) -> _Said | None:
        """What the site says, or nothing for now."""
        try:
            fetched = await self._client.get(
                f"{site}/robots.txt", timeout_s=_LOOK_UP_S, max_bytes=_MAX_BYTES, accept="text/plain,*/*;q=0.1"
            )
        except WireError:
            return None
        return _said(fetched)

    async def _rules(self, site: str, said: _Said | None) -> _Rules:
        """What a site said as rules, from now on the ones that are known."""
        rules = await self._parsed(said) if said else self._unheard(site)
        self._known[site] = rules
        self._known.move_to_end(site)
        while len(self._known) > self._remembered_sites:
            self._known.popitem(last=False)
        return rules

    async def _parsed(self, said: _Said) -> _Rules:
        until = self._clock.now() + self._kept_s - said.age_s
        if said.file is None:
            return _Rules(until)
        from protego import Protego

        # In a thread: half a megabyte of rules takes longer than others should wait.
        return _Rules(until, await asyncio.to_thread(Protego.parse, said.file))

    def _unheard(self, site: str) -> _Rules:
        known = self._known.get(site)
        return _Rules(self._clock.now() + _RETRY_S, known.file if known else None)

    async def _recall(self, site: str) -> _Rules | None:
        """What the site said before, to whichever process."""
        kept = await self._cache.get(KIND, site) if self._cache and self._kept_s else None
        said = _recalled(kept.value, kept.age_s) if kept and kept.age_s < self._kept_s else None
        return await self._rules(site, said) if said else None

    def _keep(self, cache: CacheEntries, site: str, said: _Said) -> None:
        """In the background: nobody waits until it is written down."""
        entry = json.dumps({_FILE: said.file}).encode()
        self._keeping.start(cache.put(KIND, site, entry, self._kept_s))


def _site(url: str) -> str:
    parsed = urls.parse(url)
    if parsed is None or parsed.scheme not in ("http", "https"):
        return ""
    return f"{parsed.scheme}://{parsed.host}:{parsed.port}"


def _said(fetched: Fetched) -> _Said | None:
    """By RFC 9309, except that a site whose file fails is not taken for closed: we read single pages for people."""
    if fetched.status >= 500 or fetched.status == 429:
        return None
    is_there = 200 <= fetched.status < 300
    return _Said(fetched.body.decode("utf-8", "replace") if is_there else None)


def _recalled(value: bytes, age_s: float) -> _Said | None:
    """What was kept, if it looks as we keep it: a store may hold anything."""
    try:
        entry = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or _FILE not in entry:
        return None
    file = entry[_FILE]
    return _Said(file, age_s) if file is None or _is_file(file) else None


def _is_file(text: object) -> bool:
    """Whether a site could have said it: half a surrogate pair would upset the parser."""
    if not isinstance(text, str) or len(text) > _MAX_BYTES:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
