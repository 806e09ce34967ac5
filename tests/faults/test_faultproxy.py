"""The proxy that stands for a bad line does what its faults say, and nothing else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from tests.faultproxy import (
    HOST,
    Ending,
    Fault,
    FaultProxy,
    bandwidth,
    corrupt,
    half_headers,
    latency,
    limit,
    reset,
    slicing,
    slow_close,
    timeout,
    wrong_length,
)

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
BODY = b"x" * 1000
ANSWER = HEAD + BODY
# A slow machine needs its time; silence is silence after less.
SOON_S, SILENCE_S = 30.0, 0.2


class Site:
    """Answers every line on the connections it is given, and keeps what it was told."""

    def __init__(self) -> None:
        self.heard = b""
        self.closes = False

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            self.heard += line
            writer.write(ANSWER)
            if self.closes:
                break
        writer.close()


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
async def proxy(site: Site) -> AsyncIterator[FaultProxy]:
    async with await asyncio.start_server(site.talk, HOST, 0) as server:
        async with FaultProxy(server.sockets[0].getsockname()[1]) as between:
            yield between
        assert between.open_connections == 0


async def ask(proxy: FaultProxy, *, wanted: int = len(ANSWER), within_s: float = SOON_S) -> bytes:
    """What comes back: as many bytes as wanted, or all until the end. Resets and timeouts are raised as they are."""
    reader, writer = await asyncio.open_connection(HOST, proxy.port)
    try:
        writer.write(b"question\n")
        async with asyncio.timeout(within_s):
            return await reader.readexactly(wanted)
    except asyncio.IncompleteReadError as ended:
        return ended.partial
    finally:
        writer.transport.abort()


async def test_without_faults_everything_arrives_as_it_was(proxy: FaultProxy, site: Site) -> None:
    answers = await asyncio.gather(*(ask(proxy) for _ in range(20)))
    assert answers == [ANSWER] * 20
    assert site.heard == b"question\n" * 20
    assert proxy.connections == 20


@pytest.mark.parametrize(
    ("fault", "least_s"),
    [
        (latency(0.05), 0.05),
        (latency(0.05, jitter_s=0.02), 0.05),
        (slicing(size=len(ANSWER) // 10, pause_s=0.005), 0.05),
        (bandwidth(20_000), 0.04),
    ],
)
async def test_a_slow_line_carries_everything_late(proxy: FaultProxy, fault: Fault, least_s: float) -> None:
    proxy.answers = (fault,)
    started = time.monotonic()
    assert await ask(proxy) == ANSWER
    assert time.monotonic() - started >= least_s


async def test_latency_of_both_directions_adds_up(proxy: FaultProxy) -> None:
    proxy.questions = proxy.answers = (latency(0.04),)
    started = time.monotonic()
    assert await ask(proxy) == ANSWER
    assert time.monotonic() - started >= 0.08


async def test_a_limit_closes_after_its_bytes(proxy: FaultProxy) -> None:
    proxy.answers = (limit(100),)
    assert await ask(proxy) == ANSWER[:100]


@pytest.mark.parametrize("after_bytes", [0, 100])
async def test_a_reset_is_no_proper_end(proxy: FaultProxy, after_bytes: int) -> None:
    proxy.answers = (reset(after_bytes),)
    with pytest.raises(ConnectionResetError):
        await ask(proxy)


@pytest.mark.parametrize("after_bytes", [0, 100])
async def test_a_timeout_says_no_more_and_stays_open(proxy: FaultProxy, after_bytes: int) -> None:
    proxy.answers = (timeout(after_bytes),)
    assert await ask(proxy, wanted=after_bytes) == ANSWER[:after_bytes]
    with pytest.raises(TimeoutError):
        await ask(proxy, within_s=SILENCE_S)


async def test_questions_that_are_swallowed_do_not_reach_the_server(proxy: FaultProxy, site: Site) -> None:
    proxy.questions = (timeout(4),)
    with pytest.raises(TimeoutError):
        await ask(proxy, within_s=SILENCE_S)
    assert site.heard in (b"", b"ques")


async def test_the_bytes_of_every_answer_are_counted_anew(proxy: FaultProxy) -> None:
    """On a connection that is kept, the second answer breaks where the first did not because the fault came later."""
    reader, writer = await asyncio.open_connection(HOST, proxy.port)
    writer.write(b"question\n")
    assert await reader.readexactly(len(ANSWER)) == ANSWER
    proxy.answers = (limit(100),)
    writer.write(b"question\n")
    assert await reader.read() == ANSWER[:100]
    writer.close()


@pytest.mark.parametrize("ending", [Ending.CLOSE, Ending.SILENCE])
async def test_half_headers_end_in_the_middle_of_the_head(proxy: FaultProxy, ending: Ending) -> None:
    proxy.answers = (half_headers(ending),)
    half = HEAD[: len(HEAD) // 2]
    assert await ask(proxy, wanted=len(half)) == half
    if ending is Ending.CLOSE:
        assert await ask(proxy) == half
    else:
        with pytest.raises(TimeoutError):
            await ask(proxy, within_s=SILENCE_S)


@pytest.mark.parametrize("by", [-500, 500])
async def test_a_wrong_length_is_told_and_the_body_is_as_it_was(proxy: FaultProxy, by: int) -> None:
    proxy.answers = (wrong_length(by),)
    told = ANSWER.replace(b"1000", str(1000 + by).encode())
    assert await ask(proxy, wanted=len(told)) == told


async def test_corruption_spares_the_head_or_not(proxy: FaultProxy) -> None:
    proxy.answers = (corrupt(every=50),)
    answer = await ask(proxy)
    assert answer[: len(HEAD)] == HEAD
    assert 5 < sum(byte != ord("x") for byte in answer[len(HEAD) :]) < 60
    proxy.answers = (corrupt(every=5, spares_heads=False),)
    assert (await ask(proxy))[: len(HEAD)] != HEAD


async def test_a_slow_close_says_everything_and_ends_late(proxy: FaultProxy, site: Site) -> None:
    site.closes, proxy.answers = True, (slow_close(0.05),)
    started = time.monotonic()
    assert await ask(proxy, wanted=2000) == ANSWER
    assert time.monotonic() - started >= 0.05


async def test_faults_are_combined_in_their_order(proxy: FaultProxy) -> None:
    proxy.answers = (latency(0.05), wrong_length(1), slicing(size=300, pause_s=0), limit(700))
    started = time.monotonic()
    assert await ask(proxy) == ANSWER.replace(b"1000", b"1001")[:700]
    assert time.monotonic() - started >= 0.05


async def test_down_refuses_resets_and_comes_back_on_the_same_port(proxy: FaultProxy) -> None:
    reader, writer = await asyncio.open_connection(HOST, proxy.port)
    writer.write(b"question\n")
    await reader.readexactly(len(ANSWER))
    port = proxy.port
    await proxy.down()
    with pytest.raises(ConnectionResetError):
        await reader.read()
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await ask(proxy)
    await proxy.up()
    assert proxy.port == port
    assert await ask(proxy) == ANSWER


async def test_a_server_that_is_not_there_resets_who_asks() -> None:
    async with FaultProxy(port=1) as proxy:
        with pytest.raises(ConnectionResetError):
            await ask(proxy)


async def test_after_healing_the_line_is_as_good_as_new(proxy: FaultProxy) -> None:
    proxy.answers, proxy.questions = (reset(),), (timeout(),)
    proxy.heal()
    assert await ask(proxy) == ANSWER
