"""Bodies that grow: a download stops at the limit, and memory stays small whatever the coding."""

from __future__ import annotations

import asyncio
import json
import sys
import zlib
from collections.abc import Awaitable, Callable, Iterator

import brotli
import pytest

from dowse.errors import WireFailed, WireTooLarge
from dowse.net.clients import UntrustedClient

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Build = Callable[..., UntrustedClient]

MIB = 1024 * 1024
BOMB_MIB = 200
CAP = 2 * MIB

# Runs in a process of its own, so that its peak memory is the client's alone.
MEASURE = """
import asyncio, json, resource, sys, time
from dowse.errors import WireTooLarge
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard

def peak_mib():
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)

async def main(port, cap):
    client = UntrustedClient(Guard((f"127.0.0.1:{port}",)), "dowse/test")
    url = f"http://127.0.0.1:{port}/"
    assert (await client.get(url, timeout_s=10, max_bytes=cap)).status == 404
    before, started = peak_mib(), time.monotonic()
    outcomes = []
    for _ in range(3):
        try:
            await client.get(url + "bomb", timeout_s=10, max_bytes=cap)
            outcomes.append("taken")
        except WireTooLarge:
            outcomes.append("too large")
    print(json.dumps({"outcomes": outcomes, "grown_mib": peak_mib() - before, "s": (time.monotonic() - started) / 3}))

asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
"""


def _gzip(wbits: int) -> Iterator[bytes]:
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    for _ in range(BOMB_MIB):
        yield packer.compress(bytes(MIB))
    yield packer.flush()


def _br() -> Iterator[bytes]:
    packer = brotli.Compressor(quality=5)
    for _ in range(BOMB_MIB):
        yield packer.process(bytes(MIB))
    yield packer.finish()


def _zstd() -> Iterator[bytes]:
    packer = zstd.ZstdCompressor()
    for _ in range(BOMB_MIB):
        yield packer.compress(bytes(MIB))
    yield packer.flush()


BOMBS: dict[str, tuple[str, Callable[[], Iterator[bytes]]]] = {
    "gzip": ("gzip", lambda: _gzip(31)),
    "deflate": ("deflate", lambda: _gzip(15)),
    "raw deflate": ("deflate", lambda: _gzip(-15)),
    "br": ("br", _br),
    "zstd": ("zstd", _zstd),
    "many gzip members": ("gzip", lambda: iter([zlib.compress(bytes(MIB), 9, 31)] * BOMB_MIB)),
}


@pytest.fixture
def answering(serve: Callable[..., Awaitable[int]]) -> Callable[[dict[str, bytes]], Awaitable[int]]:
    """Serves fixed bytes by path, 404 for others; returns the port."""

    async def start(answers: dict[str, bytes]) -> int:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
            writer.write(answers.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
            await writer.drain()

        return await serve(talk)

    return start


def _answer(coding: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@pytest.mark.parametrize(("coding", "pack"), BOMBS.values(), ids=BOMBS.keys())
async def test_bomb_is_refused_fast_and_in_little_memory(
    coding: str, pack: Callable[[], Iterator[bytes]], answering: Callable[[dict[str, bytes]], Awaitable[int]]
) -> None:
    """Acceptance case 49."""
    port = await answering({"/bomb": _answer(coding, b"".join(pack()))})

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", MEASURE, str(port), str(CAP), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    measured = json.loads(output)

    assert measured["outcomes"] == ["too large"] * 3
    assert measured["grown_mib"] < 32
    assert measured["s"] < 1


@pytest.mark.parametrize(
    "coding",
    [
        "gzip, gzip",
        "gzip,gzip,gzip",
        "gzip, br",
        "br, identity",
        "x-unknown",
        "compress",
        "gzip\r\nContent-Encoding: gzip",
    ],
)
async def test_stacked_or_unknown_coding_is_refused(
    coding: str, answering: Callable[[dict[str, bytes]], Awaitable[int]], client: Build
) -> None:
    body = zlib.compress(zlib.compress(b"hidden", wbits=31), wbits=31)
    port = await answering({"/": _answer(coding, body), "/one": _answer("GZIP", zlib.compress(b"plain", wbits=31))})
    opened = client(f"127.0.0.1:{port}")

    with pytest.raises(WireFailed):
        await opened.get(f"http://127.0.0.1:{port}/", timeout_s=2, max_bytes=CAP)

    assert (await opened.get(f"http://127.0.0.1:{port}/one", timeout_s=2, max_bytes=CAP)).body == b"plain"


async def test_endless_body_is_left_at_the_limit(serve: Callable[..., Awaitable[int]], client: Build) -> None:
    """Acceptance case 49: the server notices that nobody reads on."""
    sent, ended = 0, asyncio.Event()

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            while True:
                writer.write(bytes(65_536))
                await writer.drain()
                sent += 65_536
        finally:
            ended.set()

    port = await serve(pour)

    with pytest.raises(WireTooLarge):
        await client(f"127.0.0.1:{port}").get(f"http://127.0.0.1:{port}/", timeout_s=5, max_bytes=CAP)

    async with asyncio.timeout(1):
        await ended.wait()
    assert sent < CAP + 16 * MIB  # what both sockets' buffers hold


async def test_declared_size_over_the_limit_is_refused_before_the_body(
    serve: Callable[..., Awaitable[int]], client: Build
) -> None:
    """Acceptance case 49: the body never comes, so only the header can have decided."""

    async def announce(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {CAP + 1}\r\n\r\n".encode())
        await reader.read()

    port = await serve(announce)

    with pytest.raises(WireTooLarge):
        await client(f"127.0.0.1:{port}").get(f"http://127.0.0.1:{port}/", timeout_s=5, max_bytes=CAP)
