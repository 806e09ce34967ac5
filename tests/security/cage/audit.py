"""Listens to the wire of the namespace: every connection that begins and every datagram, whoever sends it."""

from __future__ import annotations

import asyncio
import ctypes
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from types import TracebackType
from typing import Self

_ETH_P_ALL = 3
_SO_ATTACH_FILTER = 26
_SOL_PACKET, _PACKET_STATISTICS, _PACKET_IGNORE_OUTGOING = 263, 6, 23
# Headers and the start of a datagram are enough.
_SEEN_BYTES = 512
# As much as the system allows.
_BUFFER_BYTES = 8_000_000
_UDP = 17
_LOOPBACK = "127.0.0.1"

_LOAD, _LOAD_AFTER_HEADER, _MEASURE_HEADER = 0x30, 0x50, 0xB1
_SHIFT, _MASK, _IF, _GO, _RETURN = 0x74, 0x54, 0x15, 0x05, 0x06
# For the kernel, which would otherwise bury us under every piece of every page: keep datagrams, and the packets that
# begin a connection. What is neither TCP nor UDP the system says by itself: that nobody is there, or of which groups
# it is. A line is an instruction, how many lines to skip if it holds and if not, and its number.
_FILTER = (
    (_LOAD, 0, 0, 0),
    (_SHIFT, 0, 0, 4),
    (_IF, 6, 0, 6),  # the version of IP
    (_LOAD, 0, 0, 9),
    (_IF, 10, 0, 17),  # UDP over IPv4
    (_IF, 0, 10, 6),
    (_MEASURE_HEADER, 0, 0, 0),
    (_LOAD_AFTER_HEADER, 0, 0, 13),
    (_GO, 0, 0, 4),
    (_LOAD, 0, 0, 6),
    (_IF, 4, 0, 17),  # UDP over IPv6
    (_IF, 0, 4, 6),
    (_LOAD, 0, 0, 53),
    (_MASK, 0, 0, 0x12),
    (_IF, 0, 1, 0x02),  # of SYN and ACK, the first one alone
    (_RETURN, 0, 0, _SEEN_BYTES),
    (_RETURN, 0, 0, 0),
)

Place = tuple[str, str, int]
"""Protocol, address, port."""


@dataclass(frozen=True, slots=True)
class Packet:
    """The first one of a connection, or a datagram."""

    protocol: str
    source: tuple[str, int]
    address: str
    port: int
    payload: bytes

    @property
    def place(self) -> Place:
        return self.protocol, self.address, self.port


class OwnSockets:
    """What this very process dials and where it listens, told by the interpreter. It cannot be stopped again."""

    def __init__(self) -> None:
        self.dials: list[Place] = []
        self.ports: set[int] = set()
        """Where it ever listened on 127.0.0.1 without having chosen the port: the doors of the cage."""
        self._listeners: list[socket.socket] = []
        sys.addaudithook(self._happened)

    def look(self) -> None:
        """Learn the ports of the listeners that are open now; a port has no number yet when it is asked for."""
        self._listeners = [listener for listener in self._listeners if listener.fileno() >= 0]
        self.ports.update(listener.getsockname()[1] for listener in self._listeners)

    def _happened(self, event: str, arguments: tuple[object, ...]) -> None:
        if event not in ("socket.connect", "socket.bind"):
            return
        opened, address = arguments
        if not isinstance(opened, socket.socket) or not isinstance(address, tuple):
            return
        if event == "socket.connect":
            protocol = "udp" if opened.type == socket.SOCK_DGRAM else "tcp"
            self.dials.append((protocol, address[0], address[1]))
        elif address[:2] == (_LOOPBACK, 0):
            self._listeners.append(opened)


class Wire:
    """Every packet of every interface, while inside; `lost` is how many were not heard after all."""

    def __init__(self, own: OwnSockets, heard: Callable[[], None]) -> None:
        self.packets: list[Packet] = []
        self.lost = 0
        self._own = own
        self._heard = heard
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ETH_P_ALL))
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        # What goes out over loopback comes in again.
        self._socket.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
        lines = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in _FILTER))
        program = struct.pack("HL", len(_FILTER), ctypes.addressof(lines))
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)

    def __enter__(self) -> Self:
        asyncio.get_running_loop().add_reader(self._socket, self._read)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._read()
        asyncio.get_running_loop().remove_reader(self._socket)
        self.lost = struct.unpack("II", self._socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))[1]
        self._socket.close()

    def _read(self) -> None:
        self._own.look()
        while True:
            try:
                self.packets.append(_parse(self._socket.recv(_SEEN_BYTES)))
            except BlockingIOError:
                break
        self._heard()


def strangers(packets: Iterable[Packet], own: OwnSockets) -> list[Place]:
    """Who was spoken to by somebody else than this process, but for the doors of the cage."""
    # What was sent twice is the same packet.
    begun = Counter(packet.place for packet in set(packets))
    begun.subtract(own.dials)
    doors = {("tcp", _LOOPBACK, port) for port in own.ports}
    return sorted(place for place, count in begun.items() if count > 0 and place not in doors)


def _parse(data: bytes) -> Packet:
    if data[0] >> 4 == 4:
        number, start = data[9], (data[0] & 0x0F) * 4
        source, address = data[12:16], data[16:20]
    else:
        number, start = data[6], 40
        source, address = data[8:24], data[24:40]
    source_port, port = struct.unpack_from("!HH", data, start)
    return Packet(
        "udp" if number == _UDP else "tcp",
        (str(ip_address(source)), source_port),
        str(ip_address(address)),
        port,
        data[start + 8 :] if number == _UDP else b"",
    )
