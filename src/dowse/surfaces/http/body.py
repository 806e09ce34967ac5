"""Bodies of requests, bounded in size and time, and the disconnection of a caller."""

from __future__ import annotations

import asyncio

import anyio
from starlette.datastructures import Headers
from starlette.types import Message, Receive

from dowse.contracts.endpoint import MAX_BODY_BYTES
from dowse.core.errors import RequestRefused

BODY_TIMEOUT_S = 15.0


async def read_body(headers: Headers, receive: Receive, max_bytes: int = MAX_BODY_BYTES) -> bytes | None:
    """The whole body, or `None` if the client left within it. Raises `RequestRefused`."""
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > max_bytes:
        raise _too_large(max_bytes)
    chunks: list[bytes] = []
    size, more = 0, True
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                chunks.append(message.get("body", b""))
                size += len(chunks[-1])
                more = message.get("more_body", False)
                if size > max_bytes:
                    raise _too_large(max_bytes)
    except TimeoutError:
        raise RequestRefused(408, "the body took too long to arrive") from None
    return b"".join(chunks)


def replay(body: bytes, receive: Receive) -> Receive:
    """The body once more, then the messages after it."""
    is_sent = False

    async def receive_again() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


async def cancel_on_disconnect(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def _too_large(max_bytes: int) -> RequestRefused:
    return RequestRefused(413, f"a body has at most {max_bytes} bytes")
