"""Tunnels through the proxy: bytes go both ways, and nothing but a host and a port opens one."""

from __future__ import annotations

import asyncio

import pytest

REFUSED = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1000):
        writer.write(data.upper())


async def test_bytes_go_both_ways(start, proxy) -> None:
    site = await start(echo)
    budget = site.budget()
    browser = await proxy(budget)

    async with browser.tunnel(site.pair) as (reader, writer):
        for word in (b"\x16\x03\x01 hello", b"GET / HTTP/1.1\r\n\r\n", b"\0bytes"):
            writer.write(word)
            assert await reader.readexactly(len(word)) == word.upper()

    assert (budget.requests, site.connections, budget.refusal(f"https://{site.pair}/")) == (1, 1, None)


async def test_what_was_said_before_the_tunnel_stood_is_not_lost(start, proxy) -> None:
    site = await start(echo)
    browser = await proxy(site.budget())

    async with browser.connect() as (reader, writer):
        writer.write(f"CONNECT {site.pair} HTTP/1.1\r\nHost: x\r\n\r\nearly".encode())
        assert (await reader.readuntil(b"EARLY")).endswith(b"\r\n\r\nEARLY")


async def test_the_last_words_of_a_server_arrive(start, proxy) -> None:
    async def send_and_close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"x" * 300_000)

    site = await start(send_and_close)
    browser = await proxy(site.budget())

    async with browser.tunnel(site.pair) as (reader, _):
        assert len(await reader.read()) == 300_000


async def test_a_server_is_left_when_the_browser_goes(start, proxy) -> None:
    left = asyncio.Event()

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        left.set()

    site = await start(wait)
    browser = await proxy(site.budget())

    async with browser.tunnel(site.pair):
        pass
    await asyncio.wait_for(left.wait(), 30)


@pytest.mark.parametrize(
    "place",
    [
        "{host}",
        ":{port}",
        "{host}:",
        "{host}:0{port}",
        "{host}:+{port}",
        "{host}:{port}/",
        "{host}:{port}/path",
        "{host}:{port}?q",
        "{host}:{port}#f",
        "x@{host}:{port}",
        "x:y@{host}:{port}",
        "https://{host}:{port}",
        "http://{host}:{port}/",
        "//{host}:{port}",
        "/{host}:{port}",
        "\\\\{host}:{port}",
        "{host}\\:{port}",
        "{host}%2e:{port}",
        "SITE.example:{port}",
        "{host}:{port}:443",
        "*",
    ],
)
async def test_only_a_host_and_a_port_in_their_usual_spelling_open_a_tunnel(place: str, start, proxy) -> None:
    site = await start(echo)
    browser = await proxy(site.budget())
    spelled = place.format(host="site.example", port=site.port)

    assert await browser.say(f"CONNECT {spelled} HTTP/1.1\r\nHost: x\r\n\r\n".encode()) == REFUSED

    assert site.connections == 0
    async with browser.tunnel(site.pair):
        pass
    assert site.connections == 1


async def test_a_tunnel_to_an_address_of_the_new_kind_is_understood(proxy, site) -> None:
    """Refused by its address, which nobody here has: the brackets are no reason."""
    budget = site.budget()
    browser = await proxy(budget)

    await browser.say(b"CONNECT [fe80::1]:443 HTTP/1.1\r\nHost: x\r\n\r\n")

    assert str(budget.refusal("https://[fe80::1]/")) == "address not allowed"
