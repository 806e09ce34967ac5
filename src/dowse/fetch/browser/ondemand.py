"""Lazy browser fetcher: imported and started when a page first needs it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dowse.core.errors import NoBrowser
from dowse.core.models import Body, Clock, Text
from dowse.fetch.browser import NAME
from dowse.net.clients import ConfiguredClient
from dowse.net.guard import Guard
from dowse.settings import Settings

if TYPE_CHECKING:
    from dowse.fetch.browser.browser import BrowserLauncher
    from dowse.fetch.browser.fetcher import BrowserFetcher
    from dowse.fetch.browser.pool import BrowserPool

# Proxy of an empty tab: port 1 of loopback, where nothing listens.
_NO_PROXY = "127.0.0.1:1"


@dataclass(slots=True)
class _Parts:
    pool: BrowserPool
    fetcher: BrowserFetcher


class BrowserOnDemand:
    """Implements `protocols.Fetcher` with the browser of the settings."""

    name = NAME

    def __init__(
        self, settings: Settings, guard: Guard, client: ConfiguredClient, clock: Clock, *, user_agent: str
    ) -> None:
        """`client` connects to a remote browser, whose address is one of the settings; its proxy serves pages too."""
        self._settings = settings
        self._guard = guard
        self._client = client
        self._clock = clock
        self._user_agent = user_agent

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
        return await self._parts.fetcher.fetch(url, timeout_s=timeout_s, known=known)

    async def start(self) -> str:
        """Start the browser and return its user agent; raises `NoBrowser`."""
        from dowse.fetch.browser.cdp import BrowserBusy, BrowserGone, BrowserUnavailable

        try:
            async with self._parts.pool.tab(_NO_PROXY, self._settings.browser_timeout_s) as tab:
                return tab.user_agent
        except (BrowserUnavailable, BrowserBusy) as error:
            raise NoBrowser(NAME, str(error)) from error
        except (BrowserGone, TimeoutError) as error:
            raise NoBrowser(NAME, "it ended, or did not answer in time") from error

    async def close(self) -> None:
        """End the browser, if it was started."""
        if "_parts" in self.__dict__:
            await self._parts.pool.close()

    @cached_property
    def _parts(self) -> _Parts:
        from dowse.fetch.browser.fetcher import BrowserFetcher
        from dowse.fetch.browser.pool import BrowserPool

        pool = BrowserPool(self._launch(), self._clock, max_pages=self._settings.browser_max_pages)
        size = self._settings.max_content_size
        agent, upstream = self._user_agent, self._client.proxy
        return _Parts(pool, BrowserFetcher(pool, self._guard, user_agent=agent, max_bytes=size, upstream=upstream))

    def _launch(self) -> BrowserLauncher:
        settings = self._settings
        if settings.browser_url is not None:
            from dowse.fetch.browser.remote import RemoteLauncher

            return RemoteLauncher(settings.browser_url, self._client, ready_timeout_s=settings.browser_ready_timeout_s)
        from dowse.fetch.browser.launch import Launcher

        return Launcher(
            self._clock,
            path=settings.browser_path,
            sandbox=settings.browser_sandbox,
            ready_timeout_s=settings.browser_ready_timeout_s,
            attempts=settings.browser_retry_attempts,
            backoff_s=settings.browser_retry_backoff_s,
            snap_multiplier=settings.browser_snap_multiplier,
        )
