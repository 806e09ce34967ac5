"""How public instances and engines that have no API are asked: never in a hurry, and without telling who asks."""

from __future__ import annotations

import asyncio
import random

from dowse.core.models import Clock
from dowse.providers.user_agents import BROWSERS, PLAIN_ACCEPT, Browser, accept_language


class Manners:
    """Shared by all that are asked politely, so that the pause between two requests is one for all of them."""

    def __init__(self, clock: Clock, *, rotates: bool, delay_s: tuple[float, float], user_agent: str) -> None:
        """`rotates` for the headers of another browser each time; else the user agent is said as it is."""
        self._clock = clock
        self._rotates = rotates
        self._delay_s = delay_s
        self._user_agent = user_agent
        self._turn = asyncio.Lock()
        self._last_s = -max(delay_s)
        self._browser: Browser | None = None

    async def turn(self) -> None:
        """Returns when a request may leave: a random pause after the last one, whoever that was for."""
        async with self._turn:
            pause_s = random.uniform(*self._delay_s)
            left_s = self._last_s + pause_s - self._clock.now()
            if left_s > 0:
                await self._clock.sleep(left_s)
            self._last_s = self._clock.now()

    def headers(self, *, language: str = "") -> dict[str, str]:
        """What one browser would send, another one than last time; no cookie, no referrer, nothing of ours."""
        if not self._rotates:
            return {
                "User-Agent": self._user_agent,
                "Accept": PLAIN_ACCEPT,
                "Accept-Language": accept_language(language),
                "DNT": "1",
            }
        self._browser = random.choice([browser for browser in BROWSERS if browser is not self._browser])
        return self._browser.headers(language)
