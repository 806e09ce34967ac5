"""A name server whose answer comes after the caller has given up."""

from __future__ import annotations

import asyncio
import socket
import threading

import pytest

from dowse.net.guard import look_up

PATIENCE_S = 30


async def test_an_answer_to_a_cancelled_lookup_is_dropped_without_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, released, threads = threading.Event(), threading.Event(), list[threading.Thread]()

    def answer_late(*_: object, **__: object) -> list[object]:
        threads.append(threading.current_thread())
        begun.set()
        assert released.wait(PATIENCE_S)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", answer_late)
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))

    waiting = asyncio.create_task(look_up("slow.example", 80))
    assert await asyncio.to_thread(begun.wait, PATIENCE_S)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    released.set()
    # The thread hands its answer to the loop before it ends, and the loop takes it in its next turn.
    await asyncio.to_thread(threads[0].join, PATIENCE_S)
    await asyncio.sleep(0)

    assert waiting.cancelled()
    assert complaints == []
