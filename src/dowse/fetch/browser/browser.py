"""Interface of a browser, local or remote, and its tabs."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Protocol

from dowse.fetch.browser.cdp import CdpSession, CommandFailed, Connection, NotDevTools, Params
from dowse.fetch.browser.command_line import BYPASS_NOTHING, PROXY_HOST


class Browser(Protocol):
    """A running browser."""

    @property
    def connection(self) -> Connection: ...

    @property
    def user_agent(self) -> str:
        """Its own user agent."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether it is on another machine: without the proxy, and not to be killed."""
        ...

    def memory_bytes(self) -> int:
        """Its memory, 0 if unknown; measuring may take some milliseconds."""
        ...

    def kill(self) -> None:
        """End it, or the connection to it, at once. Open pages fail; may be called again."""
        ...

    async def reap(self) -> None:
        """Wait for the end of a killed browser and clean up after it."""
        ...


class BrowserLauncher(Protocol):
    """Starts or connects to a browser; raises `BrowserUnavailable`."""

    async def __call__(self) -> Browser: ...


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab in a browser context of its own, without cookies or storage of other pages."""

    session: CdpSession
    target_id: str
    context_id: str
    user_agent: str
    is_remote: bool


async def open_tab(browser: Browser, proxy_address: str) -> Tab:
    """Open a tab that reaches nothing but its proxy; a remote browser cannot reach the proxy, and has none."""
    call = browser.connection.call
    proxy = {} if browser.is_remote else _proxy(proxy_address)
    # After any failure the context ends with the connection.
    context = _read_id(
        await call("Target.createBrowserContext", {"disposeOnDetach": True, **proxy}), "browserContextId"
    )
    # Not a hidden one, which would cost half as much: it draws no frames, which pages wait for, and it ignores
    # the flags for WebRTC, whose packets would bypass the proxy.
    created = await call("Target.createTarget", {"url": "about:blank", "browserContextId": context})
    target = _read_id(created, "targetId")
    attached = await call("Target.attachToTarget", {"targetId": target, "flatten": True})
    session = CdpSession(browser.connection, _read_id(attached, "sessionId"))
    return Tab(session, target, context, browser.user_agent, browser.is_remote)


async def close_tab(browser: Browser, tab: Tab) -> None:
    """Close a tab with its windows and its context."""
    tab.session.close()
    # The tab may have crashed, or closed itself.
    with contextlib.suppress(CommandFailed):
        await browser.connection.call("Target.closeTarget", {"targetId": tab.target_id})
    await browser.connection.call("Target.disposeBrowserContext", {"browserContextId": tab.context_id})


def _read_id(answer: Params, key: str) -> str:
    name = answer.get(key)
    if not isinstance(name, str):
        raise NotDevTools
    return name


def _proxy(address: str) -> dict[str, str]:
    port = address.rpartition(":")[2]
    return {"proxyServer": f"http://{PROXY_HOST}:{port}", "proxyBypassList": BYPASS_NOTHING}
