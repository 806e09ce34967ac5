"""Sites that trickle, hang, break off or never end: whatever they do, a page is given up soon after its deadline."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from dowse.core.wire_errors import WireDenied, WireTimeout
from tests.fakes.wire import BuildClient, Serve, page_clients, raw_servers
from tests.faults.test_pages import FAULTS, full_port, says  # noqa: F401

DEADLINE_S = 0.3
# The figure is 250 ms; the machine may have other work.
MARGIN_S = 0.7


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    async with raw_servers() as start:
        yield start


@pytest.fixture
async def client() -> AsyncIterator[BuildClient]:
    async with page_clients() as build:
        yield build


@pytest.mark.parametrize("name", FAULTS)
async def test_deadline_holds_when_a_site(name: str, serve: Serve, client: BuildClient) -> None:
    talk, expected = FAULTS[name]
    port = await serve(talk)
    started = time.monotonic()
    with pytest.raises(expected):
        await client(f"127.0.0.1:{port}").get(f"http://127.0.0.1:{port}/", timeout_s=DEADLINE_S, max_bytes=100_000)
    assert time.monotonic() - started < DEADLINE_S + MARGIN_S


async def test_refusal_does_not_wait_for_the_deadline(client: BuildClient) -> None:
    started = time.monotonic()
    with pytest.raises(WireDenied):
        await client().get("http://10.255.255.1/", timeout_s=30, max_bytes=100)
    assert time.monotonic() - started < MARGIN_S


async def test_connection_that_is_never_accepted_ends_at_the_deadline(
    full_port: int,  # noqa: F811 - the fixture of the quick tests
    client: BuildClient,
) -> None:
    started = time.monotonic()
    with pytest.raises(WireTimeout):
        await client(f"127.0.0.1:{full_port}").get(
            f"http://127.0.0.1:{full_port}/", timeout_s=DEADLINE_S, max_bytes=100
        )
    assert time.monotonic() - started < DEADLINE_S + MARGIN_S


async def test_handshake_that_never_ends_ends_at_the_deadline(serve: Serve, client: BuildClient) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        await reader.read()

    port = await serve(silent)
    started = time.monotonic()
    with pytest.raises(WireTimeout):
        await client(f"127.0.0.1:{port}").get(f"https://127.0.0.1:{port}/", timeout_s=DEADLINE_S, max_bytes=100)
    assert time.monotonic() - started < DEADLINE_S + MARGIN_S


async def test_pages_that_wait_for_a_free_connection_end_at_their_deadline(serve: Serve, client: BuildClient) -> None:
    """More at a time than one site may have connections; none of them outlives its deadline."""
    port = await serve(says(b""))
    opened, started = client(f"127.0.0.1:{port}"), time.monotonic()
    calls = [opened.get(f"http://127.0.0.1:{port}/", timeout_s=DEADLINE_S, max_bytes=100) for _ in range(60)]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert {type(answer) for answer in answers} == {WireTimeout}
    assert time.monotonic() - started < DEADLINE_S + MARGIN_S
