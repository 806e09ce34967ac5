"""Look-ups: the system's answers, its refusals, and an end that nothing holds up."""

import asyncio
import socket
import subprocess
import sys
import threading

import pytest

from dowse.net.dns import look_up


async def test_each_address_is_returned_once() -> None:
    assert await look_up("127.0.0.1", 80) == ["127.0.0.1"]


async def test_an_unknown_name_is_an_os_error() -> None:
    with pytest.raises(OSError, match="not known"):
        await look_up("nowhere.invalid", 80)


async def test_a_name_that_idna_refuses_is_a_unicode_error() -> None:
    with pytest.raises(UnicodeError):
        await look_up("a..example", 80)


async def test_an_answer_that_comes_after_the_caller_left_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    released, answered = threading.Event(), threading.Event()

    def slow(*_args: object, **_options: object) -> list[object]:
        released.wait(10)
        answered.set()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    waiting = asyncio.create_task(look_up("slow.example", 80))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    released.set()
    await asyncio.to_thread(answered.wait, 10)
    # One more turn of the loop delivers the late answer, which must not raise.
    await asyncio.sleep(0)


def test_a_resolver_that_hangs_does_not_keep_the_process_alive() -> None:
    program = """
import asyncio, socket, threading
socket.getaddrinfo = lambda *a, **k: threading.Event().wait()
from dowse.net.dns import look_up

async def main():
    try:
        async with asyncio.timeout(0.05):
            await look_up("hangs.example", 80)
    except TimeoutError:
        print("gone")

asyncio.run(main())
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=True)
    assert ended.stdout == "gone\n"
