"""Many pages, a third of which end badly: nothing stays behind, and as many at once as are asked for are read."""

from __future__ import annotations

import os

import pytest

from tests import realparts
from tests.browser.soaking import all_are_read, leaves_nothing_behind
from tests.doubles import PocketWeb

# The figure is 300; every run does a part of that. `SOAK_RENDERS=300` does it all.
RENDERS = int(os.environ.get("SOAK_RENDERS", "60"))
AT_ONCE = 30


@pytest.fixture(autouse=True)
def chromium() -> None:
    realparts.require("chromium")


async def test_nothing_stays_behind_after_many_pages_that_end_badly(web: PocketWeb) -> None:
    await leaves_nothing_behind(web, RENDERS, bad_one_in=3)


async def test_thirty_pages_at_once_are_all_read(web: PocketWeb) -> None:
    await all_are_read(web, AT_ONCE)
