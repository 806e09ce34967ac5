"""Server-sent events, as the WHATWG describes them: read piece by piece, while the server is still sending."""

from __future__ import annotations

import re

_LINE_END = re.compile(rb"\r\n|\n|\r")


class EventReader:
    """Hears a stream and gives the data of its events; comments and all other fields are passed over."""

    def __init__(self) -> None:
        # Joined when a line ends: however small the pieces are, no byte is copied more than twice.
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._ended_in_cr = False

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that this piece completes."""
        if not piece:
            return []
        if self._ended_in_cr:
            # The other half of a line end that was cut in two.
            piece = piece.removeprefix(b"\n")
        self._ended_in_cr = piece.endswith(b"\r")
        *ended, rest = _LINE_END.split(piece)
        events: list[bytes] = []
        for line in ended:
            self._take(b"".join([*self._line, line]), events)
            self._line.clear()
        self._line.append(rest)
        return events

    def finish(self) -> list[bytes]:
        """The event that the end of the stream completes; the standard would drop it, servers mean it."""
        return self.feed(b"\n\n")

    def _take(self, line: bytes, events: list[bytes]) -> None:
        if not line:
            if self._data:
                events.append(b"\n".join(self._data))
            self._data.clear()
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
