"""A few pages, one of each bad end among them; `tests/slow/browser` has many."""

from __future__ import annotations

from tests import realparts
from tests.browser.soaking import leaves_nothing_behind
from tests.doubles import PocketWeb


async def test_nothing_stays_behind_after_pages_that_end_badly(web: PocketWeb) -> None:
    realparts.require("chromium")
    await leaves_nothing_behind(web, 6, bad_one_in=2)
