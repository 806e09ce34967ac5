"""Has a page read by the scrape APIs, one after the other; which pages they may be told of is the guard's matter."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.errors import AllProvidersFailed
from dowse.interfaces import Discretion, PageReader
from dowse.models import Attempt, Deadline, Text
from dowse.routing.router import Router


@dataclass(frozen=True, slots=True)
class Scraped:
    """What came of it: a text and whose it is, or none; the attempts; and what the caller should know."""

    text: Text | None = None
    engine: str = ""
    attempts: tuple[Attempt, ...] = ()
    warnings: tuple[str, ...] = ()


class ScrapeChain:
    """The APIs in order. Somebody else reads the page when it gives nothing, and has to be left the time."""

    def __init__(self, router: Router[PageReader], discretion: Discretion) -> None:
        self._router = router
        self._discretion = discretion

    async def read(self, url: str, deadline: Deadline, *, kept_s: float) -> Scraped:
        """A text, or none and why; raises nothing of its own. `kept_s` is what the next reader needs, if it can be."""
        address = await self._discretion.for_others(url)
        if not address:
            return Scraped()

        async def ask(reader: PageReader, until: Deadline) -> Text:
            return await reader.read(address, until)

        try:
            routed = await self._router.first_answer(ask, self._own(deadline, kept_s))
        except AllProvidersFailed as error:
            return Scraped(attempts=error.attempts, warnings=error.warnings)
        return Scraped(routed.answer, routed.provider, routed.attempts, routed.warnings)

    def _own(self, deadline: Deadline, kept_s: float) -> Deadline:
        """The time without what is kept; in a hurry the next reader gets an equal share."""
        left_s = deadline.remaining_s()
        return deadline.capped(left_s - min(kept_s, left_s / (len(self._router.providers) + 1)))
