"""What the proxy does not serve: nothing is dialled, the page hears always the same, and its reader learns why."""

from __future__ import annotations

import asyncio

import pytest

from dowse.core.wire_errors import HostNotFound, WireDenied, WireFailed, WireTimeout
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import PageBudget, ProxyTimeouts
from dowse.net.sockets import listen
from tests.integration.net.proxy.conftest import QUICK, Names

REFUSED = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
# The canary is at the first five.
INSIDE = ["127.0.0.1", "localhost", "[::ffff:7f00:1]", "0.0.0.0", "inside.example"]
INSIDE += ["[::1]", "10.0.0.1", "169.254.169.254"]


def inside_names() -> Names:
    return Names(site_example=[["127.0.0.1"]], inside_example=[["127.0.0.1"]], localhost=[["127.0.0.1"]])


@pytest.fixture
def dials(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every address a socket of the proxy is pointed at, none of which is reached; the browser reaches the proxy."""
    seen: list[str] = []
    connect = asyncio.SelectorEventLoop.sock_connect

    async def record(loop: asyncio.SelectorEventLoop, sock: object, address: tuple[str, int]) -> None:
        if address[0] == "127.0.0.1":
            await connect(loop, sock, address)
            return
        seen.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(asyncio.SelectorEventLoop, "sock_connect", record)
    return seen


@pytest.mark.parametrize("host", INSIDE)
async def test_a_page_reaches_nothing_inside_by_a_plain_request(host: str, site, start, proxy) -> None:
    canary = await start()
    budget = site.budget(names=inside_names())
    browser = await proxy(budget)

    assert await browser.get(f"http://{host}:{canary.port}/") == REFUSED

    assert canary.connections == 0
    assert isinstance(budget.refusal(f"http://{host}:{canary.port}/other"), WireDenied)


@pytest.mark.parametrize("host", INSIDE)
async def test_a_page_reaches_nothing_inside_by_a_tunnel(host: str, site, start, proxy) -> None:
    canary = await start()
    browser = await proxy(site.budget(names=inside_names()))

    place = f"{host}:{canary.port}"

    assert await browser.say(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode()) == REFUSED
    assert canary.connections == 0


@pytest.mark.parametrize("host", INSIDE[:5])
async def test_the_canary_would_have_been_reached(host: str, site, start, proxy) -> None:
    """The control: with the pair open, the same requests arrive."""
    canary = await start()
    browser = await proxy(site.budget(f"{host}:{canary.port}", names=inside_names()))

    assert (await browser.get(f"http://{host}:{canary.port}/")).endswith(b"page")
    assert canary.connections == 1


@pytest.mark.parametrize(
    "request_line",
    [
        "GET / HTTP/1.1",
        "GET //{pair}/ HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "GET {pair} HTTP/1.1",
        "GET https://{pair}/ HTTP/1.1",
        "GET ftp://{pair}/ HTTP/1.1",
        "GET ws://{pair}/ HTTP/1.1",
        "GET file:///etc/passwd HTTP/1.1",
        "GET http://x@{pair}/ HTTP/1.1",
        "GET http://x:y@{pair}/ HTTP/1.1",
        "GET http:\\\\{pair}/ HTTP/1.1",
        "GET http://{pair}:80/ HTTP/1.1",
        "GET http://[{pair}]/ HTTP/1.1",
        "GET http:// HTTP/1.1",
        "GET http://site.example:22/ HTTP/1.1",
        "GET  http://{pair}/ HTTP/1.1",
        "GET http://{pair}/ HTTP/2.0 x",
        "GET http://{pair}/\t HTTP/1.1",
        "GET http://{pair}/\xe9 HTTP/1.1",
        "http://{pair}/",
        "\x16\x03\x01\x02\x00\x01",
        "",
    ],
)
async def test_what_no_browser_asks_a_proxy_is_refused(request_line: str, site, proxy) -> None:
    browser = await proxy(site.budget())
    line = request_line.format(pair=site.pair).encode("latin-1")

    assert await browser.say(line + b"\r\nHost: x\r\n\r\n") == REFUSED

    assert site.connections == 0
    assert (await browser.get(site.url)).endswith(b"page")


@pytest.mark.parametrize(
    "headers",
    [
        "Upgrade: websocket\r\nConnection: Upgrade",
        "Content-Length: 1\r\nContent-Length: 2",
        "Content-Length: -1",
        "Transfer-Encoding: gzip, chunked",
        "X : y",
        "X",
        "X: a\0b",
    ],
)
async def test_a_request_whose_head_is_odd_is_refused(headers: str, site, proxy) -> None:
    browser = await proxy(site.budget())

    assert await browser.say(f"GET {site.url} HTTP/1.1\r\nHost: x\r\n{headers}\r\n\r\n".encode()) == REFUSED

    assert site.connections == 0
    assert (await browser.get(site.url)).endswith(b"page")


@pytest.mark.parametrize("said", [b"", b"GET http://site.ex"])
async def test_who_leaves_without_asking_has_asked_nothing(said: bytes, site, proxy) -> None:
    budget = site.budget()
    browser = await proxy(budget)

    async with browser.connect() as (reader, writer):
        writer.write(said)
        writer.write_eof()
        assert await reader.read() == REFUSED
    assert budget.requests == 0


async def test_a_request_body_that_is_none_ends_the_exchange(start, proxy) -> None:
    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    site = await start(wait)
    browser = await proxy(site.budget())
    head = f"POST {site.url} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode()

    assert await browser.say(head + b"no size\r\n") == REFUSED


async def test_a_name_that_does_not_exist_is_refused_like_one_that_leads_inside(site, start, proxy) -> None:
    canary = await start()
    budget = site.budget(names=inside_names())
    browser = await proxy(budget)
    unknown, inside = "http://unknown.example/", f"http://inside.example:{canary.port}/"

    assert await browser.get(unknown) == await browser.get(inside) == REFUSED

    assert isinstance(budget.refusal(unknown), HostNotFound)
    assert isinstance(budget.refusal(inside), WireDenied)


async def test_the_time_of_a_refusal_does_not_tell_the_two_apart() -> None:
    """A look-up that fails takes its time; the answer comes at the same beat as one that is denied at once."""
    loop = asyncio.get_running_loop()
    beat_s = 0.03

    async def slow_for_unknown_names(host: str, port: int) -> list[str]:
        await asyncio.sleep(0.01 if host == "unknown.example" else 0)
        return [] if host == "unknown.example" else ["10.0.0.1"]

    guard = Guard(resolver=slow_for_unknown_names)
    for host in ("unknown.example", "inside.example"):
        budget = PageBudget(guard, timeouts=ProxyTimeouts(refusal_step_s=beat_s))
        started = loop.time()
        with pytest.raises((HostNotFound, WireDenied)):
            await budget.resolve(budget.judge(f"http://{host}/"))
        # No upper bound, which a busy machine would break; the lower is what the quick one has to wait for.
        assert loop.time() - started >= beat_s - 0.002


async def test_a_resolver_that_does_not_answer_is_a_timeout(site, proxy) -> None:
    async def never(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    budget = PageBudget(Guard(resolver=never), timeouts=ProxyTimeouts(look_up_s=0.01, refusal_step_s=0.001))
    browser = await proxy(budget)

    assert await browser.get("http://site.example/") == REFUSED
    assert isinstance(budget.refusal("http://site.example/"), WireTimeout)


async def test_a_name_that_turns_inside_is_dialled_where_it_was_checked(dials: list[str], proxy) -> None:
    names = Names(rebind_example=[["93.184.216.34"], ["127.0.0.1"]])
    budget = PageBudget(Guard(resolver=names), timeouts=QUICK)
    browser = await proxy(budget)

    for _ in range(3):
        assert await browser.get("http://rebind.example/") == REFUSED
        assert await browser.say(b"CONNECT rebind.example:80 HTTP/1.1\r\nHost: x\r\n\r\n") == REFUSED

    assert (dials, names.asked) == (["93.184.216.34"] * 6, ["rebind.example"])
    assert str(budget.refusal("http://rebind.example/")) == "no connection"


async def test_a_name_that_leads_inside_for_the_next_page_is_refused_there(dials: list[str], proxy) -> None:
    guard = Guard(resolver=Names(rebind_example=[["93.184.216.34"], ["127.0.0.1"]]))

    for _ in range(2):
        budget = PageBudget(guard, timeouts=QUICK)
        await (await proxy(budget)).get("http://rebind.example/")

    assert dials == ["93.184.216.34"]
    assert isinstance(budget.refusal("http://rebind.example/"), WireDenied)


async def test_one_private_answer_among_public_ones_refuses_the_host(dials: list[str], proxy) -> None:
    names = Names(mixed_example=[["93.184.216.34", "10.0.0.1"]], public_example=[["93.184.216.34", "2606:4700::1111"]])
    browser = await proxy(PageBudget(Guard(resolver=names), timeouts=QUICK))

    assert await browser.get("http://mixed.example/") == REFUSED
    assert dials == []
    await browser.get("http://public.example/")
    assert dials == ["93.184.216.34", "2606:4700::1111"]


async def test_the_next_address_is_tried_where_one_does_not_answer(start, proxy, monkeypatch) -> None:
    site = await start()
    connect = asyncio.SelectorEventLoop.sock_connect

    async def only_home(loop: asyncio.SelectorEventLoop, sock: object, address: tuple[str, int]) -> None:
        if address[0] == "127.0.0.2":
            raise ConnectionRefusedError
        if address[0] == "127.0.0.3":
            await asyncio.Event().wait()
        await connect(loop, sock, address)

    monkeypatch.setattr(asyncio.SelectorEventLoop, "sock_connect", only_home)
    names = Names(site_example=[["127.0.0.2", "127.0.0.3", "127.0.0.1"]])
    budget = site.budget(names=names, timeouts=ProxyTimeouts(dial_s=1))
    browser = await proxy(budget)

    assert (await browser.get(site.url)).endswith(b"page")
    assert budget.refusal(site.url) is None


async def test_a_host_that_answers_again_is_no_longer_refused(start, proxy) -> None:
    turns = [b"nonsense", b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"]

    async def better(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(turns.pop(0))

    site = await start(better)
    budget = site.budget()
    browser = await proxy(budget)

    assert await browser.get(site.url) == REFUSED
    assert isinstance(budget.refusal(site.url), WireFailed)
    assert await browser.get(site.url) == REFUSED
    assert budget.refusal(site.url) is None


async def test_our_own_server_is_refused_even_where_the_operator_opened_it(site, proxy) -> None:
    with listen("127.0.0.1", 0) as ours:
        port = ours.socket.getsockname()[1]
        budget = site.budget(f"127.0.0.1:{port}")
        browser = await proxy(budget)

        assert await browser.get(f"http://127.0.0.1:{port}/") == REFUSED
        assert isinstance(budget.refusal(f"http://127.0.0.1:{port}/"), WireDenied)

        ours.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            ours.socket.accept()


async def test_a_proxy_is_no_way_to_a_proxy(site, proxy) -> None:
    """Neither to itself nor to that of another page, which may do more."""
    other = await proxy(site.budget())
    budget = site.budget(f"127.0.0.1:{other.port}")
    browser = await proxy(budget)

    assert await browser.say(f"CONNECT 127.0.0.1:{other.port} HTTP/1.1\r\nHost: x\r\n\r\n".encode()) == REFUSED
    assert isinstance(budget.refusal(f"https://127.0.0.1:{other.port}/"), WireDenied)
