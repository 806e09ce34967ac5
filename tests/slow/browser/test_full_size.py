"""Bounds of the browser at their real size and in their real time; `tests/browser` has smaller ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from dowse.core.runtime import SystemClock
from dowse.fetch.browser.launch import Launcher
from dowse.fetch.browser.pool import BrowserPool
from tests import realparts
from tests.browser.answering import answering, read, starts, wrapped_chromium
from tests.browser.conftest import Reading
from tests.browser.test_browser_tabs import says_too_much
from tests.browser.test_page_rest import requests_without_end_are_not_waited_for
from tests.browser.test_page_text import (
    elements_of_any_size_do_not_hide_the_others,
    is_too_large_and_harms_no_other,
    oversized,
)
from tests.browser.test_page_ways import a_page_without_requests_left_leads_nowhere

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHARS = 70_000_000
REQUESTS = 6000


@pytest.mark.parametrize("script", oversized(CHARS))
async def test_more_than_a_browser_can_say_at_once_is_too_large_and_harms_no_other_page(
    reading: Reading, script: str
) -> None:
    await is_too_large_and_harms_no_other(reading, "/page", script)


async def test_elements_of_any_size_do_not_hide_the_others(reading: Reading) -> None:
    await elements_of_any_size_do_not_hide_the_others(reading, CHARS)


async def test_a_page_that_says_too_much_costs_no_other_page_anything(reading: Reading) -> None:
    async with answering() as proxy:
        await says_too_much(reading.pool, proxy, f"'x'.repeat({CHARS})", True)


async def test_requests_without_end_are_not_waited_for(reading: Reading) -> None:
    await requests_without_end_are_not_waited_for(reading, REQUESTS)


async def test_a_page_without_requests_left_leads_nowhere(reading: Reading) -> None:
    await a_page_without_requests_left_leads_nowhere(reading, REQUESTS)


@pytest.mark.promise("case-53")
async def test_a_browser_that_starts_four_seconds_late_serves_the_first_page(tmp_path: Path) -> None:
    """Acceptance case 53: a slow start is waited for, not given up and not repeated."""
    realparts.require("chromium")
    clock = SystemClock()
    pool = BrowserPool(Launcher(clock, path=wrapped_chromium(tmp_path, "sleep 4")), clock)
    async with answering() as proxy:
        assert await read(pool, proxy) == "read"
        await pool.close()
    assert starts(tmp_path) == 1
