"""robots.txt (RFC 9309): fetched beside the page with little patience, and cached for a day."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dowse.cache.entries import CacheEntries
from dowse.core import urls
from dowse.core.models import Clock
from dowse.core.runtime import Background
from dowse.core.wire_errors import WireError
from dowse.net.clients import Fetched, UntrustedClient

if TYPE_CHECKING:
    from protego import Protego

KIND = "robots"
"""Kind of the cache entries."""

_AGENT = "dowse"
_LOOK_UP_S = 5.0
_LAST_S = 0.7
_MAX_BYTES = 512_000
_DAY_S = 86_400.0
_FILE = "rules"
# A site that was down or slow may have rules all the same; ask again after this.
_RETRY_S = 300.0


@dataclass(frozen=True, slots=True)
class _File:
    """A robots.txt and its age; `None` for a site without one."""

    text: str | None
    age_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Rules:
    """Parsed rules of a site with their expiry; without a file everything is allowed."""

    until: float
    file: Protego | None = None

    def allow(self, url: str) -> bool:
        return self.file is None or self.file.can_fetch(url, _AGENT)


class RobotsFiles:
    """The robots.txt of each site. Implements `protocols.Robots`; the SSRF guard judges its requests too.

    A page waits at most `patience_s` for it; a later answer counts for the next page of the site. Rules hold for
    `kept_s`; with a cache also for other processes, and after a restart.
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
            # No site to ask; the guard rejects such addresses itself.
            return True
        rules = self._known.get(site)
        if rules is None or rules.until <= self._clock.now():
            # Expired rules are better than none.
            rules = await self._recall(site) or await self._ask(site) or rules
        return rules is None or rules.allow(parsed.href)

    def is_resolved(self, url: str) -> bool:
        site = _site(url)
        return not site or site in self._known

    async def close(self) -> None:
        """Give pending requests a moment; their answers are cached, for a command that runs again and again."""
        tasks = list(self._asking.values())
        if tasks:
            await asyncio.wait(tasks, timeout=_LAST_S)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._keeping.finish()

    async def _ask(self, site: str) -> _Rules | None:
        """The rules, if they come soon (single-flight for pages of one site)."""
        if site not in self._asking:
            task = asyncio.create_task(self._look_up(site))
            task.add_done_callback(lambda _: self._asking.pop(site, None))
            self._asking[site] = task
        done, _ = await asyncio.wait([self._asking[site]], timeout=self._patience_s)
        return next((task.result() for task in done), None)

    async def _look_up(self, site: str) -> _Rules:
        file = await self._fetch(site)
        if file is not None and self._cache is not None:
            self._keep(self._cache, site, file)
        return await self._remember(site, file)

    async def _fetch(self, site: str) -> _File | None:
        """Fetch the file; `None` if the site cannot be asked now."""
        try:
            fetched = await self._client.get(
                f"{site}/robots.txt", timeout_s=_LOOK_UP_S, max_bytes=_MAX_BYTES, accept="text/plain,*/*;q=0.1"
            )
        except WireError:
            return None
        return _read(fetched)

    async def _remember(self, site: str, file: _File | None) -> _Rules:
        """Parse a file and keep its rules in memory."""
        rules = await self._parse(file) if file else self._assume(site)
        self._known[site] = rules
        self._known.move_to_end(site)
        while len(self._known) > self._remembered_sites:
            self._known.popitem(last=False)
        return rules

    async def _parse(self, file: _File) -> _Rules:
        until = self._clock.now() + self._kept_s - file.age_s
        if file.text is None:
            return _Rules(until)
        from protego import Protego

        # In a thread: parsing half a megabyte of rules would block the event loop.
        return _Rules(until, await asyncio.to_thread(Protego.parse, file.text))

    def _assume(self, site: str) -> _Rules:
        known = self._known.get(site)
        return _Rules(self._clock.now() + _RETRY_S, known.file if known else None)

    async def _recall(self, site: str) -> _Rules | None:
        """Rules from the cache, fetched by any process."""
        kept = await self._cache.get(KIND, site) if self._cache and self._kept_s else None
        file = _decode(kept.value, kept.age_s) if kept and kept.age_s < self._kept_s else None
        return await self._remember(site, file) if file else None

    def _keep(self, cache: CacheEntries, site: str, file: _File) -> None:
        """Write to the cache in the background."""
        entry = json.dumps({_FILE: file.text}).encode()
        self._keeping.start(cache.put(KIND, site, entry, self._kept_s))


def _site(url: str) -> str:
    parsed = urls.parse_web(url)
    return f"{parsed.scheme}://{parsed.host}:{parsed.port}" if parsed else ""


def _read(fetched: Fetched) -> _File | None:
    """The file of a response by RFC 9309, except that a failing site counts as open: only single pages are read."""
    if fetched.status >= 500 or fetched.status == 429:
        return None
    is_there = 200 <= fetched.status < 300
    return _File(fetched.body.decode("utf-8", "replace") if is_there else None)


def _decode(value: bytes, age_s: float) -> _File | None:
    """Decode a cache entry; `None` for a malformed one, since a store may hold anything."""
    try:
        entry = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or _FILE not in entry:
        return None
    text = entry[_FILE]
    return _File(text, age_s) if text is None or _is_valid(text) else None


def _is_valid(text: object) -> bool:
    """Whether the text could be a file: a lone surrogate would fail in the parser."""
    if not isinstance(text, str) or len(text) > _MAX_BYTES:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
