"""The end of stdin: requests that came before it are still answered."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage

from dowse.surfaces.mcp import server
from dowse.surfaces.mcp.server import Incoming, Outgoing, drain_pending_requests


def request(number: int) -> SessionMessage:
    return SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=number, method="tools/list"))


def answer(number: int) -> SessionMessage:
    return SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=number, result={}))


def failure(number: int) -> SessionMessage:
    error = types.ErrorData(code=types.INVALID_PARAMS, message="no")
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=number, error=error))


def cancelled(number: int) -> SessionMessage:
    params = {"requestId": number}
    return SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params))


@asynccontextmanager
async def ended_after(*messages: SessionMessage) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The server's two streams, when a client has sent these messages and closed its side."""
    wire_in, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](10)
    outgoing, wire_out = anyio.create_memory_object_stream[SessionMessage](10)
    for message in messages:
        wire_in.send_nowait(message)
    wire_in.close()
    async with incoming, wire_out, outgoing, drain_pending_requests(incoming, outgoing) as streams:
        yield streams


async def ends(incoming: Incoming) -> bool:
    """Whether the stream is over as soon as everybody else has had their turn."""
    receiving = asyncio.ensure_future(incoming.receive())
    for _ in range(10):
        await asyncio.sleep(0)
    if not receiving.done():
        receiving.cancel()
        return False
    with pytest.raises(anyio.EndOfStream):
        receiving.result()
    return True


@pytest.mark.parametrize("reply", [answer, failure])
async def test_the_stream_ends_with_the_last_answer(reply: Callable[[int], SessionMessage]) -> None:
    async with ended_after(request(1), request(2)) as (incoming, outgoing):
        await incoming.receive()
        await outgoing.send(reply(1))
        await incoming.receive()
        assert not await ends(incoming)
        await outgoing.send(reply(2))
        assert await ends(incoming)


async def test_what_was_cancelled_or_never_asked_is_not_waited_for() -> None:
    async with ended_after(request(1), cancelled(1), answer(7)) as (incoming, _):
        for _ in range(3):
            await incoming.receive()
        assert await ends(incoming)


@pytest.mark.parametrize("nonsense", [{}, [], None, True, 1.5])
async def test_nonsense_instead_of_a_request_to_cancel_ends_nothing(nonsense: object) -> None:
    params = {"requestId": nonsense}
    message = SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params))
    async with ended_after(request(1), message) as (incoming, outgoing):
        for _ in range(2):
            await incoming.receive()
        assert not await ends(incoming)
        await outgoing.send(answer(1))
        assert await ends(incoming)


async def test_an_answer_that_takes_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LINGER_S", 0.01)
    async with ended_after(request(1)) as (incoming, _):
        await incoming.receive()
        with pytest.raises(anyio.EndOfStream):
            await asyncio.wait_for(incoming.receive(), 30)


async def test_a_server_that_ends_first_leaves_no_call_waiting() -> None:
    async with ended_after(request(1), request(2)) as (incoming, outgoing):
        await incoming.aclose()
        await outgoing.aclose()
