"""Messages over the two pipes that Chromium reads commands from and answers on. No port is opened."""

from __future__ import annotations

import asyncio
import os
from typing import Self

from dowse.fetch.browser.cdp import BrowserGone, Receiver, edges, is_too_large

_END = b"\0"


class PipeChannel(asyncio.Protocol):
    """Implements `cdp.Channel`. The descriptors are its own from the moment it is made."""

    def __init__(self, receiver: Receiver, commands: int, answers: int) -> None:
        self._receiver = receiver
        self._command_file = os.fdopen(commands, "wb", buffering=0)
        self._answer_file = os.fdopen(answers, "rb", buffering=0)
        self._writer: asyncio.WriteTransport | None = None
        self._reader: asyncio.ReadTransport | None = None
        self._pieces: list[bytes] = []
        self._size = 0
        self._has_ended = False

    async def open(self) -> Self:
        loop = asyncio.get_running_loop()
        self._reader, _ = await loop.connect_read_pipe(lambda: self, self._answer_file)
        self._writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._command_file)
        return self

    def send(self, message: bytes) -> None:
        if self._writer is None or self._writer.is_closing():
            raise BrowserGone
        self._writer.write(message + _END)

    def close(self) -> None:
        # What was not sent by now is for nobody: `close` alone would wait until it is.
        if self._writer is None:
            self._command_file.close()
        elif not self._writer.is_closing():
            self._writer.abort()
        if self._reader is None:
            self._answer_file.close()
        else:
            self._reader.close()

    def data_received(self, data: bytes) -> None:
        *lasts, rest = data.split(_END)
        for last in lasts:
            self._keep(last)
            self._deliver()
        if rest:
            self._keep(rest)

    def eof_received(self) -> None:
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the signature is asyncio's
        self._end()

    def _keep(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._size += len(piece)
        if is_too_large(self._pieces[0], self._size):
            self._pieces = [edges(b"".join(self._pieces))]

    def _deliver(self) -> None:
        message, size = b"".join(self._pieces), self._size
        self._pieces, self._size = [], 0
        if is_too_large(message, size):
            self._receiver.received_too_much(edges(message))
        else:
            self._receiver.received(message)

    def _end(self) -> None:
        if not self._has_ended:
            self._has_ended = True
            self._receiver.ended()
