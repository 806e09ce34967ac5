"""A browser elsewhere: how it is reached, what is never shown, and that it is not ours to end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import WSMsgType, web
from aiohttp.test_utils import RawTestServer
from pydantic import SecretStr

from dowse.fetch.browser import cdp
from dowse.fetch.browser.cdp import OVERSIZED, BrowserGone, BrowserUnavailable, CdpSession
from dowse.fetch.browser.pool import BrowserPool
from dowse.fetch.browser.remote import RemoteLauncher
from dowse.net.clients import ConfiguredClient
from tests.fakes.browser import RESULTS, PatientClock

TOKEN = "q7Ztok41aa0c9e5d"
PATH = "/devtools/browser/0c9e5d7b"


class Elsewhere:
    """A DevTools endpoint, as a browser or a service in front of many has it."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        self.commands: list[str] = []
        self.sockets: list[web.WebSocketResponse] = []
        self.left = asyncio.Event()
        self.answers_only_to = ""
        self.leads_to = ""
        self.description: object = {"webSocketDebuggerUrl": f"ws://10.0.0.7:9222{PATH}"}
        self.port = 0

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        host = request.headers["Host"]
        self.requests.append((host, request.path_qs))
        if self.answers_only_to and host != self.answers_only_to:
            return web.Response(status=500, text="Host header is specified and is not an IP address or localhost.")
        if self.leads_to and not request.path.endswith(self.leads_to):
            return web.Response(status=302, headers={"Location": self.leads_to})
        if request.path.endswith("/json/version"):
            return web.Response(text=json.dumps(self.description))
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.sockets.append(socket)
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                await self._answer(socket, json.loads(message.data))
        self.left.set()
        return socket

    async def _answer(self, socket: web.WebSocketResponse, command: dict[str, object]) -> None:
        method = str(command["method"])
        self.commands.append(method)
        result = {"userAgent": "Elsewhere/1.0"} if method == "Browser.getVersion" else RESULTS.get(method, {})
        await socket.send_json({"id": command["id"], "result": result})


@pytest.fixture
async def elsewhere() -> AsyncIterator[Elsewhere]:
    endpoint = Elsewhere()
    async with RawTestServer(endpoint.handle, host="127.0.0.1") as server:
        assert server.port
        endpoint.port = server.port
        yield endpoint


@pytest.fixture
async def client() -> AsyncIterator[ConfiguredClient]:
    client = ConfiguredClient("dowse/test")
    yield client
    await client.close()


def launcher(client: ConfiguredClient, url: str) -> RemoteLauncher:
    return RemoteLauncher(SecretStr(url), client, ready_timeout_s=60)


async def test_a_web_socket_is_used_as_it_is(elsewhere: Elsewhere, client: ConfiguredClient) -> None:
    browser = await launcher(client, f"ws://127.0.0.1:{elsewhere.port}/chrome?token={TOKEN}")()
    assert (browser.user_agent, browser.is_remote, browser.memory_bytes()) == ("Elsewhere/1.0", True, 0)
    assert [path for _, path in elsewhere.requests] == [f"/chrome?token={TOKEN}"]
    browser.kill()
    await browser.reap()


async def test_an_http_address_is_asked_for_the_path_and_keeps_its_own_host(
    elsewhere: Elsewhere, client: ConfiguredClient
) -> None:
    browser = await launcher(client, f"http://127.0.0.1:{elsewhere.port}/?token={TOKEN}")()
    here = f"127.0.0.1:{elsewhere.port}"
    assert elsewhere.requests == [(here, f"/json/version?token={TOKEN}"), (here, f"{PATH}?token={TOKEN}")]
    browser.kill()
    await browser.reap()


async def test_a_browser_that_answers_to_no_name_is_asked_as_localhost(
    elsewhere: Elsewhere, client: ConfiguredClient
) -> None:
    """Chromium refuses the name of its container."""
    elsewhere.answers_only_to = "localhost"
    browser = await launcher(client, f"http://127.0.0.1:{elsewhere.port}")()
    assert [host for host, _ in elsewhere.requests][1:] == ["localhost", "localhost"]
    browser.kill()
    await browser.reap()


NO_BROWSERS = ["not a browser", [], {}, {"webSocketDebuggerUrl": 7}, {"webSocketDebuggerUrl": "ws://[x"}]


@pytest.mark.parametrize("description", NO_BROWSERS)
async def test_what_is_no_browser_is_said_without_the_address(
    elsewhere: Elsewhere, client: ConfiguredClient, description: object
) -> None:
    elsewhere.description = description
    with pytest.raises(BrowserUnavailable, match="DOWSE_BROWSER_URL") as failure:
        await launcher(client, f"http://127.0.0.1:{elsewhere.port}/?token={TOKEN}")()
    assert TOKEN not in str(failure.value)
    assert str(elsewhere.port) not in str(failure.value)


async def test_no_redirect_is_followed(elsewhere: Elsewhere, client: ConfiguredClient) -> None:
    elsewhere.leads_to = "/elsewhere"
    with pytest.raises(BrowserUnavailable):
        await launcher(client, f"ws://127.0.0.1:{elsewhere.port}/?token={TOKEN}")()
    assert {path for _, path in elsewhere.requests} == {f"/?token={TOKEN}"}


async def test_an_absent_browser_is_reported_without_the_address(
    client: ConfiguredClient, logged: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(BrowserUnavailable, match="see that it runs"):
        await launcher(client, f"ws://127.0.0.1:1/{TOKEN}")()
    assert TOKEN not in str([vars(record) for record in logged.records if record.name == "dowse"])


async def test_the_first_use_warns_that_nothing_of_ours_guards_it(
    elsewhere: Elsewhere, client: ConfiguredClient, logged: pytest.LogCaptureFixture
) -> None:
    launch = launcher(client, f"ws://127.0.0.1:{elsewhere.port}/{TOKEN}")
    for _ in range(2):
        browser = await launch()
        browser.kill()
        await browser.reap()
    ours = [record for record in logged.records if record.name == "dowse"]
    assert [(record.levelname, record.getMessage()) for record in ours] == [("WARNING", "remote browser is used")]


async def test_a_lost_connection_costs_the_page_and_is_made_anew(
    elsewhere: Elsewhere, client: ConfiguredClient
) -> None:
    pool = BrowserPool(launcher(client, f"ws://127.0.0.1:{elsewhere.port}/"), PatientClock(), max_pages=2)
    async with pool.tab("127.0.0.1:1", 10) as tab:
        await elsewhere.sockets[0].close()
        await tab.session.wait_gone()
        with pytest.raises(BrowserGone):
            await tab.session.call("Page.enable")
    async with pool.tab("127.0.0.1:1", 10) as tab:
        assert await tab.session.call("Page.enable") == {}
    await pool.close()
    assert len(elsewhere.sockets) == 2


async def test_only_our_connection_is_ended(elsewhere: Elsewhere, client: ConfiguredClient) -> None:
    pool = BrowserPool(launcher(client, f"ws://127.0.0.1:{elsewhere.port}/"), PatientClock(), max_pages=2)
    async with pool.tab("127.0.0.1:1", 10):
        pass
    await pool.close()
    await elsewhere.left.wait()
    assert "Browser.close" not in elsewhere.commands


async def test_a_message_that_is_too_large_costs_its_page_and_not_the_connection(
    elsewhere: Elsewhere, client: ConfiguredClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cdp, "_LARGEST_ANSWER", 1000)
    browser = await launcher(client, f"ws://127.0.0.1:{elsewhere.port}/")()
    page, other = CdpSession(browser.connection, "page"), CdpSession(browser.connection, "other")
    given_up = asyncio.Event()
    page.on(OVERSIZED, lambda _: given_up.set())
    await elsewhere.sockets[0].send_str('{"id":9,"result":{"x":"%s"},"sessionId":"page"}' % ("x" * 5000))
    async with asyncio.timeout(30):
        await given_up.wait()
        assert await other.call("Page.enable") == {}
    browser.kill()
    await browser.reap()


async def test_who_fails_to_hear_an_event_is_told_of_and_the_connection_lives(
    elsewhere: Elsewhere, client: ConfiguredClient
) -> None:
    """As it is with the pipes of a browser here."""
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    browser = await launcher(client, f"ws://127.0.0.1:{elsewhere.port}/")()
    page = CdpSession(browser.connection, "page")
    page.on("Page.loadEventFired", lambda params: params["missing"])
    await elsewhere.sockets[0].send_str('{"method":"Page.loadEventFired","params":{},"sessionId":"page"}')
    async with asyncio.timeout(30):
        assert await page.call("Page.enable") == {}
    assert [type(context["exception"]) for context in told] == [KeyError]
    browser.kill()
    await browser.reap()
