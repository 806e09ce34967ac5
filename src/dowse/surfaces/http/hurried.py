"""Refusals that cost next to nothing, however many there are: from the bytes of a call alone.

An ordinary refusal costs a tenth of a cheap call, because the request is parsed, checked and led to its place first;
ten times the load would leave no time for anything else. What is refused here was either refused on the same
connection a moment ago, with the same credentials, or comes when there is no room for anybody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dowse.surfaces.http.replies import MCP_PATHS, OVERLOADED, OVERLOADED_HEADERS

REFUSAL = b"".join(
    [
        b"HTTP/1.1 503 Service Unavailable\r\n",
        *(b"%s: %s\r\n" % header for header in OVERLOADED_HEADERS),
        b"\r\n",
        OVERLOADED,
    ]
)
# Words in a head that may change how a request is read or answered; wherever they stand, so that none is overlooked
# which somebody else on the way would see; and lines that go on with the next one.
_NEEDS_A_LOOK = (b"transfer-encoding", b"expect", b"upgrade", b"origin", b"close", b"\r\n ", b"\r\n\t")
_CREDENTIALS = b"\r\nauthorization:"
_CALL = re.compile(rb"post (?:%s)/? http/1\.1\r\n" % b"|".join(re.escape(path.encode()) for path in MCP_PATHS))
_LENGTH = re.compile(rb"\r\ncontent-length: ?([0-9]{1,7})\r\n")


@dataclass(frozen=True, slots=True)
class Told:
    """Who was told on a connection to come back later, what they said to be known by, and until when that holds."""

    caller: str
    credentials: bytes
    until: float

    def is_from_them(self, head: bytes) -> bool:
        """Whether a call comes with the same credentials; others may share the connection behind a proxy."""
        if self.credentials:
            return b": %s\r\n" % self.credentials in head
        return _CREDENTIALS not in head.lower()


def head_of_call(data: bytes) -> bytes:
    """The head, if these bytes are one call to the MCP endpoint from its first to its last; otherwise nothing."""
    end = data.find(b"\r\n\r\n")
    head = data[: end + 2]
    lowered = head.lower()
    length = _LENGTH.search(lowered)
    is_call = (
        length is not None
        and int(length[1]) == len(data) - end - 4
        and _CALL.match(lowered) is not None
        and lowered.count(b"content-length") == 1
        and lowered.count(b"\n") == lowered.count(b"\r\n")
        and not any(word in lowered for word in _NEEDS_A_LOOK)
    )
    return head if is_call else b""
