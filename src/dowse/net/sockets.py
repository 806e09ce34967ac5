"""Listeners: sockets that accept connections, whose ports the SSRF guard denies to pages."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dowse.core.errors import ConfigError
from dowse.net.guard import parse_address, reserve_port


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


def _reason(error: OSError | UnicodeError) -> str:
    if isinstance(error, UnicodeError):
        # A label that is empty, too long or has invalid characters: refused before any look-up.
        return "not a valid host name"
    # Python adds the address, which the sentence already has.
    return (error.strerror or str(error)).partition(" (")[0].lower()
