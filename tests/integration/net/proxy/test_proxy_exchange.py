"""Plain requests through the proxy: what reaches the server, and what comes back."""

from __future__ import annotations

import asyncio

import pytest

from dowse.net.proxy import stream

REFUSED = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def head_of(answer: bytes) -> list[bytes]:
    return answer.partition(b"\r\n\r\n")[0].split(b"\r\n")


async def test_a_page_is_passed_on(site, proxy) -> None:
    browser = await proxy(site.budget())

    answer = await browser.get(site.url)

    assert answer == b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\npage"


async def test_the_server_is_asked_like_any_other_and_hears_nothing_of_a_proxy(site, proxy) -> None:
    browser = await proxy(site.budget())

    await browser.get(
        f"{site.url}a/b?c=d&e",
        "Proxy-Connection: keep-alive",
        "Proxy-Authorization: Basic eDp5",
        "Connection: keep-alive, X-Hop",
        "Keep-Alive: 5",
        "X-Hop: 1",
        "TE: trailers",
        "Trailer: X-Sum",
        "Expect: 100-continue",
        "Upgrade-Insecure-Requests: 1",
        "User-Agent: Browser",
        "cookie: a=b",
    )

    assert head_of(site.requests[0]) == [
        b"GET /a/b?c=d&e HTTP/1.1",
        b"Host: " + site.pair.encode(),
        b"Upgrade-Insecure-Requests: 1",
        b"User-Agent: Browser",
        b"cookie: a=b",
        b"Connection: close",
    ]


async def test_the_host_that_was_judged_is_asked_for_whatever_the_header_says(site, proxy) -> None:
    browser = await proxy(site.budget())

    await browser.say(f"GET {site.url} HTTP/1.1\r\nHost: inside.example\r\n\r\n".encode())

    assert head_of(site.requests[0])[1] == b"Host: " + site.pair.encode()


@pytest.mark.parametrize(
    ("asked", "got"),
    [("", b"/"), ("?", b"/?"), ("a%20b?c=%0d%0aX:1#part", b"/a%20b?c=%0d%0aX:1"), ("../../x//y", b"/x//y")],
)
async def test_the_path_is_the_one_that_was_judged(asked: str, got: bytes, site, proxy) -> None:
    browser = await proxy(site.budget())

    await browser.get(site.url + asked)

    assert site.requests[0].split()[1] == got


async def test_the_browser_hears_nothing_that_is_between_us_and_the_server(start, proxy) -> None:
    site = await start(
        b"HTTP/1.1 407 Say who you are\r\nProxy-Authenticate: Basic\r\nKeep-Alive: timeout=5\r\nX-Hop: 1\r\n"
        b"Connection: keep-alive, x-hop\r\nSet-Cookie: a=b\r\nset-cookie: c=d\r\nContent-Length: 0\r\n\r\n"
    )
    browser = await proxy(site.budget())

    assert head_of(await browser.get(site.url)) == [
        b"HTTP/1.1 407 Say who you are",
        b"Set-Cookie: a=b",
        b"set-cookie: c=d",
        b"Content-Length: 0",
        b"Connection: close",
    ]


async def test_what_is_said_of_the_connection_does_not_take_a_bodys_framing_away(start, proxy) -> None:
    site = await start(
        b"HTTP/1.1 200 OK\r\nConnection: content-length, upgrade\r\nUpgrade: h2c\r\nContent-Length: 4\r\n\r\npage"
    )
    browser = await proxy(site.budget())

    head = f"POST {site.url} HTTP/1.1\r\nHost: x\r\nConnection: transfer-encoding\r\n"
    answer = await browser.say(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")

    assert b"Transfer-Encoding: chunked\r\n" in site.requests[0]
    assert answer == b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\npage"


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\npa\r\n2\r\nge\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: y\r\n\r\npage until the end",
        b"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n",
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9999\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n",
    ],
)
async def test_a_body_keeps_its_framing(answer: bytes, start, proxy) -> None:
    site = await start(answer)
    browser = await proxy(site.budget())

    assert await browser.get(site.url) == answer.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)


async def test_an_old_server_is_understood(start, proxy) -> None:
    site = await start(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>old")
    browser = await proxy(site.budget())

    assert (await browser.get(site.url)).startswith(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")


async def test_a_head_alone_has_no_body(start, proxy) -> None:
    site = await start(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
    browser = await proxy(site.budget())

    answer = await browser.get(site.url, method="HEAD")

    assert site.requests[0].startswith(b"HEAD / HTTP/1.1\r\n")
    assert answer.endswith(b"Content-Length: 5000\r\nConnection: close\r\n\r\n")


async def test_interim_answers_are_passed_over(start, proxy) -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
    site = await start(b"HTTP/1.1 100 Continue\r\n\r\n" + hints + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    browser = await proxy(site.budget())

    assert await browser.get(site.url) == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"


async def test_interim_answers_without_end_are_no_answer(start, proxy) -> None:
    site = await start(b"HTTP/1.1 100 Continue\r\n\r\n" * 100 + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    browser = await proxy(site.budget())

    assert await browser.get(site.url) == REFUSED


@pytest.mark.parametrize(
    ("framing", "body"),
    [("Content-Length: 7", b"a=1&b=2"), ("Transfer-Encoding: chunked", b"7\r\na=1&b=2\r\n0\r\n\r\n")],
)
async def test_a_request_body_is_passed_on_as_it_comes(framing: str, body: bytes, start, proxy) -> None:
    begun, heard = asyncio.Event(), bytearray()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not heard.endswith(body):
            heard.extend(await reader.read(100))
            begun.set()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nthanks")

    site = await start(take)
    browser = await proxy(site.budget())

    async with browser.connect() as (reader, writer):
        writer.write(f"POST {site.url} HTTP/1.1\r\nHost: x\r\n{framing}\r\n\r\n".encode())
        await begun.wait()
        assert not heard.endswith(body)
        writer.write(body)
        assert (await reader.read(1000)).endswith(b"\r\n\r\nthanks")
    assert heard.startswith(b"POST / HTTP/1.1\r\n")


async def test_what_comes_after_a_request_is_ignored(start, proxy) -> None:
    """A second request on the connection would be neither judged nor counted."""
    site = await start()
    budget = site.budget()
    browser = await proxy(budget)
    request = f"GET {site.url} HTTP/1.1\r\nHost: x\r\n\r\n".encode()

    answer = await browser.say(request + b"GET http://inside.example/ HTTP/1.1\r\nHost: x\r\n\r\n")

    assert (answer.count(b"HTTP/1.1"), site.connections, budget.requests) == (1, 1, 1)
    assert site.requests[0].count(b"GET") == 1


async def test_a_server_may_answer_before_it_has_heard_everything(start, proxy) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too much\r\nContent-Length: 0\r\n\r\n")

    site = await start(refuse)
    browser = await proxy(site.budget())

    async with browser.connect() as (reader, writer):
        writer.write(f"POST {site.url} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n".encode() + b"x" * 10_000)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 413 Too much\r\n")


async def test_a_server_that_keeps_its_connection_is_left_when_the_browser_goes(start, proxy) -> None:
    left = asyncio.Event()

    async def stay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        await reader.read()
        left.set()

    site = await start(stay)
    browser = await proxy(site.budget())

    async with browser.connect() as (reader, writer):
        writer.write(f"GET {site.url} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await reader.readuntil(b"hi")
    await asyncio.wait_for(left.wait(), 30)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"hello",
        b"\0" * 100,
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX : y\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\rSet-Cookie: b\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000,
    ],
)
async def test_a_server_that_makes_no_sense_is_no_answer(answer: bytes, start, proxy) -> None:
    site = await start(answer)
    budget = site.budget()
    browser = await proxy(budget)

    assert await browser.get(site.url) == REFUSED
    assert str(budget.refusal(site.url)) == "the answer broke off or was malformed"


async def test_an_answer_that_breaks_off_does_not_look_whole(start, proxy) -> None:
    async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhalf of it")
        await writer.drain()
        await go_on.wait()
        stream.reset(writer)

    go_on = asyncio.Event()
    site = await start(reset)
    browser = await proxy(site.budget())

    async with browser.connect() as (reader, writer):
        writer.write(f"GET {site.url} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await reader.readuntil(b"half of it")
        go_on.set()
        with pytest.raises(ConnectionResetError):
            await reader.read()
