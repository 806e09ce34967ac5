"""Answers that would end a careless server: the real one says what it can and goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.stdio import BareServer, Message


def text(answer: Message) -> str:
    return str(answer["result"]["content"][0]["text"])


async def is_alive(bare: BareServer) -> bool:
    return (await bare.ask("ping"))["result"] == {}


@asynccontextmanager
async def answering(*answers: bytes) -> AsyncIterator[int]:
    """The port of a server that says exactly these bytes, which no library would: the first at `/0`, and so on."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _method, path, _rest = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)
        writer.write(answers[int(path[1:])])
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


NO_TEXT = [b"image/\xff", b"\xff\xfe/\xed\xa0\x80", b"image/\xc2\x9b2J", b"image/x;charset=\xff"]


@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_a_header_that_is_no_text_costs_the_page_only(server: Server, contract: str) -> None:
    """A header is decoded with surrogates in place of its stray bytes, and those cannot be written as JSON."""
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: %b\r\n\r\nhi"
    async with answering(*(head % kind for kind in NO_TEXT)) as port:
        settings = {"DOWSE_ALLOW_PRIVATE": f"127.0.0.1:{port}", "DOWSE_CONTRACT": contract}
        async with server.bare(settings) as bare:
            for number in range(len(NO_TEXT)):
                answer = await bare.call("get_content", url=f"http://127.0.0.1:{port}/{number}")
                assert "the content type is not supported" in text(answer)
                assert await is_alive(bare)
                if contract == "dowse":
                    assert answer["result"]["structuredContent"]["status"] == "unsupported"
                    assert answer["result"]["structuredContent"]["attempts"][0]["detail"].isprintable()
    assert server.log.count('"outcome": "unsupported"') == len(NO_TEXT)


@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_a_reason_that_cannot_be_encoded_costs_the_search_only(
    server: Server, web: PocketWeb, contract: str
) -> None:
    web.searxng.replies(json={"results": [], "unresponsive_engines": [["g", "\ud800"]]})
    async with server.bare(web.environment("searxng") | {"DOWSE_CONTRACT": contract}) as bare:
        answer = await bare.call("web_search", query="x")
        assert answer["result"]["isError"]
        assert text(answer) == "searxng answered, but all of its engines had failed: g:"
        assert await is_alive(bare)


@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_results_that_cannot_be_encoded_are_shown_without_it(
    server: Server, web: PocketWeb, contract: str
) -> None:
    broken = "a\ud800b\udfff"
    result = {"title": broken, "content": broken, "engine": broken, "publishedDate": broken}
    links = [web.page(f"/{broken}"), web.page("/articles/python-315")]
    said = {"results": [{**result, "url": link} for link in links], "answers": [broken], "suggestions": [broken]}
    web.searxng.replies(json=said | {"unresponsive_engines": [[broken, broken]]})
    async with server.bare(web.environment("searxng") | {"DOWSE_CONTRACT": contract}) as bare:
        answer = await bare.call("web_search", query="x", num_results=1)
        assert not answer["result"]["isError"]
        assert "ab" in text(answer)
        assert links[1] in text(answer)
        assert await is_alive(bare)


async def test_the_answer_is_small_whatever_providers_send(server: Server, web: PocketWeb) -> None:
    """max_tokens bounds the text of pages; all else that comes from outside is bounded by itself."""
    megabyte, long = "word " * 200_000, "word " * 20_000
    results = [
        {"title": long, "url": web.page(f"/missing?{number}"), "content": megabyte, "engine": long}
        for number in range(3)
    ]
    huge_link = {"title": "T", "url": web.page("/" + "x" * 100_000), "content": ""}
    answers = [f"{number} {'word ' * 1000}" for number in range(100)]
    web.searxng.replies(json={"results": [huge_link, *results], "answers": answers, "suggestions": answers})
    async with server.bare(web.environment("searxng")) as bare:
        answer = await bare.call("web_search", query="x", max_tokens=100)
        assert len(answer["result"]["structuredContent"]["results"]) == 3
        assert len(bare.lines[-1]) < 60_000
    assert len(server.log) < 60_000


async def test_an_argument_of_any_depth_is_refused_and_not_the_end(server: Server) -> None:
    deep = b"[" * 5000 + b"]" * 5000
    call = b'{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"web_search","arguments":{"query":%b}}}\n'
    async with server.bare({}) as bare:
        await bare.send_bytes(call % deep)
        assert await is_alive(bare)
        assert (await bare.call("web_search", query=[["x"]]))["result"]["isError"]
