"""System sockets: name look-up that cannot delay shutdown, and listeners with the ports that are our own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dowse.core.errors import ConfigError
from dowse.net.addresses import parse_address

_ours: set[tuple[str, int]] = set()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a listener there; a name other than `localhost` may resolve to anything."""
    address = parse_address(host.strip("[]"))
    return host.lower() == "localhost" if address is None else address.is_loopback


@dataclass(frozen=True, slots=True)
class Listener:
    """A listening socket and its URL."""

    socket: socket.socket

    @property
    def url(self) -> str:
        host, port = self.socket.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def listen(host: str, port: int) -> Iterator[Listener]:
    """Listen while inside; raises `ConfigError` with the fix when the address cannot be bound."""
    name = host.strip("[]")
    try:
        family, _, _, _, address = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        opened = socket.create_server(address[:2], family=family, backlog=1024)
    except (OSError, UnicodeError) as error:
        raise ConfigError(
            f"Cannot listen on {host} port {port}: {_reason(error)}. Choose another with --host and --port."
        ) from None
    with opened:
        # Inherited by its connections. Without it the end of a response waits 40 ms for the ACK of its start.
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with reserve_port(opened):
            yield Listener(opened)


@contextmanager
def reserve_port(listener: socket.socket) -> Iterator[None]:
    """While inside, the guard denies the port of this listener, whatever the operator has allowed."""
    place = listener.getsockname()[:2]
    _ours.add(place)
    try:
        yield
    finally:
        _ours.discard(place)


def is_listening_port(port: int) -> bool:
    """Whether this process listens on the port, at any address."""
    return any(port == taken for _, taken in _ours)


def _reason(error: OSError | UnicodeError) -> str:
    if isinstance(error, UnicodeError):
        # A label that is empty, too long or has invalid characters: refused before any look-up.
        return "not a valid host name"
    # Python adds the address, which the sentence already has.
    return (error.strerror or str(error)).partition(" (")[0].lower()


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
