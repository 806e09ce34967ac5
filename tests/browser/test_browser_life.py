"""The real Chromium from its first page to its end; whatever happened in between, nothing of it is left."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.runtime import SystemClock
from dowse.fetch.browser import command_line
from dowse.fetch.browser import pool as pooling
from dowse.fetch.browser.cdp import BrowserGone, BrowserUnavailable
from dowse.fetch.browser.fetcher import BrowserFetcher
from dowse.fetch.browser.launch import Launcher
from dowse.fetch.browser.pool import BrowserPool
from dowse.net.guard import Guard
from tests import realparts
from tests.browser.answering import (
    answering,
    browsers,
    eventually,
    reached_by_web_rtc,
    read,
    starts,
    title,
    wrapped_chromium,
)
from tests.doubles import PocketWeb
from tests.fakes.browser import PatientClock
from tests.processes import below, chromiums, descriptors


@pytest.fixture(autouse=True)
def nothing_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No process, zombie, profile or descriptor."""
    realparts.require("chromium")
    with tempfile.TemporaryDirectory(prefix="t-") as directory:
        monkeypatch.setattr(tempfile, "tempdir", directory)
        yield
        assert chromiums() == []
        assert list(Path(directory).iterdir()) == []


@pytest.fixture(autouse=True)
async def no_descriptor_stays() -> AsyncIterator[None]:
    before = Counter(descriptors())
    yield
    assert Counter(descriptors()) - before == Counter()


@pytest.fixture
async def proxy() -> AsyncIterator[str]:
    async with answering() as address:
        yield address


@asynccontextmanager
async def pooled(clock: SystemClock | PatientClock | None = None, **options: Any) -> AsyncIterator[BrowserPool]:
    clock = clock or SystemClock()
    pool = BrowserPool(Launcher(clock, **options), clock, max_pages=4)
    try:
        yield pool
    finally:
        await pool.close()


def environment() -> bytes:
    """The variables of all its processes."""
    everything = b""
    for process in chromiums():
        with contextlib.suppress(OSError):
            everything += Path(f"/proc/{process.pid}/environ").read_bytes()
    return everything


@pytest.mark.promise("case-53")
async def test_a_browser_that_fails_twice_is_started_a_third_time(proxy: str, tmp_path: Path) -> None:
    """Acceptance case 53: the first start is retried with a backoff."""
    fails_twice = f"[ $(wc -l < {tmp_path}/starts) -gt 2 ] || exit 1"
    async with pooled(path=wrapped_chromium(tmp_path, fails_twice), backoff_s=0.01) as pool:
        assert await read(pool, proxy) == "read"
    assert starts(tmp_path) == 3


@pytest.mark.promise("case-53")
async def test_an_error_of_another_kind_is_not_retried(proxy: str, tmp_path: Path) -> None:
    """Acceptance case 53: what cannot work is not tried again."""
    async with pooled(path=wrapped_chromium(tmp_path, "exec /nowhere/chromium")) as pool:
        with pytest.raises(BrowserUnavailable, match="cannot be executed"):
            await read(pool, proxy)
    assert starts(tmp_path) == 1


@pytest.mark.promise("case-54")
async def test_proxies_in_our_environment_change_nothing(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Acceptance case 54: they neither reach Chromium nor disturb us."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://canary-7f3a.invalid:9")
    async with pooled() as pool:
        assert await read(pool, proxy) == "read"
        assert b"HOME=" in environment()
        assert b"canary-7f3a" not in environment()


async def test_control_without_its_flag_web_rtc_sends_packets_around_the_proxy(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the silence in `test_browser_tabs.py` would prove nothing."""
    monkeypatch.setattr(command_line, "_CAGED", [flag for flag in command_line._CAGED if "webrtc" not in flag])
    async with pooled() as pool, pool.tab(proxy, 60) as tab:
        await title(tab.session)
        assert await reached_by_web_rtc(tab.session)


async def test_a_browser_that_is_killed_or_crashes_costs_the_open_page_only(proxy: str) -> None:
    async with pooled() as pool:
        for how in (signal.SIGKILL, signal.SIGSEGV):
            async with pool.tab(proxy, 60) as tab:
                os.kill(browsers()[0].pid, how)
                async with asyncio.timeout(60):
                    await tab.session.wait_gone()
                with pytest.raises(BrowserGone):
                    await title(tab.session)
            assert await read(pool, proxy) == "read", how
            await eventually(lambda: not [process for process in chromiums() if process.is_zombie])


async def test_a_browser_that_can_start_no_process_for_a_page_is_replaced() -> None:
    async with PocketWeb() as web, pooled() as pool:
        fetcher = BrowserFetcher(pool, Guard((f"127.0.0.1:{web.port}",)), user_agent="dowse/test", max_bytes=1_000_000)
        page = web.page("/app")
        await fetcher.fetch(page, timeout_s=60)
        first = browsers()[0].pid
        for process in chromiums():
            if "--type=zygote" in process.command:
                os.kill(process.pid, signal.SIGKILL)
        # Tried twice and given up, unless Chromium exits by itself; after the third crash there is another browser.
        try:
            await fetcher.fetch(page, timeout_s=60)
        except PageUnreadable as error:
            assert "the browser crashed" in str(error)
        await fetcher.fetch(page, timeout_s=60)
        assert first not in [process.pid for process in browsers()]


async def test_a_worn_out_browser_gives_way_to_a_new_one(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooling, "_PAGES_PER_BROWSER", 2)
    async with pooled() as pool:
        async with pool.tab(proxy, 60) as tab:
            first = browsers()[0].pid
            async with asyncio.timeout(60):
                while len(browsers()) == 1:
                    assert await read(pool, proxy) == "read"
            assert await title(tab.session) == "read"
        # Its helpers are ours for a moment, before they are reaped.
        await eventually(lambda: first not in [process.pid for process in below()] and len(browsers()) == 1)


async def test_a_page_that_takes_memory_without_end_is_ended_with_its_browser(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it takes is no part of JavaScript's own heap, which Chromium bounds by itself."""
    monkeypatch.setattr(pooling, "_FAR_TOO_MUCH_MEMORY_BYTES", 600_000_000)
    monkeypatch.setattr(pooling, "_MEMORY_CHECK_S", 0.05)
    async with pooled() as pool:
        async with pool.tab(proxy, 60) as tab:
            assert await title(tab.session) == "read"
            takes = (
                "globalThis.taken = Array.from({length: 7}, () => new Uint8Array(1e8).fill(1));"
                # A promise that nothing refers to may be collected, which ends the command.
                "globalThis.never = new Promise(() => 0)"
            )
            async with asyncio.timeout(60):
                with pytest.raises(BrowserGone):
                    await tab.session.call("Runtime.evaluate", expression=takes, awaitPromise=True)
        assert await read(pool, proxy) == "read"


async def test_an_idle_browser_is_ended(proxy: str) -> None:
    clock = PatientClock()
    async with pooled(clock) as pool:
        await read(pool, proxy)
        await eventually(lambda: clock.slept.count(300) == 2)
        clock.advance(301)
        await eventually(lambda: not chromiums())
        assert await read(pool, proxy) == "read"


async def test_closing_ends_an_open_page_with_everything_else(proxy: str) -> None:
    async with pooled() as pool, pool.tab(proxy, 60) as tab:
        await title(tab.session)
        await pool.close()
        assert not chromiums()
        with pytest.raises(BrowserGone):
            await title(tab.session)


async def test_closing_in_the_middle_of_a_start_leaves_nothing(proxy: str) -> None:
    async with pooled() as pool:
        reading = asyncio.create_task(read(pool, proxy))
        await eventually(chromiums)
        await pool.close()
        with pytest.raises(BrowserGone):
            await reading
