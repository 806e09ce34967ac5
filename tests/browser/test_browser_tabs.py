"""Tabs of one real Chromium: they share nothing, and whatever becomes of one, the others and the browser go on."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from dowse.core.runtime import SystemClock
from dowse.fetch.browser import cdp, process
from dowse.fetch.browser.cdp import Oversized
from dowse.fetch.browser.launch import Launcher
from dowse.fetch.browser.pool import BrowserPool
from tests import realparts
from tests.browser.answering import answering, browsers, eventually, reached_by_web_rtc, read, renderers, title
from tests.processes import chromiums

pytestmark = pytest.mark.asyncio(loop_scope="module")

BOUND_S = 60


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[BrowserPool]:
    """One for all tests of the module; no process and no profile is left of its browser."""
    realparts.require("chromium")
    with pytest.MonkeyPatch.context() as patching, tempfile.TemporaryDirectory(prefix="t-") as directory:
        patching.setattr(tempfile, "tempdir", directory)
        clock = SystemClock()
        pool = BrowserPool(Launcher(clock), clock, max_pages=4)
        yield pool
        await pool.close()
        assert chromiums() == []
        assert not any(os.scandir(directory))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy() -> AsyncIterator[str]:
    async with answering() as address:
        yield address


async def test_pages_share_one_browser_and_nothing_else(pool: BrowserPool, proxy: str) -> None:
    async with pool.tab(proxy, BOUND_S) as first, pool.tab(proxy, BOUND_S) as second:
        assert await asyncio.gather(title(first.session), title(second.session)) == ["read", "read"]
        await first.session.call("Runtime.evaluate", expression="document.cookie = 'a=1'; localStorage.b = 2")
        shown = await second.session.call("Runtime.evaluate", expression="document.cookie + localStorage.length")
        assert shown["result"]["value"] == "0"
        assert len(browsers()) == 1
        assert "Chrome" in first.user_agent


async def test_web_rtc_sends_nothing_around_the_proxy(pool: BrowserPool, proxy: str) -> None:
    """`test_browser_life.py` has the control: without the flag packets arrive."""
    async with pool.tab(proxy, BOUND_S) as tab:
        await title(tab.session)
        assert not await reached_by_web_rtc(tab.session)


async def test_a_page_whose_process_dies_costs_no_other_page_anything(pool: BrowserPool, proxy: str) -> None:
    async with pool.tab(proxy, BOUND_S) as other:
        async with pool.tab(proxy, BOUND_S) as tab:
            await title(tab.session)
            crashed = asyncio.Event()
            tab.session.on("Inspector.targetCrashed", lambda _: crashed.set())
            crash = asyncio.create_task(tab.session.call("Page.navigate", url="chrome://crash"))
            async with asyncio.timeout(BOUND_S):
                await crashed.wait()
            crash.cancel()
        assert await title(other.session) == "read"
        assert len(browsers()) == 1


ANSWER = "'x'.repeat(6_500_000)"
REQUEST = "fetch('/', {method: 'POST', body: 'x'.repeat(2e6)})"
NEWS = "fetch('data:,' + 'x'.repeat(2e6)).then(() => 1)"


@pytest.mark.parametrize(("script", "is_given_up"), [(ANSWER, True), (REQUEST, True), (NEWS, False)])
async def test_a_page_that_says_too_much_costs_no_other_page_anything(
    pool: BrowserPool, proxy: str, monkeypatch: pytest.MonkeyPatch, script: str, is_given_up: bool
) -> None:
    """The bound on answers is a tenth of what it is: `tests/slow/browser` has the whole."""
    monkeypatch.setattr(cdp, "_LARGEST_ANSWER", 6_400_000)
    await says_too_much(pool, proxy, script, is_given_up)


async def says_too_much(pool: BrowserPool, proxy: str, script: str, is_given_up: bool) -> None:
    async with pool.tab(proxy, BOUND_S) as other:
        async with pool.tab(proxy, BOUND_S) as tab:
            call = tab.session.call
            await title(tab.session)
            await asyncio.gather(call("Network.enable"), call("Fetch.enable"))
            async with asyncio.timeout(BOUND_S):
                with pytest.raises(Oversized) if is_given_up else contextlib.nullcontext():
                    await call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert await title(other.session) == "read"
        assert len(browsers()) == 1


async def test_a_script_without_end_dies_with_its_tab(pool: BrowserPool, proxy: str) -> None:
    await read(pool, proxy)
    await eventually(lambda: not renderers())
    async with pool.tab(proxy, BOUND_S) as tab:
        looping = asyncio.create_task(tab.session.call("Runtime.evaluate", expression="while (true) {}"))
        await asyncio.wait([looping], timeout=0.5)
    # The tab is left without waiting for the end of its process.
    assert renderers()
    looping.cancel()
    await eventually(lambda: not renderers())
    assert await read(pool, proxy) == "read"
    assert len(browsers()) == 1


async def test_the_memory_of_the_whole_browser_is_known(pool: BrowserPool, proxy: str) -> None:
    """What a page takes shows, though it lives in a process of its own below the browser."""
    async with pool.tab(proxy, BOUND_S) as tab:
        before = process.group_memory_bytes(browsers()[0].pid)
        await tab.session.call("Runtime.evaluate", expression="globalThis.taken = new Uint8Array(2e8).fill(1); 1")
        taken = process.group_memory_bytes(browsers()[0].pid) - before
        assert 150_000_000 < taken < 1_000_000_000
