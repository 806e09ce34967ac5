"""Where the main frame may go: to what was asked for, its redirects, and then a few pages that its scripts lead to."""

from __future__ import annotations

from dowse.core import urls
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import PageBudget

# Sites lead on by script for consent, language or login; more than this is a loop.
_MOST_NAVIGATIONS = 5
# As many as Chromium itself follows.
_MOST_HOPS = 20
# They are part of the page that made them.
_OWN_FRAMES = ("data:", "blob:", "about:")


class TooFar(Exception):
    """The page has led on often enough; it stays where it is."""


class Journey:
    """The navigations of one page, each told before its request leaves the browser.

    What was asked for, and its redirects, may be on pairs that the operator opened. What a script leads to may be so
    only if the page of the script is. `is_remote` is for a browser behind no proxy of ours: addresses are looked up
    here, which guards less, since that browser looks them up again.
    """

    def __init__(self, guard: Guard, leash: PageBudget, *, is_remote: bool = False) -> None:
        self._guard = guard
        self._leash = leash
        self._is_remote = is_remote
        self._navigation = ""
        self._navigations = self._hops = 0
        self._is_opened = False

    async def goes_to(self, url: str, navigation: str) -> None:
        """One more request of the main frame; redirects have their navigation's id. Raises `WireError` or `TooFar`."""
        self._hops += 1
        if navigation != self._navigation:
            self._navigation = navigation
            self._navigations += 1
        if self._navigations > 1 + _MOST_NAVIGATIONS or self._hops > _MOST_HOPS:
            raise TooFar
        may_enter = self._navigations == 1 or self._is_opened
        rules = self._guard if may_enter else self._guard.stranger
        target = rules.judge(url)
        if self._is_remote or self._hops > 1:
            # What was asked for is looked up by then. What it leads to is denied here, before the proxy has to.
            await rules.resolve(target)
        if self._guard.opens(target) and not may_enter:
            # The leash stays as it is: its proxy serves the page only if it is a public one in spite of the list.
            return
        self._is_opened = self._guard.opens(target)
        self._leash.moves_to(url)

    def may_frame(self, url: str) -> bool:
        """Whether the page may show this in a frame. A public page there would use what is open to this one."""
        if not self._is_opened or url.startswith(_OWN_FRAMES):
            return True
        target = urls.parse(url)
        return target is not None and self._guard.opens(target)
