"""What the pool needs from a browser, be it a process of ours or one elsewhere."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Protocol

from dowse.fetch.browser.cdp import CdpSession, CommandFailed, Connection, NotDevTools, Params
from dowse.fetch.browser.command_line import BYPASS_NOTHING, PROXY_HOST


class Browser(Protocol):
    """A browser that answers."""

    @property
    def connection(self) -> Connection: ...

    @property
    def user_agent(self) -> str:
        """How it names itself to sites."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether it is elsewhere: out of our cage, and not ours to end."""
        ...

    def memory_bytes(self) -> int:
        """What it holds by now, 0 if unknown; may take some milliseconds."""
        ...

    def kill(self) -> None:
        """End it, or our connection to it, at once. What is open in it fails; may be called again."""
        ...

    async def reap(self) -> None:
        """Wait until nothing is left of a browser that was killed, or that has ended by itself."""
        ...


class BrowserLauncher(Protocol):
    """Gives a browser that answers; raises `BrowserUnavailable`."""

    async def __call__(self) -> Browser: ...


@dataclass(frozen=True, slots=True)
class Tab:
    """An empty tab that is ours to drive."""

    session: CdpSession
    target_id: str
    context_id: str
    user_agent: str
    is_remote: bool


async def open_tab(browser: Browser, proxy_address: str) -> Tab:
    """Open one that reaches nothing but its proxy; a browser elsewhere could not reach ours, and has none."""
    call = browser.connection.call
    proxy = {} if browser.is_remote else _proxy(proxy_address)
    # Whatever goes wrong, the context ends with our connection.
    context = _named(await call("Target.createBrowserContext", {"disposeOnDetach": True, **proxy}), "browserContextId")
    # Not a hidden one, which would cost half as much: it draws no frames, which pages wait for, and it ignores
    # what Chromium is told about WebRTC, whose packets would go around the proxy.
    created = await call("Target.createTarget", {"url": "about:blank", "browserContextId": context})
    target = _named(created, "targetId")
    attached = await call("Target.attachToTarget", {"targetId": target, "flatten": True})
    session = CdpSession(browser.connection, _named(attached, "sessionId"))
    return Tab(session, target, context, browser.user_agent, browser.is_remote)


async def close_tab(browser: Browser, tab: Tab) -> None:
    """Close it with everything the page has opened."""
    tab.session.close()
    # The tab may have crashed, or closed itself.
    with contextlib.suppress(CommandFailed):
        await browser.connection.call("Target.closeTarget", {"targetId": tab.target_id})
    await browser.connection.call("Target.disposeBrowserContext", {"browserContextId": tab.context_id})


def _named(answer: Params, key: str) -> str:
    name = answer.get(key)
    if not isinstance(name, str):
        raise NotDevTools
    return name


def _proxy(address: str) -> dict[str, str]:
    port = address.rpartition(":")[2]
    return {"proxyServer": f"http://{PROXY_HOST}:{port}", "proxyBypassList": BYPASS_NOTHING}
