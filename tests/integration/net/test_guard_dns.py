"""Look-ups: the system's answers, its refusals, and an end that nothing holds up."""

import subprocess
import sys

import pytest

from dowse.net.guard import look_up


async def test_each_address_is_returned_once() -> None:
    assert await look_up("127.0.0.1", 80) == ["127.0.0.1"]


async def test_an_unknown_name_is_an_os_error() -> None:
    with pytest.raises(OSError, match="not known"):
        await look_up("nowhere.invalid", 80)


async def test_a_name_that_idna_refuses_is_a_unicode_error() -> None:
    with pytest.raises(UnicodeError):
        await look_up("a..example", 80)


def test_a_resolver_that_hangs_does_not_keep_the_process_alive() -> None:
    program = """
import asyncio, socket, threading
socket.getaddrinfo = lambda *a, **k: threading.Event().wait()
from dowse.net.guard import look_up

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
