"""The real Chromium from its first page to its end; whatever happened in between, nothing of it is left."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import socket
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dowse.clock import SystemClock
from dowse.errors import PageUnreadable
from dowse.fetch.browser import flags, table
from dowse.fetch.browser import pool as pooling
from dowse.fetch.browser.cdp import BrowserGone, Oversized
from dowse.fetch.browser.failures import BrowserUnavailable
from dowse.fetch.browser.fetcher import BrowserFetcher
from dowse.fetch.browser.launch import Launcher
from dowse.fetch.browser.pool import BrowserPool
from dowse.net.guard import Guard
from tests import realparts
from tests.browser.answering import answering, eventually, read, title
from tests.doubles import PocketWeb
from tests.fakes.browser import PatientClock
from tests.processes import Process, below, chromiums, descriptors


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


@pytest.fixture
def wrapper(tmp_path: Path) -> Callable[[str], str]:
    """A script that does something before it becomes Chromium."""

    def write(*lines: str) -> str:
        path = tmp_path / "wrapper"
        chromium = shlex.quote(shutil.which("chromium") or "")
        path.write_text("\n".join(["#!/bin/sh", f"echo >> {tmp_path}/starts", *lines, f'exec {chromium} "$@"']))
        path.chmod(0o755)
        return str(path)

    return write


def starts(directory: Path) -> int:
    return len((directory / "starts").read_text().splitlines())


def browsers() -> list[Process]:
    """The first process of each browser."""
    return [process for process in below() if process.parent == os.getpid() and "--headless" in process.command]


def environment() -> bytes:
    """The variables of all its processes."""
    everything = b""
    for process in chromiums():
        with contextlib.suppress(OSError):
            everything += Path(f"/proc/{process.pid}/environ").read_bytes()
    return everything


def renderers() -> int:
    return sum(process.is_renderer for process in chromiums())


async def test_pages_share_one_browser_and_nothing_else(proxy: str) -> None:
    async with pooled() as pool, pool.tab(proxy, 60) as first, pool.tab(proxy, 60) as second:
        assert await asyncio.gather(title(first.session), title(second.session)) == ["read", "read"]
        await first.session.call("Runtime.evaluate", expression="document.cookie = 'a=1'; localStorage.b = 2")
        shown = await second.session.call("Runtime.evaluate", expression="document.cookie + localStorage.length")
        assert shown["result"]["value"] == "0"
        assert len(browsers()) == 1
        assert "Chrome" in first.user_agent


async def test_a_browser_that_starts_four_seconds_late_serves_the_first_page(
    proxy: str, wrapper: Callable[[str], str], tmp_path: Path
) -> None:
    """Acceptance case 53: a slow start is waited for, not given up and not repeated."""
    async with pooled(path=wrapper("sleep 4")) as pool:
        assert await read(pool, proxy) == "read"
    assert starts(tmp_path) == 1


async def test_a_browser_that_fails_twice_is_started_a_third_time(
    proxy: str, wrapper: Callable[[str], str], tmp_path: Path
) -> None:
    """Acceptance case 53: the first start is retried with a backoff."""
    fails_twice = f"[ $(wc -l < {tmp_path}/starts) -gt 2 ] || exit 1"
    async with pooled(path=wrapper(fails_twice), backoff_s=0.01) as pool:
        assert await read(pool, proxy) == "read"
    assert starts(tmp_path) == 3


async def test_an_error_of_another_kind_is_not_retried(
    proxy: str, wrapper: Callable[[str], str], tmp_path: Path
) -> None:
    """Acceptance case 53: what cannot work is not tried again."""
    async with pooled(path=wrapper("exec /nowhere/chromium")) as pool:
        with pytest.raises(BrowserUnavailable, match="cannot be executed"):
            await read(pool, proxy)
    assert starts(tmp_path) == 1


async def test_proxies_in_our_environment_change_nothing(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Acceptance case 54: they neither reach Chromium nor disturb us."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://canary-7f3a.invalid:9")
    async with pooled() as pool:
        assert await read(pool, proxy) == "read"
        assert b"HOME=" in environment()
        assert b"canary-7f3a" not in environment()


WEBRTC = """new Promise(resolve => {
    const pc = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:%d"}]});
    pc.onicecandidate = event => event.candidate || resolve("done");
    pc.createDataChannel("x");
    pc.createOffer().then(offer => pc.setLocalDescription(offer));
    setTimeout(resolve, 2000, "still trying");
})"""


@pytest.mark.parametrize("guarded", [True, False])
async def test_web_rtc_sends_nothing_around_the_proxy(
    proxy: str, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    """Not guarded, the packets arrive: otherwise this would prove nothing."""
    if not guarded:
        monkeypatch.setattr(flags, "_CAGED", [flag for flag in flags._CAGED if "webrtc" not in flag])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as canary:
        canary.bind(("127.0.0.1", 0))
        canary.setblocking(False)
        async with pooled() as pool, pool.tab(proxy, 60) as tab:
            await title(tab.session)
            script = WEBRTC % canary.getsockname()[1]
            trying = asyncio.create_task(tab.session.call("Runtime.evaluate", expression=script, awaitPromise=True))
            await eventually(lambda: trying.done() or was_touched(canary))
            if trying.done():
                trying.result()
            trying.cancel()
        assert was_touched(canary) is not guarded


def was_touched(canary: socket.socket) -> bool:
    try:
        return bool(canary.recv(2000, socket.MSG_PEEK))
    except BlockingIOError:
        return False


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV])
async def test_a_browser_that_is_killed_or_crashes_costs_the_open_page_only(proxy: str, how: signal.Signals) -> None:
    async with pooled() as pool:
        async with pool.tab(proxy, 60) as tab:
            os.kill(browsers()[0].pid, how)
            async with asyncio.timeout(10):
                await tab.session.wait_gone()
            with pytest.raises(BrowserGone):
                await title(tab.session)
        assert await read(pool, proxy) == "read"
        await eventually(lambda: not [process for process in chromiums() if process.is_zombie])


async def test_a_browser_that_can_start_no_process_for_a_page_is_replaced() -> None:
    async with PocketWeb() as web, pooled() as pool:
        fetcher = BrowserFetcher(pool, Guard((f"127.0.0.1:{web.port}",)), user_agent="dowse/test", max_bytes=1_000_000)
        page = web.page("/app")
        await fetcher.fetch(page, timeout_s=20)
        for process in chromiums():
            if "--type=zygote" in process.command:
                os.kill(process.pid, signal.SIGKILL)
        # Tried twice, and given up; at the third crash the next one gets another browser.
        with pytest.raises(PageUnreadable, match="the browser crashed"):
            await fetcher.fetch(page, timeout_s=20)
        await fetcher.fetch(page, timeout_s=20)


async def test_a_page_whose_process_dies_costs_nobody_else_anything(proxy: str) -> None:
    async with pooled() as pool, pool.tab(proxy, 60) as other:
        async with pool.tab(proxy, 60) as tab:
            await title(tab.session)
            crashed = asyncio.Event()
            tab.session.on("Inspector.targetCrashed", lambda _: crashed.set())
            crash = asyncio.create_task(tab.session.call("Page.navigate", url="chrome://crash"))
            async with asyncio.timeout(20):
                await crashed.wait()
            crash.cancel()
        assert await title(other.session) == "read"
        assert len(browsers()) == 1


ANSWER = "'x'.repeat(65e6)"
REQUEST = "fetch('/', {method: 'POST', body: 'x'.repeat(2e6)})"
NEWS = "fetch('data:,' + 'x'.repeat(2e6)).then(() => 1)"


@pytest.mark.parametrize(("script", "is_given_up"), [(ANSWER, True), (REQUEST, True), (NEWS, False)])
async def test_a_page_that_says_too_much_costs_nobody_else_anything(proxy: str, script: str, is_given_up: bool) -> None:
    async with pooled() as pool, pool.tab(proxy, 60) as other:
        async with pool.tab(proxy, 60) as tab:
            call = tab.session.call
            await title(tab.session)
            await asyncio.gather(call("Network.enable"), call("Fetch.enable"))
            async with asyncio.timeout(20):
                with pytest.raises(Oversized) if is_given_up else contextlib.nullcontext():
                    await call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert await title(other.session) == "read"
        assert len(browsers()) == 1


async def test_a_script_without_end_dies_with_its_tab(proxy: str) -> None:
    async with pooled() as pool:
        await read(pool, proxy)
        await eventually(lambda: not renderers())
        async with pool.tab(proxy, 60) as tab:
            looping = asyncio.create_task(tab.session.call("Runtime.evaluate", expression="while (true) {}"))
            await asyncio.wait([looping], timeout=0.5)
        # Nobody has waited for its end.
        assert renderers()
        looping.cancel()
        await eventually(lambda: not renderers())
        assert await read(pool, proxy) == "read"
        assert len(browsers()) == 1


async def test_a_worn_out_browser_gives_way_to_a_new_one(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooling, "_PAGES_PER_BROWSER", 2)
    async with pooled() as pool:
        async with pool.tab(proxy, 60) as tab:
            first = browsers()[0].pid
            async with asyncio.timeout(20):
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
                "globalThis.taken = Array.from({length: 7}, () => new Uint8Array(1e8).fill(1)); new Promise(() => 0)"
            )
            async with asyncio.timeout(20):
                with pytest.raises(BrowserGone):
                    await tab.session.call("Runtime.evaluate", expression=takes, awaitPromise=True)
        assert await read(pool, proxy) == "read"


async def test_the_memory_of_the_whole_browser_is_known(proxy: str) -> None:
    """What a page takes shows, though it lives in a process of its own below the browser."""
    async with pooled() as pool, pool.tab(proxy, 60) as tab:
        before = table.group_memory_bytes(browsers()[0].pid)
        await tab.session.call("Runtime.evaluate", expression="globalThis.taken = new Uint8Array(2e8).fill(1); 1")
        taken = table.group_memory_bytes(browsers()[0].pid) - before
        assert 150_000_000 < taken < 1_000_000_000


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
