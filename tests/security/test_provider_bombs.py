"""Packed answers of several providers at once: what a call holds while it reads them."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import brotli
import pytest

from dowse.net.decode import ACCEPTED, SMALL_CODINGS
from dowse.net.json_fields import MOST_PARTS
from tests.security.packing import CODINGS, ZEROS, gzip

pytestmark = [
    pytest.mark.promise("hardened-provider-bombs"),
    pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc"),
]

AT_ONCE = 4
# Nearly all that an answer may have, and then more, of which only the beginning is sent.
LETTERS = bytes(random.Random(1).choices(b"abcdefgh", k=4_000_000))
SENT = 0.98
MEASURE = """
import asyncio, json, sys
from dowse.core.errors import ProviderError
from dowse.core.models import Deadline
from dowse.core.runtime import SystemClock
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.secrets.redact import Redactor

def peak_mib():
    return int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]) / 1024

async def main(port, codings):
    client = ConfiguredClient("dowse/test")
    api = Api("serper", client, 30.0, "SERPER_API_KEY", Redactor(()), codings=codings)

    async def ask(path):
        try:
            await api.get(f"http://127.0.0.1:{port}{path}", Deadline.after(SystemClock(), 30), headers={}, params={})
        except ProviderError as error:
            return type(error).__name__
        return "taken"

    warm = [await ask(f"/small/{name}") for name in ("gzip", "deflate", "br", "zstd")]
    before = peak_mib()
    outcomes = await asyncio.gather(*[ask("/bomb") for _ in range(4)])
    print(json.dumps({"warm": warm, "outcomes": outcomes, "grown_mib": peak_mib() - before}))
    await client.close()

asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
"""

MOST_MIB = 35
# One wide character makes the text of a body, which is parsed after the others, four times as large.
MOST_TAKEN_MIB = 60
# Lists, strings, strings of characters that take four bytes, and objects with names of their own.
ELEMENTS = {
    "lists": (b"[]", 2),
    "strings": (b'"ab"', 2),
    "wide strings": ('"\N{OTTER}"'.encode(), 2),
    "objects": (b'{"%xa":1,"%xb":2}', 8),
}
"""Each with its number of parts, the comma behind it included."""
PARSE = """
import json, sys
def peak_mib():
    return int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]) / 1024
before = peak_mib()
body = sys.stdin.buffer.read()
before = peak_mib()
parsed = json.loads(body)
print(peak_mib() - before)
"""


@asynccontextmanager
async def bombing(coding: str, bomb: bytes) -> AsyncIterator[int]:
    """A server that sends all callers their bomb before one of them gets its end; its port."""
    begun = 0
    all_begun = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal begun
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        name, body = coding, bomb
        if path != "/bomb":
            name, pack = CODINGS[path.rpartition("/")[2]]
            body = pack([b"{}"])
        head = f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: {name}\r\n\r\n"
        with suppress(ConnectionError):
            writer.write(head.encode() + body)
            await writer.drain()
            if path == "/bomb":
                begun += 1
                if begun == AT_ONCE:
                    all_begun.set()
                await all_begun.wait()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def widest() -> bytes:
    """A hundred bytes of brotli, of which a decoder fills its window of 16 MiB before it gives anything."""
    packer = brotli.Compressor(quality=5, lgwin=24, lgblock=24)
    return packer.process(b'{"organic": "' + ZEROS * 100) + packer.finish()


async def measure(coding: str, bomb: bytes, codings: str) -> dict[str, Any]:
    async with bombing(coding, bomb) as port:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", MEASURE, str(port), codings, stdout=PIPE)
        out, _ = await process.communicate()
    measured: dict[str, Any] = json.loads(out)
    return measured


@pytest.mark.parametrize("name", CODINGS)
async def test_four_bombs_at_once_are_refused_in_little_memory(name: str) -> None:
    coding, pack = CODINGS[name]
    bomb = pack([b'{"organic": "' + LETTERS + ZEROS * 20])
    measured = await measure(coding, bomb[: int(len(bomb) * SENT)], SMALL_CODINGS)
    assert measured["outcomes"] == ["NetworkFailed"] * AT_ONCE
    assert measured["grown_mib"] < 30
    # The control for the refusal: harmless answers in the offered codings are read.
    assert measured["warm"] == ["taken", "taken", "NetworkFailed", "NetworkFailed"]


async def test_four_windows_of_brotli_are_not_allocated() -> None:
    # The control for the measurement: a client that offers brotli fills them, if they are read at the same time.
    filled = [await measure("br", widest(), ACCEPTED) for _ in range(2)]
    assert [each["warm"] for each in filled] == [["taken"] * 4] * 2
    assert max(each["grown_mib"] for each in filled) > 40
    measured = await measure("br", widest(), SMALL_CODINGS)
    assert measured["outcomes"] == ["NetworkFailed"] * AT_ONCE
    assert measured["grown_mib"] < 10


def parts(element: bytes, count: int) -> bytes:
    """So many elements of a list."""
    return b",".join(element % (number, number) if b"%" in element else element for number in range(count))


@pytest.mark.parametrize(("element", "size"), ELEMENTS.values(), ids=ELEMENTS)
async def test_four_answers_of_small_parts_are_refused_before_they_are_parsed(element: bytes, size: int) -> None:
    longest = len(element) + 7 if b"%" in element else len(element)
    bomb = b'{"organic": [' + parts(element, 4_900_000 // (longest + 1)) + b"]}"
    measured = await measure("gzip", gzip([bomb]), SMALL_CODINGS)
    assert measured["outcomes"] == ["BadAnswer"] * AT_ONCE
    assert measured["grown_mib"] < MOST_MIB
    # The control: parsed, one of them takes more than all four.
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", PARSE, stdin=PIPE, stdout=PIPE)
    out, _ = await process.communicate(bomb)
    assert float(out) > MOST_MIB


@pytest.mark.parametrize(("element", "size"), ELEMENTS.values(), ids=ELEMENTS)
async def test_four_answers_with_as_many_parts_as_are_read_take_little_memory(element: bytes, size: int) -> None:
    made = parts(element, MOST_PARTS // size - 10)
    text = b',"' + LETTERS[: 4_900_000 - len(made)] + b'"'
    measured = await measure("gzip", gzip([b'{"organic": [' + made + text + b"]}"]), SMALL_CODINGS)
    assert measured["outcomes"] == ["taken"] * AT_ONCE
    assert measured["grown_mib"] < MOST_TAKEN_MIB
