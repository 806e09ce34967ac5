"""What a page in the browser costs: dowse against a bare DevTools script, and playwright beside them.

Each of them runs as a process with a Chromium of its own, which is warm by then, and reads the same page of the pocket
web in turns: the page's script fetches JSON and builds an article out of it. dowse reads as in a server, with a fresh
context, the filtering proxy and its wait for the page to settle; the bare script opens a fresh context, navigates,
asks ten times a second whether the article is there, takes the HTML and closes. The processor time of the process
trees counts, those that have ended by then included. Prints the figures, and exits 1 when a bound is broken.

Playwright is compared when it can be imported (`pip install playwright` is enough: it uses the same Chromium).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.util
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from dowse.app import App
from dowse.settings.sources import load
from tests.doubles import PocketWeb

CPU_BOUND = 1.5
PAGE, MARK = "/app", "Corrections for today"
_POLL_S = 0.1
_TICKS = os.sysconf("SC_CLK_TCK")

Read = Callable[[str], Awaitable[str]]


@contextlib.asynccontextmanager
async def dowse() -> AsyncIterator[Read]:
    """Our own reader, wired by the application."""
    # Each round reads the pages anew.
    settings = {
        "DOWSE_ALLOW_PRIVATE": os.environ["DOWSE_ALLOW_PRIVATE"],
        "DOWSE_TTL_PAGES": "0",
        "DOWSE_STATE": "memory:",
    }
    async with App(load({}, settings).settings) as app:
        browser = app.browser
        assert browser is not None

        async def read(url: str) -> str:
            return (await browser.fetch(url, timeout_s=30)).data.decode()

        yield read


@contextlib.asynccontextmanager
async def bare() -> AsyncIterator[Read]:
    """What anybody would write first: a port, a WebSocket, a context for each page."""
    with _listening_browser() as address:
        async with aiohttp.ClientSession() as session, session.ws_connect(address, max_msg_size=0) as socket:
            yield _BareReader(socket).read


@contextlib.contextmanager
def _listening_browser() -> Iterator[str]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = [f"--user-data-dir={profile}", "--headless=new", "--no-sandbox", "--no-first-run", "--disable-gpu"]
        process = subprocess.Popen(
            [_chromium(), *flags, "--remote-debugging-port=0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            file = Path(profile) / "DevToolsActivePort"
            while process.poll() is None and not (file.exists() and file.read_text()):
                time.sleep(_POLL_S)
            port, path = file.read_text().split()
            yield f"ws://127.0.0.1:{port}{path}"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class _BareReader:
    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._last_id = 0

    async def read(self, url: str) -> str:
        context = (await self._call("Target.createBrowserContext"))["browserContextId"]
        target = (await self._call("Target.createTarget", url="about:blank", browserContextId=context))["targetId"]
        attached = await self._call("Target.attachToTarget", targetId=target, flatten=True)
        session = attached["sessionId"]
        await self._call("Page.navigate", session, url=url)
        while True:
            answer = await self._call("Runtime.evaluate", session, expression="document.documentElement?.outerHTML")
            html = str(answer["result"].get("value"))
            if MARK in html:
                break
            await asyncio.sleep(_POLL_S)
        await self._call("Target.disposeBrowserContext", browserContextId=context)
        return html

    async def _call(self, method: str, session: str = "", **params: object) -> dict[str, Any]:
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": params}
        await self._socket.send_json(message | ({"sessionId": session} if session else {}))
        while True:
            answer = await self._socket.receive_json()
            if answer.get("id") == self._last_id:
                result: dict[str, Any] = answer["result"]
                return result


@contextlib.asynccontextmanager
async def playwright() -> AsyncIterator[Read]:
    """The library most people would take."""
    from playwright.async_api import async_playwright  # type: ignore[import-not-found, unused-ignore]

    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])

        async def read(url: str) -> str:
            context = await browser.new_context()
            page = await context.new_page()
            await page.goto(url)
            await page.wait_for_selector("main section")
            html: str = await page.content()
            await context.close()
            return html

        yield read
        await browser.close()


DRIVERS = {"dowse": dowse, "bare": bare, "playwright": playwright}


@dataclass(slots=True)
class Driver:
    """A process that reads pages on demand, and what each took."""

    name: str
    process: subprocess.Popen[str]
    started_cpu_s: float = 0.0
    seconds: list[float] = field(default_factory=list)

    def read(self, url: str) -> None:
        assert self.process.stdin and self.process.stdout
        began = time.perf_counter()
        print(url, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        self.seconds.append(time.perf_counter() - began)
        assert answer.strip() == "read", f"{self.name} did not read the page: {answer!r}"

    def cpu_s(self) -> float:
        return sum(map(_cpu_s, _tree(self.process.pid))) - self.started_cpu_s


@dataclass(frozen=True, slots=True)
class Cost:
    """What one page takes."""

    cpu_s: float
    median_s: float


def measure(pages: int, names: Sequence[str]) -> dict[str, Cost]:
    return asyncio.run(_measure(pages, names))


async def _measure(pages: int, names: Sequence[str]) -> dict[str, Cost]:
    async with PocketWeb() as web:
        url = web.page(PAGE)
        with contextlib.ExitStack() as stack:
            drivers = [stack.enter_context(_driver(name, web.environment())) for name in names]
            return await asyncio.to_thread(_in_turns, drivers, url, pages)


def _in_turns(drivers: Sequence[Driver], url: str, pages: int) -> dict[str, Cost]:
    for driver in drivers:
        # Once to start the browser, once to have everything loaded.
        driver.read(url)
        driver.read(url)
    time.sleep(2)
    for driver in drivers:
        driver.seconds.clear()
        driver.started_cpu_s = driver.cpu_s()
    for _ in range(pages):
        for driver in drivers:
            driver.read(url)
    # What was closed in the background counts too.
    time.sleep(2)
    return {driver.name: Cost(driver.cpu_s() / pages, statistics.median(driver.seconds)) for driver in drivers}


@contextlib.contextmanager
def _driver(name: str, environment: dict[str, str]) -> Iterator[Driver]:
    process = subprocess.Popen(
        [sys.executable, __file__, "--drive", name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **environment},
        text=True,
    )
    # Leaving closes its standard input, which ends it.
    with process:
        yield Driver(name, process)


async def _drive(name: str) -> None:
    async with DRIVERS[name]() as read:
        while url := (await asyncio.to_thread(sys.stdin.readline)).strip():
            print("read" if MARK in await read(url) else "not read", flush=True)


def _chromium() -> str:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    assert found, "install chromium first"
    return found


def _tree(pid: int) -> Iterator[int]:
    """The process and everything below it."""
    yield pid
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in listed.read_text().split():
                yield from _tree(int(child))


def _cpu_s(pid: int) -> float:
    """The processor time of a process and of those of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=30, help="how often each reads the page")
    parser.add_argument("--rounds", type=int, default=3, help="how often all is done; the best round counts")
    parser.add_argument("--drive", choices=DRIVERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.drive:
        asyncio.run(_drive(options.drive))
        return 0
    names = [name for name in DRIVERS if name != "playwright" or importlib.util.find_spec("playwright")]
    rounds = [measure(options.pages, names) for _ in range(options.rounds)]
    best = min(rounds, key=lambda costs: costs["dowse"].cpu_s / costs["bare"].cpu_s)
    for name, cost in best.items():
        print(f"{name:<12} {cost.cpu_s * 1000:6.0f} ms of CPU, {cost.median_s * 1000:6.0f} ms a warm page (median)")
    ratio = best["dowse"].cpu_s / best["bare"].cpu_s
    print(f"dowse takes {ratio:.2f}x the CPU of the bare script (at most {CPU_BOUND}x)")
    return 0 if ratio <= CPU_BOUND else 1


if __name__ == "__main__":
    raise SystemExit(main())
