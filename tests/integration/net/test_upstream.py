"""Everything that leaves passes the proxy of `DOWSE_PROXY`, and the SSRF guard judges it before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from pydantic import SecretStr

from dowse.core.wire_errors import ProxyFailed, WireDenied, WireFailed, WireInsecure, WireUnreached
from dowse.net import upstream, websocket
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import PageBudget
from dowse.net.proxy.server import serve as serve_page
from dowse.net.upstream import UpstreamProxy
from tests.doubles.proxies import HttpProxyDouble, ProxyDouble, Socks5ProxyDouble, start_proxy
from tests.fakes.wire import Serve
from tests.support.authority import Authority

pytestmark = pytest.mark.promise("ssrf-proxy")

PUBLIC = "93.184.216.34"
PUBLIC_V6 = "2606:4700::1111"
USER, PASSWORD = "ada", "canary-p%ss:w/rd"
ESCAPED = "canary-p%25ss%3Aw%2Frd"
SCHEMES = {"http": HttpProxyDouble, "socks5": Socks5ProxyDouble}
Site = Callable[..., Awaitable[int]]


@pytest.fixture
def site(serve_raw: Serve) -> Site:
    """Starts a server that answers each request of a connection with its own head, as JSON."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            fields = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            body = json.dumps({"line": head[0], "host": fields["host"], "names": sorted(fields)}).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(body))
            writer.write(body)

    return lambda *tls: serve_raw(talk, *tls)


@pytest.fixture
async def clients() -> AsyncIterator[Callable[..., tuple[ConfiguredClient, UntrustedClient]]]:
    """Makes the two clients of a proxy; all names are `PUBLIC`, unless the test has others."""
    async with AsyncExitStack() as stack:

        def build(url: str, addresses: dict[str, list[str]] | None = None, *allow: str, tls=None, proxy_tls=None):
            async def look_up(host: str, port: int) -> list[str]:
                return (addresses or {}).get(host, [PUBLIC])

            proxy = UpstreamProxy(SecretStr(url), tls=proxy_tls)
            configured = ConfiguredClient("dowse/test", proxy=proxy)
            pages = UntrustedClient(Guard(allow, look_up), "dowse/test", tls=tls, proxy=proxy)
            stack.push_async_callback(configured.close)
            stack.push_async_callback(pages.close)
            return configured, pages

        yield build


async def read(client: UntrustedClient, url: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((await client.get(url, timeout_s=30, max_bytes=10_000)).body)
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_page_is_fetched_at_the_judged_address_under_its_own_name(scheme, site, serve_raw, clients) -> None:
    proxy = await start_proxy(serve_raw, SCHEMES[scheme](await site()))
    _, pages = clients(f"{scheme}://127.0.0.1:{proxy.port}")

    got = await read(pages, "http://shop.example/page?q=1")

    assert proxy.places == [f"{PUBLIC}:80"]
    assert (got["line"], got["host"]) == ("GET /page?q=1 HTTP/1.1", "shop.example")
    assert not any("proxy" in name for name in got["names"])


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_tls_of_a_page_is_verified_against_its_name(scheme, site, serve_raw, clients, tmp_path) -> None:
    authority = Authority(tmp_path)
    proxy = await start_proxy(serve_raw, SCHEMES[scheme](await site(authority.server("shop.example"))))
    _, pages = clients(f"{scheme}://127.0.0.1:{proxy.port}", tls=authority.trusting())

    assert (await read(pages, "https://shop.example/"))["host"] == "shop.example"
    with pytest.raises(WireInsecure):
        await read(pages, "https://other.example/")
    assert proxy.places == [f"{PUBLIC}:443"] * 2


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_an_endpoint_of_the_settings_is_asked_for_by_its_name(scheme, site, serve_raw, clients) -> None:
    """The proxy may be the only one that can look it up."""
    proxy = await start_proxy(serve_raw, SCHEMES[scheme](await site()))
    configured, _ = clients(f"{scheme}://127.0.0.1:{proxy.port}")

    reply = await configured.send("POST", "http://api.example:8080/v1", headers={}, json={}, timeout_s=30)

    assert proxy.places == ["api.example:8080"]
    assert json.loads(reply.body)["host"] == "api.example:8080"


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_user_and_password_are_sent_to_the_proxy_only(scheme, site, serve_raw, clients) -> None:
    proxy = await start_proxy(serve_raw, SCHEMES[scheme](await site(), USER, PASSWORD))
    configured, pages = clients(f"{scheme}://{USER}:{ESCAPED}@127.0.0.1:{proxy.port}")

    assert (await read(pages, "http://shop.example/"))["host"] == "shop.example"
    reply = await configured.send("GET", "http://api.example/", headers={}, timeout_s=30)

    assert "authorization" not in reply.body.decode()
    assert len(proxy.places) == 2


async def test_a_proxy_with_tls_carries_tls_to_the_page(site, serve_raw, clients, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    behind = await site(authority.server("shop.example"))
    proxy = await start_proxy(serve_raw, HttpProxyDouble(behind, USER, PASSWORD), authority.server("localhost"))
    url = f"https://{USER}:{ESCAPED}@localhost:{proxy.port}"
    _, pages = clients(url, tls=authority.trusting(), proxy_tls=authority.trusting())

    assert (await read(pages, "https://shop.example/"))["host"] == "shop.example"
    assert proxy.places == [f"{PUBLIC}:443"]


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_the_guard_refuses_before_anything_reaches_the_proxy(scheme, site, serve_raw, clients) -> None:
    proxy = await start_proxy(serve_raw, SCHEMES[scheme](await site()))
    names = {
        "inside.example": ["10.0.0.7"],
        "half.example": [PUBLIC, "192.168.1.1"],
        "meta.example": ["169.254.169.254"],
    }
    _, pages = clients(f"{scheme}://127.0.0.1:{proxy.port}", names)

    for host in [*names, "10.0.0.7", "[::1]", "localhost", "printer.local", "127.0.0.1"]:
        with pytest.raises(WireDenied):
            await read(pages, f"http://{host}/")

    assert proxy.places == []


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_redirect_to_a_private_address_is_not_handed_to_the_proxy(scheme, serve_raw, clients) -> None:
    async def redirect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: http://inside.example/\r\nContent-Length: 0\r\n\r\n")

    proxy = await start_proxy(serve_raw, SCHEMES[scheme](await serve_raw(redirect)))
    _, pages = clients(f"{scheme}://127.0.0.1:{proxy.port}", {"inside.example": ["10.0.0.7"]})

    with pytest.raises(WireDenied):
        await read(pages, "http://shop.example/")

    assert proxy.places == [f"{PUBLIC}:80"]


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_pooled_tunnel_serves_only_the_address_it_was_opened_to(scheme, site, serve_raw, clients) -> None:
    """DNS rebinding between two public addresses: the second request must not use the first one's connection."""
    proxy = await start_proxy(serve_raw, SCHEMES[scheme](await site()))
    names = {"shop.example": [PUBLIC]}
    _, pages = clients(f"{scheme}://127.0.0.1:{proxy.port}", names)

    await read(pages, "http://shop.example/")
    await read(pages, "http://shop.example/")
    assert proxy.places == [f"{PUBLIC}:80"]
    names["shop.example"] = ["8.8.8.8"]
    await read(pages, "http://shop.example/")

    assert proxy.places == [f"{PUBLIC}:80", "8.8.8.8:80"]


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_ipv4_is_tried_first_and_ipv6_after_it(scheme, site, serve_raw, clients) -> None:
    proxy = await start_proxy(serve_raw, SCHEMES[scheme](await site()))
    proxy.unreachable = (f"{PUBLIC}:80",)
    _, pages = clients(f"{scheme}://127.0.0.1:{proxy.port}", {"shop.example": [PUBLIC_V6, PUBLIC]})

    assert (await read(pages, "http://shop.example/"))["host"] == "shop.example"
    assert proxy.places == [f"{PUBLIC}:80", f"[{PUBLIC_V6}]:80"]


async def test_loopback_is_reached_without_the_proxy(site, clients) -> None:
    """It would be another machine at the proxy."""
    port = await site()
    configured, pages = clients("socks5://127.0.0.1:1", {"dev.example": ["127.0.0.1"]}, f"dev.example:{port}")

    assert (await read(pages, f"http://dev.example:{port}/"))["host"] == f"dev.example:{port}"
    for host in (f"localhost:{port}", f"127.0.0.1:{port}"):
        assert (await configured.send("GET", f"http://{host}/", headers={}, timeout_s=30)).status == 200


async def test_each_address_of_the_proxy_is_tried(site, serve_raw, clients, monkeypatch) -> None:
    async def look_up(_host: str, _port: int) -> list[str]:
        return ["127.0.0.2", "127.0.0.1"]

    monkeypatch.setattr(upstream, "look_up", look_up)
    proxy = await start_proxy(serve_raw, HttpProxyDouble(await site()))
    _, pages = clients(f"http://proxy.example:{proxy.port}")
    assert (await read(pages, "http://shop.example/"))["host"] == "shop.example"


async def test_a_tunnel_that_ends_in_the_handshake_is_no_connection(site, serve_raw, clients, monkeypatch) -> None:
    proxy = await start_proxy(serve_raw, HttpProxyDouble(await site()))
    _, pages = clients(f"http://127.0.0.1:{proxy.port}")

    async def lose(*_arguments: object, **_options: object) -> None:
        """asyncio returns nothing when the connection ends with the handshake."""

    monkeypatch.setattr(asyncio.get_running_loop(), "start_tls", lose)
    with pytest.raises(WireUnreached, match=r"^no connection$"):
        await read(pages, "https://shop.example/")


async def wrong_proxies(serve_raw: Serve, folder: Path) -> dict[str, str]:
    """Addresses of proxies that do not work, with the sentences about them."""

    async def hang_up(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        pass

    async def complain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()

    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-example\r\n\r\n")
        await writer.drain()

    async def change_version(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(3)
        writer.write(b"\x05\x00" + b"\x04\x5a" + bytes(8))
        await writer.drain()

    plain, greeting, changing = await serve_raw(complain), await serve_raw(greet), await serve_raw(change_version)
    strange = await serve_raw(hang_up, Authority(folder).server("localhost"))
    closed, http = await serve_raw(hang_up), await start_proxy(serve_raw, HttpProxyDouble(1, USER, PASSWORD))
    socks = await start_proxy(serve_raw, Socks5ProxyDouble(1, USER, PASSWORD))
    wrong = f"{USER}:canary-wrong@127.0.0.1"
    return {
        "http://127.0.0.1:1": "no connection to the proxy",
        "https://127.0.0.1:1": "no connection to the proxy",
        "socks5://127.0.0.1:1": "no connection to the proxy",
        f"socks5://{'x' * 64}.invalid:1080": "the host of the proxy was not found",
        f"http://127.0.0.1:{closed}": "no HTTP proxy answers at this address",
        f"socks5://127.0.0.1:{closed}": "no SOCKS5 proxy answers at this address",
        f"http://127.0.0.1:{socks.port}": "no HTTP proxy answers at this address",
        f"http://127.0.0.1:{greeting}": "no HTTP proxy answers at this address",
        f"socks5://127.0.0.1:{greeting}": "no SOCKS5 proxy answers at this address",
        f"socks5://127.0.0.1:{changing}": "no SOCKS5 proxy answers at this address",
        f"https://127.0.0.1:{plain}": "the proxy does not speak TLS; try http:// instead of https://",
        f"https://localhost:{strange}": "the certificate of the proxy is not valid",
        f"http://127.0.0.1:{http.port}": "the proxy wants a user and a password",
        f"socks5://127.0.0.1:{socks.port}": "the proxy wants a user and a password",
        f"http://{wrong}:{http.port}": "the proxy refuses this user and password",
        f"socks5://{wrong}:{socks.port}": "the proxy refuses this user and password",
    }


async def test_a_wrong_or_dead_proxy_is_a_clear_error_that_names_the_setting(serve_raw, clients, tmp_path) -> None:
    for url, reason in (await wrong_proxies(serve_raw, tmp_path)).items():
        configured, pages = clients(url)
        with pytest.raises(ProxyFailed) as page:
            await pages.get("http://shop.example/", timeout_s=30, max_bytes=100)
        with pytest.raises(ProxyFailed) as endpoint:
            await configured.send("GET", "https://api.example/", headers={}, timeout_s=30)
        assert str(page.value) == str(endpoint.value) == f"DOWSE_PROXY: {reason}", url


@pytest.mark.parametrize(("scheme", "code"), [("http", "HTTP 502"), ("socks5", "SOCKS 4")])
async def test_a_destination_that_the_proxy_does_not_reach_or_forbids(scheme, code, serve_raw, clients) -> None:
    proxy = await start_proxy(serve_raw, SCHEMES[scheme](1))
    proxy.unreachable, proxy.forbidden = (f"{PUBLIC}:80",), (f"{PUBLIC}:8080",)
    _, pages = clients(f"{scheme}://127.0.0.1:{proxy.port}")

    with pytest.raises(ProxyFailed, match=rf"^DOWSE_PROXY: no connection through the proxy \({code}\)$"):
        await read(pages, "http://shop.example/")
    with pytest.raises(ProxyFailed, match=r"^DOWSE_PROXY: the proxy refuses this connection \((HTTP 403|SOCKS 2)\)$"):
        await read(pages, "http://shop.example:8080/")


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_proxy_that_never_answers_is_given_up(scheme, serve_raw, clients, monkeypatch) -> None:
    arrived = asyncio.Event()

    async def say_nothing(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(upstream, "_TUNNEL_S", 0.01)
    _, pages = clients(f"{scheme}://127.0.0.1:{await serve_raw(say_nothing)}")

    with pytest.raises(ProxyFailed, match=r"^DOWSE_PROXY: the proxy does not answer$"):
        await read(pages, "http://shop.example/")


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_the_browser_reaches_pages_through_the_proxy_by_their_judged_address(scheme, site, serve_raw) -> None:
    proxy: ProxyDouble = await start_proxy(serve_raw, SCHEMES[scheme](await site(), USER, PASSWORD))
    names = {"shop.example": [PUBLIC], "inside.example": ["10.0.0.7"]}

    async def look_up(host: str, port: int) -> list[str]:
        return names[host]

    chained = UpstreamProxy(SecretStr(f"{scheme}://{USER}:{ESCAPED}@127.0.0.1:{proxy.port}"))
    async with serve_page(PageBudget(Guard((), look_up), upstream=chained)) as address, aiohttp.ClientSession() as page:
        answer = await page.get("http://shop.example/a", proxy=f"http://{address}")
        assert json.loads(await answer.read())["line"] == "GET /a HTTP/1.1"
        refused = await page.get("http://inside.example/", proxy=f"http://{address}")
        assert refused.status == 502

    assert proxy.places == [f"{PUBLIC}:80"]


async def test_a_remote_browser_is_reached_through_the_proxy(serve, serve_raw) -> None:
    async def echo(request: web.BaseRequest) -> web.StreamResponse:
        answer = web.WebSocketResponse()
        await answer.prepare(request)
        await answer.send_str("hello")
        return answer

    proxy = await start_proxy(serve_raw, Socks5ProxyDouble(await serve(echo)))
    heard: list[bytes] = []

    chained = UpstreamProxy(SecretStr(f"socks5://127.0.0.1:{proxy.port}"))
    socket = await websocket.connect(
        "ws://browser.example:9222/", headers={}, timeout_s=30, max_message_bytes=1000, proxy=chained
    )
    await socket.run(heard.append)

    assert heard == [b"hello"]
    assert proxy.places == ["browser.example:9222"]


async def test_no_error_holds_the_address_or_the_password_of_the_proxy(serve_raw, clients, tmp_path) -> None:
    for url in await wrong_proxies(serve_raw, tmp_path):
        _, pages = clients(url)
        with pytest.raises(WireFailed) as failed:
            await pages.get("http://shop.example/", timeout_s=30, max_bytes=100)
        told = [repr(failed.value), repr(failed.value.__cause__), repr(vars(pages)), str(failed.value)]
        assert not any("canary" in text for text in told)
        assert "127.0.0.1" not in str(failed.value)
