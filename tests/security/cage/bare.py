"""The control: a Chromium without a cage, which opens the same pages and is seen to touch what it should not."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress

from dowse.fetch.browser.cdp import CdpSession, CommandFailed, Connection, Params
from dowse.fetch.browser.process import Chromium
from tests.security.cage.means import BUTTON, MEANS, MOVES, SCRIPTS, pages
from tests.security.cage.site import EACH, address, touch

_FLAGS = (
    *("--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--disable-gpu"),
    # Somebody may have allowed them.
    "--disable-popup-blocking",
    "--ignore-certificate-errors",
    # What makes a plain http page a secure context, as https would: service workers and WebTransport need one.
    "--unsafely-treat-insecure-origin-as-secure=http://page.example",
    # Chromium's own, newer lock between the web and the local network; nothing that dowse would rely on.
    "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebRTC",
    "--host-resolver-rules=MAP page.example 93.184.216.34, MAP second.example 93.184.216.35",
)
_AT_ONCE = 6

Wait = Callable[[str], Awaitable[bool]]
"""Returns once a means has touched loopback, or was given up."""


@asynccontextmanager
async def bare_chromium() -> AsyncIterator[Connection]:
    """A browser with nothing but a profile of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        environment = {"PATH": "/usr/bin:/bin", "HOME": home, "TMPDIR": home}
        chromium = Chromium.spawn(
            shutil.which("chromium") or "", [*_FLAGS, f"--user-data-dir={home}"], environment, profile=home
        )
        try:
            await chromium.connect()
            await chromium.connection.call("Browser.getVersion")
            yield chromium.connection
        finally:
            chromium.kill()
            await chromium.reap()


async def touched_in_the_open(connection: Connection, names: Collection[str], wait_touched: Wait) -> list[str]:
    """Those of these means by which loopback was touched, from the very pages that dowse reads."""
    slots = asyncio.Semaphore(_AT_ONCE)

    async def attempt(page: tuple[str, ...]) -> list[str]:
        url = address(page, touch(EACH, "http://127.0.0.1"))

        async def wait() -> list[str]:
            outcomes = await asyncio.gather(*map(wait_touched, page))
            return [name for name, outcome in zip(page, outcomes, strict=True) if outcome]

        async with slots:
            if MEANS[page[0]].needs_click:
                return await _click_and_wait(connection, url, wait)
            # Only what can be seen plays, has an icon or speculates; for the rest a window costs too much.
            async with _tab(connection, url, in_window=page[0] not in SCRIPTS and page[0] not in MOVES):
                return await wait()

    return [name for touched in await asyncio.gather(*map(attempt, pages(names))) for name in touched]


async def shown_in_the_open(connection: Connection, texts: Mapping[str, str]) -> list[str]:
    """The addresses that show their text."""
    shown = []
    for url, text in texts.items():
        async with _driven_tab(connection, url) as session:
            page = await session.call("Runtime.evaluate", expression="document.documentElement.outerHTML")
            if text in page["result"]["value"]:
                shown.append(url)
    return shown


async def _click_and_wait(connection: Connection, url: str, wait: Callable[[], Awaitable[list[str]]]) -> list[str]:
    """As a person does it, whose clicks may open windows."""
    async with _driven_tab(connection, url) as session:
        code = f"document.getElementById('{BUTTON}').click()"
        await session.call("Runtime.evaluate", expression=code, userGesture=True)
        return await wait()


@asynccontextmanager
async def _tab(connection: Connection, url: str, *, in_window: bool = False) -> AsyncIterator[Params]:
    """One that nobody drives: Chromium would be wary, and speculate less."""
    target = await connection.call("Target.createTarget", {"url": url, "newWindow": in_window})
    yield target
    with suppress(CommandFailed):
        await connection.call("Target.closeTarget", target)


@asynccontextmanager
async def _driven_tab(connection: Connection, url: str) -> AsyncIterator[CdpSession]:
    """One that takes commands, with its page loaded."""
    async with _tab(connection, "about:blank") as target:
        attached = await connection.call("Target.attachToTarget", {**target, "flatten": True})
        session = CdpSession(connection, attached["sessionId"])
        is_loaded = asyncio.Event()
        session.on("Page.loadEventFired", lambda _: is_loaded.set())
        await session.call("Page.enable")
        await session.call("Page.navigate", url=url)
        await is_loaded.wait()
        yield session
