"""DNS look-up by the system resolver, in threads that cannot delay shutdown."""

from __future__ import annotations

import asyncio
import socket
import threading


async def look_up(host: str, port: int) -> list[str]:
    """All addresses of a name in the order to try them; raises `OSError`.

    asyncio looks names up in its thread pool, and the end of a loop waits for that pool: a resolver that hangs would
    delay shutdown by half a minute. Daemon threads are not waited for.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def deliver(addresses: list[str] | None, error: OSError | UnicodeError | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(addresses or [])

    def work() -> None:
        addresses, error = None, None
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
        except (OSError, UnicodeError) as failure:  # a label that IDNA refuses is a UnicodeError
            error = failure
        if not loop.is_closed():
            loop.call_soon_threadsafe(deliver, addresses, error)

    threading.Thread(target=work, name="dowse-dns", daemon=True).start()
    return await answer
