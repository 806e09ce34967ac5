"""Pauses and browser headers for requests to public SearXNG instances and HTML engines.

The browser versions are those of late 2026; to update them, change the numbers."""

from __future__ import annotations

import asyncio
import math
import random
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dowse.core.errors import Skipped
from dowse.core.models import Clock, Deadline

_PLATFORMS = {
    "Windows": "Windows NT 10.0; Win64; x64",
    "macOS": "Macintosh; Intel Mac OS X 10_15_7",
    "Linux": "X11; Linux x86_64",
}
_CHROME = ((156, "Windows"), (156, "macOS"), (156, "Linux"), (155, "Windows"), (155, "macOS"))
_FIREFOX = ((156, "Windows"), (156, "macOS"), (156, "Linux"), (153, "Windows"), (153, "Linux"))
# Browsers offer codings of which a decoder may hold 16 MiB.
_ANSWERS_AT_ONCE = 2
_SAFARI = ("26.4", "26.3")
PLAIN_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_CHROME_ACCEPT = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
    "application/signed-exchange;v=b3;q=0.7"
)
_NAVIGATION = {
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Site": "none",
    "Sec-Fetch-User": "?1",
}
_LANGUAGE = re.compile(r"(?P<base>[a-z]{2,3})(?:-[a-z0-9]{2,8})?", re.IGNORECASE)
# Spellings of any language.
_NO_LANGUAGE = ("all", "any")


class Manners:
    """Pauses and headers, shared by all of these providers, so that one pause separates any two requests."""

    def __init__(
        self, clock: Clock, chance: random.Random, *, rotates: bool, delay_s: tuple[float, float], user_agent: str
    ) -> None:
        """`rotates` changes the browser headers with each query; otherwise the user agent is sent as given."""
        self._clock = clock
        self._chance = chance
        self._rotates = rotates
        self._delay_s = delay_s
        self._user_agent = user_agent
        self._turn = asyncio.Lock()
        self._answers = asyncio.Semaphore(_ANSWERS_AT_ONCE)
        self._last_s = -max(delay_s)
        self._free_at: dict[str, float] = {}
        self._browser: BrowserProfile | None = None

    async def turn(self) -> None:
        """Wait until a random pause has passed since the last request of any provider."""
        async with self._turn:
            pause_s = self._chance.uniform(*self._delay_s)
            left_s = self._last_s + pause_s - self._clock.now()
            if left_s > 0:
                await self._clock.sleep(left_s)
            self._last_s = self._clock.now()

    async def turn_of(self, provider: str, gap_s: float, deadline: Deadline) -> None:
        """Wait for the next slot of a provider with a gap of its own, then for a turn.

        Raises `Skipped` if the slot comes after the deadline.
        """
        now = self._clock.now()
        start = max(now, self._free_at.get(provider, 0.0))
        if start - now >= deadline.remaining_s():
            raise Skipped(provider, f"its turn would come too late: one request is sent every {gap_s:.0f} s")
        self._free_at[provider] = start + gap_s
        if start > now:
            await self._clock.sleep(start - now)
        await self.turn()

    @asynccontextmanager
    async def answer(self, provider: str, deadline: Deadline) -> AsyncIterator[None]:
        """Request and read an answer, few at a time. Raises `Skipped` at the deadline."""
        try:
            async with asyncio.timeout(deadline.remaining_s()):
                await self._answers.acquire()
        except TimeoutError:
            raise Skipped(provider, "other answers were being read until the deadline") from None
        try:
            yield
        finally:
            self._answers.release()

    def headers(self, *, language: str = "") -> dict[str, str]:
        """Headers of a browser, another than last time; no cookie, no referrer."""
        if not self._rotates:
            return {
                "User-Agent": self._user_agent,
                "Accept": PLAIN_ACCEPT,
                "Accept-Language": accept_language(language),
                "DNT": "1",
            }
        self._browser = self._chance.choice([browser for browser in BROWSERS if browser is not self._browser])
        return self._browser.headers(language)


@dataclass(frozen=True, slots=True)
class BrowserProfile:
    """One browser on one system; `weighs_evenly` is Firefox's way of weighting languages."""

    own: Mapping[str, str]
    weighs_evenly: bool = False

    def headers(self, language: str) -> dict[str, str]:
        """Headers in the browser's order; `Host` and `Accept-Encoding` come from the HTTP session."""
        return {
            **self.own,
            "Accept-Language": accept_language(language, weighs_evenly=self.weighs_evenly),
            "DNT": "1",
            "Upgrade-Insecure-Requests": "1",
            **_NAVIGATION,
        }


def accept_language(language: str, *, weighs_evenly: bool = False) -> str:
    """`Accept-Language` for a language such as `de` or `pt-BR`, and English."""
    written = _LANGUAGE.fullmatch(language)
    if written is None or language.lower() in (*_NO_LANGUAGE, "en"):
        return _weight_languages(["en-US", "en"], weighs_evenly)
    base = written["base"].lower()
    wanted = [language, base] if base == "en" else [language, base, "en-US", "en"]
    return _weight_languages(list(dict.fromkeys(wanted)), weighs_evenly)


def _weight_languages(languages: Sequence[str], weighs_evenly: bool) -> str:
    step = 1 / len(languages) if weighs_evenly else 0.1
    tenths = [math.floor((1 - step * place) * 10 + 0.5) for place in range(len(languages))]
    return ",".join(
        [languages[0], *(f"{each};q=0.{tenth}" for each, tenth in zip(languages[1:], tenths[1:], strict=True))]
    )


def _chrome(version: int, platform: str) -> BrowserProfile:
    return BrowserProfile(
        {
            "sec-ch-ua": brands(version),
            "sec-ch-ua-mobile": "?0",
            "sec-ch-ua-platform": f'"{platform}"',
            "User-Agent": f"Mozilla/5.0 ({_PLATFORMS[platform]}) AppleWebKit/537.36 (KHTML, like Gecko) "
            f"Chrome/{version}.0.0.0 Safari/537.36",
            "Accept": _CHROME_ACCEPT,
        }
    )


def _firefox(version: int, platform: str) -> BrowserProfile:
    system = _PLATFORMS[platform].replace("10_15_7", "10.15")
    agent = f"Mozilla/5.0 ({system}; rv:{version}.0) Gecko/20100101 Firefox/{version}.0"
    return BrowserProfile({"User-Agent": agent, "Accept": PLAIN_ACCEPT}, weighs_evenly=True)


def _safari(version: str) -> BrowserProfile:
    engine = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
    agent = f"Mozilla/5.0 ({_PLATFORMS['macOS']}) {engine} Version/{version} Safari/605.1.15"
    return BrowserProfile({"User-Agent": agent, "Accept": PLAIN_ACCEPT})


def brands(version: int) -> str:
    """`sec-ch-ua` of a Chrome: three brands, one of them invented, in an order given by the version.

    As in `GenerateBrandVersionList` of Chromium's components/embedder_support/user_agent_utils.cc.
    """
    signs, invented_versions = " (:-./);=?_", ("8", "99", "24")
    orders = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
    invented = f"Not{signs[version % len(signs)]}A{signs[(version + 1) % len(signs)]}Brand"
    named = ((invented, invented_versions[version % 3]), ("Chromium", str(version)), ("Google Chrome", str(version)))
    placed = dict(zip(orders[version % len(orders)], named, strict=True))
    return ", ".join(f'"{name}";v="{number}"' for _, (name, number) in sorted(placed.items()))


BROWSERS = (
    *(_chrome(*each) for each in _CHROME),
    *(_firefox(*each) for each in _FIREFOX),
    *map(_safari, _SAFARI),
)
