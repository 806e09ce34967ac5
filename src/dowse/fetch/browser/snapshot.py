"""The text of a page at rest, as HTML, closed parts included."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from dowse.core.errors import PageUnreadable
from dowse.core.models import Status
from dowse.fetch.browser.cdp import Params
from dowse.fetch.browser.page import Page

LARGER = "the page is larger than the limit"
"""Why a page is too large."""
_MOST_CLOSED = 50
# A function that takes hosts and their roots in turn.
_OPEN = "function(...pairs) { for (let i = 0; i < pairs.length; i += 2) dowse.dom.opened.set(pairs[i], pairs[i + 1]); }"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was read, and from where; `chars` is how much text a reader would see."""

    url: str
    content: bytes
    chars: int


async def snapshot(page: Page, *, is_html: bool, max_bytes: int, within_s: float) -> Snapshot:
    """Read the page as it is now. A script that never ends is stopped after half of the time."""
    try:
        async with asyncio.timeout(within_s / 2):
            return await _taken(page, is_html, max_bytes)
    except TimeoutError:
        await page.call("Runtime.terminateExecution")
    return await _taken(page, is_html, max_bytes)


async def _taken(page: Page, is_html: bool, max_bytes: int) -> Snapshot:
    if is_html:
        await _open_shadows(page)
    taken = await page.world.evaluate("serialise", is_html, max_bytes)
    content = str(taken["content"]).encode("utf-8", "replace")
    if taken["isCut"] or len(content) > max_bytes:
        raise PageUnreadable(Status.TOO_LARGE, LARGER)
    return Snapshot(str(taken["url"]), content, int(taken["chars"]))


async def _open_shadows(page: Page) -> None:
    """Show our scripts the closed shadow roots of elements that look empty; only the browser can."""
    if not await page.world.evaluate("countHollow"):
        return
    handles = await page.world.reference("hollow", _MOST_CLOSED)
    properties = await page.call("Runtime.getProperties", objectId=handles, ownProperties=True)
    hosts = [host for item in properties["result"] if (host := item.get("value", {}).get("objectId"))]
    described = await asyncio.gather(*(page.call("DOM.describeNode", objectId=host, depth=0) for host in hosts))
    closed = [(host, root) for host, answer in zip(hosts, described, strict=True) if (root := _closed_root(answer))]
    context = page.world.context
    resolved = await asyncio.gather(
        *(page.call("DOM.resolveNode", backendNodeId=root, executionContextId=context) for _, root in closed)
    )
    pairs: list[Any] = []
    for (host, _), answer in zip(closed, resolved, strict=True):
        pairs += [{"objectId": host}, {"objectId": answer["object"]["objectId"]}]
    if pairs:
        await page.call(
            "Runtime.callFunctionOn", functionDeclaration=_OPEN, executionContextId=context, arguments=pairs
        )


def _closed_root(answer: Params) -> int:
    roots = answer["node"].get("shadowRoots", [])
    return next((int(root["backendNodeId"]) for root in roots if root.get("shadowRootType") == "closed"), 0)
