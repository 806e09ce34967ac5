"""Markup in the real Chromium without a server: read as a page is read, and compared as pictures of the whole page."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from dowse.core.models import Body
from dowse.fetch.browser.browser import Tab
from dowse.fetch.browser.navigation import NavigationPolicy, RequestTracker
from dowse.fetch.browser.page import BrowserPage
from dowse.fetch.browser.pool import BrowserPool
from dowse.fetch.browser.settle import SettlePatience, settle, snapshot
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import PageBudget

TABS = 4
_NO_PROXY = "127.0.0.1:1"
_TIMEOUT_S = 60.0
_PATIENCE = SettlePatience(network_quiet_s=0.02, dom_quiet_s=0.06, for_text_s=0.2)
_MOST_PIXELS = 2400, 5000
# Scripts of the sets change their page within 40 ms, and animations that end do so within half a second.
_AT_REST = """
(async () => {
  await new Promise((resolve) => setTimeout(resolve, %d));
  const late = new Promise((resolve) => setTimeout(resolve, 700));
  await Promise.all(document.getAnimations().map((each) => Promise.race([each.finished, late])));
})()
"""
# How many pixels of two pictures differ by more than each of two thresholds, in any channel.
_DIFFERENCE = """
(async () => {
  const pixels = async (text) => {
    const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + text)).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d', {willReadFrequently: true});
    canvas.drawImage(picture, 0, 0);
    return [canvas.getImageData(0, 0, picture.width, picture.height).data, picture.width, picture.height];
  };
  const [[one, width, height], [other, ...size]] = await Promise.all(%s.map(pixels));
  if (size[0] !== width || size[1] !== height) return [-1, -1];
  let [faint, clear] = [0, 0];
  for (let at = 0; at < one.length; at += 4) {
    const most = Math.max(...[0, 1, 2].map((channel) => Math.abs(one[at + channel] - other[at + channel])));
    faint += most > %d;
    clear += most > %d;
  }
  return [faint, clear];
})()
"""
PERCEPTIBLE, CLEAR = 16, 60
"""Differences of a channel, in 255: below the first none is seen, above the second everybody sees one."""

T = TypeVar("T")
Item = TypeVar("Item")


def with_sheets(markup: str, sheets: Mapping[str, str]) -> str:
    """The page with its linked style sheets in their addresses, since there is no server."""
    for path, sheet in sheets.items():
        markup = markup.replace(path, f"data:text/css;base64,{base64.b64encode(sheet.encode()).decode()}")
    return markup


class Renderer:
    """One tab that shows one markup after the other."""

    def __init__(self, tab: Tab) -> None:
        budget = PageBudget(Guard())
        self._tab = tab
        self._call = tab.session.call
        self._page = BrowserPage(
            tab.session,
            tab.target_id,
            NavigationPolicy(Guard(), budget, is_remote=False),
            RequestTracker(tab.session, budget),
        )

    async def open(self, width: int = 800, height: int = 600) -> None:
        await self._call("Page.enable")
        await self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    async def close(self) -> None:
        await self._page.close()

    async def read(self, markup: str) -> Body:
        """What the browser hands over, after the page has settled."""
        await self.show(markup)
        await settle(self._page, _PATIENCE, asyncio.get_running_loop().time() + _TIMEOUT_S)
        shot = await snapshot(self._page, is_html=True, max_bytes=5_000_000, within_s=_TIMEOUT_S)
        return Body("https://bay.example/ferry", shot.content, "text/html", "utf-8")

    async def picture(self, markup: str) -> str:
        """The whole page as a PNG, in base64."""
        await self.show(markup)
        await self.evaluate(_AT_REST % (60 if "setTimeout" in markup else 0))
        size = (await self._call("Page.getLayoutMetrics"))["cssContentSize"]
        width, height = (min(size[side], most) for side, most in zip(("width", "height"), _MOST_PIXELS, strict=True))
        shot = await self._call(
            "Page.captureScreenshot",
            optimizeForSpeed=True,
            captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1},
        )
        return str(shot["data"])

    async def difference(self, one: str, other: str) -> tuple[int, int]:
        """How many pixels differ perceptibly, and how many clearly; -1 for pictures of different sizes."""
        if one == other:
            return 0, 0
        await self.show("<!doctype html>")
        faint, clear = await self.evaluate(_DIFFERENCE % (json.dumps([one, other]), PERCEPTIBLE, CLEAR))
        return faint, clear

    async def show(self, markup: str) -> None:
        # A document that is only written anew keeps the variables and adopted style sheets of the one before.
        await self._call("Page.navigate", url="about:blank")
        await self._call("Page.setDocumentContent", frameId=self._tab.target_id, html=markup)
        self._page.world.leave()

    async def evaluate(self, expression: str) -> Any:
        answer = await self._call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def cpu_s(self) -> float:
        """Processor time of the page's main thread."""
        await self._call("Performance.enable", timeDomain="threadTicks")
        metrics = (await self._call("Performance.getMetrics"))["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    async def evaluate_apart(self, expression: str) -> Any:
        """Evaluate where the scripts of dowse run, beside the page."""
        await self._page.world.evaluate("ready")
        answer = await self._call(
            "Runtime.evaluate", expression=expression, contextId=self._page.world.context, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")


async def in_tabs(
    pool: BrowserPool, items: Sequence[Item], work: Callable[[Renderer, Item], Awaitable[T]], tabs: int = TABS
) -> list[T]:
    """Work on all items in a few tabs of one browser; the results are in the order of the items."""
    found: dict[int, T] = {}
    waiting = iter(enumerate(items))

    async def run() -> None:
        async with pool.tab(_NO_PROXY, _TIMEOUT_S) as tab:
            renderer = Renderer(tab)
            await renderer.open()
            try:
                for number, item in waiting:
                    found[number] = await work(renderer, item)
            finally:
                await renderer.close()

    await asyncio.gather(*(run() for _ in range(tabs)))
    return [found[number] for number in range(len(items))]
