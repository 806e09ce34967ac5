"""Bodies that grow: a download stops at the limit, and memory stays small whatever the coding."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest
from multidict import CIMultiDict

from dowse.core.wire_errors import WireFailed, WireTooLarge
from dowse.net import wire
from tests.fakes.wire import BuildClient as Build
from tests.security.packing import MIB, ZEROS, br, deflate, gzip, raw_deflate, skippable, zstandard
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("bomb")

if TYPE_CHECKING:
    import aiohttp

CAP = 2 * MIB
# More than what a client may grow by.
BOMB = [ZEROS] * 100
# So much of it takes a decoder a fifth of a second.
ENOUGH = 64 * MIB
SOON_S = 30.0

# Each port that it is told is asked by a process of its own, so that its peak memory is the client's alone.
MEASURE = """
import asyncio, json, os, resource, sys, time
from dowse.core.wire_errors import WireFailed, WireTooLarge
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard

def peak_mib():
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / 1024
    # Not by getrusage, which counts the memory of the process that started this one.
    status = open("/proc/self/status").read()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024

async def main(port, cap):
    client = UntrustedClient(Guard((f"127.0.0.1:{port}",)), "dowse/test")
    url = f"http://127.0.0.1:{port}/"
    assert (await client.get(url, timeout_s=30, max_bytes=cap)).status == 404
    before, started = peak_mib(), time.process_time()
    outcomes = []
    for _ in range(3):
        try:
            await client.get(url + "bomb", timeout_s=30, max_bytes=cap)
            outcomes.append("taken")
        except (WireFailed, WireTooLarge) as error:
            outcomes.append(type(error).__name__)
    await client.close()
    measured = {"outcomes": outcomes, "grown_mib": peak_mib() - before, "cpu_s": (time.process_time() - started) / 3}
    print(json.dumps(measured), flush=True)

for line in sys.stdin:
    if child := os.fork():
        # Whoever waits for its words has to hear that there will be none.
        if os.waitpid(child, 0)[1]:
            sys.exit(1)
    else:
        asyncio.run(main(int(line), int(sys.argv[1])))
        os._exit(0)
"""

BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "gzip": ("gzip", lambda: gzip(BOMB)),
    "deflate": ("deflate", lambda: deflate(BOMB)),
    "raw deflate": ("deflate", lambda: raw_deflate(BOMB)),
    "br": ("br", lambda: br(BOMB)),
    "zstd": ("zstd", lambda: zstandard(BOMB)),
    "many gzip members": ("gzip", lambda: gzip([ZEROS]) * 100),
    "many zstd frames": ("zstd", lambda: zstandard([ZEROS]) * 100),
    "gzip in gzip": ("gzip, gzip", lambda: gzip([packed("gzip")])),
    "br in gzip": ("br, gzip", lambda: gzip([packed("br")])),
    "zstd in br": ("zstd, br", lambda: br([packed("zstd")])),
    "padding inside two codings": ("deflate, zstd", lambda: zstandard([deflate([b"x"]), *BOMB])),
    "empty members": ("gzip, br", lambda: br([gzip([]) * 500_000])),
    "skipped frames": ("zstd, gzip", lambda: gzip([zstandard([]), skippable(b"") * 500_000])),
    "window of half a gibibyte": ("zstd", lambda: zstandard(BOMB, window_log=29)),
}
# These do not grow beyond the limit; they would cost time or memory.
DAMAGED = ("empty members", "skipped frames", "window of half a gibibyte")


@functools.cache
def packed(name: str) -> bytes:
    """The bomb of this name, packed once."""
    return BOMBS[name][1]()


@pytest.fixture(scope="module")
def measure() -> Iterator[Callable[[int], dict[str, Any]]]:
    """What a fresh client makes of the bomb at a port."""
    command = [sys.executable, "-c", MEASURE, str(CAP)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        told, said = process.stdin, process.stdout
        assert told and said

        def ask(port: int) -> dict[str, Any]:
            print(port, file=told, flush=True)
            measured: dict[str, Any] = json.loads(said.readline())
            return measured

        yield ask
    assert process.returncode == 0


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


@pytest.mark.promise("case-49")
@pytest.mark.parametrize("name", BOMBS)
async def test_bomb_is_refused_fast_and_in_little_memory(
    name: str,
    answering: Callable[[dict[str, bytes]], Awaitable[int]],
    measure: Callable[[int], dict[str, Any]],
) -> None:
    """Acceptance case 49. The figures are 64 MiB and a second, which is counted on the CPU."""
    coding, _ = BOMBS[name]
    port = await answering({"/bomb": _answer(coding, packed(name))})

    measured = await asyncio.to_thread(measure, port)

    assert measured["outcomes"] == ["WireFailed" if name in DAMAGED else "WireTooLarge"] * 3
    assert measured["grown_mib"] < 64
    assert measured["cpu_s"] < 1


class Arrived:
    """An answer whose whole body is there already, so that reading it never has to wait."""

    content_length = None

    def __init__(self, coding: str, body: bytes) -> None:
        self.headers = CIMultiDict({"Content-Encoding": coding})
        self.content = self
        self._body = body

    async def iter_any(self) -> AsyncIterator[bytes]:
        yield self._body


@each_row("name", BOMBS)
async def test_others_are_not_kept_waiting_by_a_bomb(name: str) -> None:
    coding, _ = BOMBS[name]
    ended, turns = False, 0

    async def work() -> None:
        nonlocal turns
        while not ended:
            turns += 1
            await asyncio.sleep(0)

    answer, working = Arrived(coding, packed(name)), asyncio.create_task(work())
    # Time of our own: the machine may have other work.
    started = time.thread_time()
    with contextlib.suppress(WireTooLarge, WireFailed):
        await wire.read_body(cast("aiohttp.ClientResponse", answer), ENOUGH)
    took, ended = time.thread_time() - started, True
    await working

    # A turn takes 5 ms and the step that ends it.
    assert turns >= took // 0.06


@pytest.mark.parametrize("coding", ["gzip, gzip", "gzip\r\nContent-Encoding: gzip", "GZIP\r\nContent-Encoding: x-gzip"])
async def test_two_codings_are_read_in_one_header_or_two(
    coding: str, answering: Callable[[dict[str, bytes]], Awaitable[int]], client: Build
) -> None:
    port = await answering({"/": _answer(coding, gzip([gzip([b"hidden"])]))})

    fetched = await client(f"127.0.0.1:{port}").get(f"http://127.0.0.1:{port}/", timeout_s=SOON_S, max_bytes=CAP)

    assert fetched.body == b"hidden"


@pytest.mark.parametrize(
    "coding", ["gzip,gzip,gzip", "x-unknown", "compress", "gzip\r\nContent-Encoding: gzip\r\nContent-Encoding: gzip"]
)
async def test_third_or_unknown_coding_is_refused(
    coding: str, answering: Callable[[dict[str, bytes]], Awaitable[int]], client: Build
) -> None:
    port = await answering({"/": _answer(coding, gzip([gzip([gzip([b"hidden"])])]))})

    with pytest.raises(WireFailed, match="a coding we do not read"):
        await client(f"127.0.0.1:{port}").get(f"http://127.0.0.1:{port}/", timeout_s=SOON_S, max_bytes=CAP)


@pytest.mark.promise("case-49")
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
        await client(f"127.0.0.1:{port}").get(f"http://127.0.0.1:{port}/", timeout_s=SOON_S, max_bytes=CAP)

    async with asyncio.timeout(SOON_S):
        await ended.wait()
    assert sent < CAP + 16 * MIB  # what both sockets' buffers hold


@pytest.mark.promise("case-49")
async def test_declared_size_over_the_limit_is_refused_before_the_body(
    serve: Callable[..., Awaitable[int]], client: Build
) -> None:
    """Acceptance case 49: the body never comes, so only the header can have decided."""

    async def announce(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {CAP + 1}\r\n\r\n".encode())
        await reader.read()

    port = await serve(announce)

    with pytest.raises(WireTooLarge):
        await client(f"127.0.0.1:{port}").get(f"http://127.0.0.1:{port}/", timeout_s=SOON_S, max_bytes=CAP)
