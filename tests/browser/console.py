"""The console in the real Chromium: one tab without a proxy, its requests, its console and its exceptions."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from dowse.fetch.browser.cdp import CdpSession, Params
from dowse.fetch.browser.command_line import command_line, find
from dowse.fetch.browser.launch import LocalBrowser, Profile, usual_parent
from dowse.fetch.browser.process import Chromium
from dowse.settings import sources

_SOON_S = 60.0
_LOOK_S = 0.02
_LOOPBACK = ("--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
KEYS = {"/": 191, "Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40}


@dataclass(frozen=True, slots=True)
class View:
    """A width of the window, and the colours that the user prefers."""

    width: int = 1280
    height: int = 900
    scheme: str = "light"


class ConsoleTab:
    """A tab on the console: it types, presses keys, reads what is shown, and remembers what went wrong."""

    def __init__(self, session: CdpSession) -> None:
        self._session = session
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loaded = asyncio.Event()

    async def open(self, view: View) -> None:
        self._session.on("Page.loadEventFired", lambda _event: self._loaded.set())
        self._session.on("Network.requestWillBeSent", self._note_request)
        self._session.on("Runtime.consoleAPICalled", lambda event: self.complaints.append(json.dumps(event["args"])))
        self._session.on("Runtime.exceptionThrown", lambda event: self.complaints.append(str(event)))
        self._session.on("Log.entryAdded", lambda event: self.complaints.append(event["entry"]["text"]))
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self._session.call(f"{domain}.enable")
        await self.look(view)

    async def look(self, view: View) -> None:
        call = self._session.call
        await call(
            "Emulation.setDeviceMetricsOverride",
            width=view.width, height=view.height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": view.scheme}]
        await call("Emulation.setEmulatedMedia", features=features)

    async def go(self, address: str) -> None:
        await self.loading(self._session.call("Page.navigate", url=address))

    async def loading(self, action: Awaitable[object]) -> None:
        """Do something that leads to another page, and wait until that is loaded."""
        self._loaded.clear()
        await action
        async with asyncio.timeout(_SOON_S):
            await self._loaded.wait()

    async def evaluate(self, expression: str) -> Any:
        answer = await self._session.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def until(self, expression: str) -> None:
        """Wait until an expression is true; while a page is being replaced, none is."""
        async with asyncio.timeout(_SOON_S):
            while True:
                answer = await self._session.call("Runtime.evaluate", expression=expression, returnByValue=True)
                if "exceptionDetails" not in answer and answer["result"].get("value"):
                    return
                await asyncio.sleep(_LOOK_S)

    async def text(self, selector: str) -> str:
        return str(await self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    async def press(self, key: str, times: int = 1) -> None:
        code = KEYS[key]
        shown = {"Enter": "\r", " ": " ", "/": "/"}.get(key, "")
        for _ in range(times):
            pressed: dict[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": code}
            await self._session.call("Input.dispatchKeyEvent", type="keyDown", text=shown, **pressed)
            await self._session.call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    async def type(self, text: str) -> None:
        await self._session.call("Input.insertText", text=text)

    async def type_into(self, selector: str, text: str) -> None:
        found = f"document.querySelector({json.dumps(selector)})"
        await self.evaluate(f"{found}.focus(); {found}.select()")
        await self.type(text)

    async def picture(self, most_height: int = 3000) -> bytes:
        """The page as a PNG, from its top."""
        size = (await self._session.call("Page.getLayoutMetrics"))["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], most_height), "scale": 1}
        shot = await self._session.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(shot["data"])

    def _note_request(self, event: Params) -> None:
        self.requests.append(event["request"]["url"])


@asynccontextmanager
async def console_tab(view: View | None = None) -> AsyncIterator[ConsoleTab]:
    """A tab of a browser of its own, which reaches 127.0.0.1 directly and nothing else."""
    home = Profile.create(usual_parent())
    environment = sources.browser_environment(str(home.path))
    executable = find("", environment)
    given = command_line(str(home.path), sandboxed=False)
    arguments = [each for each in given if not each.startswith(("--proxy", "--host-resolver"))]
    chromium = Chromium.spawn(executable.path, [*arguments, *_LOOPBACK], environment, profile=str(home.path))
    browser = LocalBrowser(chromium, home)
    try:
        await chromium.connect()
        call = chromium.connection.call
        created = await call("Target.createTarget", {"url": "about:blank"})
        attached = await call("Target.attachToTarget", {"targetId": created["targetId"], "flatten": True})
        tab = ConsoleTab(CdpSession(chromium.connection, str(attached["sessionId"])))
        await tab.open(view or View())
        yield tab
    finally:
        browser.kill()
        await browser.reap()
