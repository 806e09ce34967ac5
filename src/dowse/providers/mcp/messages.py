"""JSON-RPC as MCP uses it: a request as the server wants it, and the answer to it in whatever comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from dowse import __version__
from dowse.net.clients import Reply
from dowse.net.json_api import Json
from dowse.providers.mcp.events import EventReader

# The handshake is for servers up to 2025-11-25; since 2026-07-28 every request says what a handshake would.
OFFERED = "2025-06-18"
WITHOUT_HANDSHAKE = "2026-07-28"
KNOWN = frozenset({"2024-11-05", "2025-03-26", OFFERED, "2025-11-25", WITHOUT_HANDSHAKE})

_CLIENT = {"name": "dowse", "version": __version__}
_META = "io.modelcontextprotocol/"
_ACCEPT = "application/json, text/event-stream"


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """How a server is spoken to; `id` where it wants to know us again, which each server decides for itself."""

    version: str
    id: str = ""

    @property
    def has_handshake(self) -> bool:
        return self.version < WITHOUT_HANDSHAKE


def handshake() -> Json:
    return {"protocolVersion": OFFERED, "capabilities": {}, "clientInfo": _CLIENT}


def headers(session: Session | None, method: str, params: Json, own: Mapping[str, str]) -> dict[str, str]:
    """What goes with a message: the user's own headers, and those of the protocol, which win."""
    sent = {name.lower(): value for name, value in own.items()} | {"accept": _ACCEPT}
    if session is None:
        return sent
    sent["mcp-protocol-version"] = session.version
    if session.id:
        sent["mcp-session-id"] = session.id
    if not session.has_handshake:
        sent["mcp-method"] = method
        sent["mcp-name"] = str(params.get("name", ""))
    return sent


def request(session: Session | None, number: int, method: str, params: Json) -> Json:
    if session and not session.has_handshake:
        told = {"protocolVersion": session.version, "clientInfo": _CLIENT, "clientCapabilities": {}}
        params = {**params, "_meta": {f"{_META}{name}": value for name, value in told.items()}}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


class AnswerListener:
    """Waits for the answer to one request in a stream of events; what else is sent before it is passed over."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._events = EventReader()
        self._answer: Json | None = None

    def hears(self, piece: bytes) -> bool:
        """Whether the answer was in the stream up to this piece."""
        self._look_at(self._events.feed(piece))
        return self._answer is not None

    def answer(self, reply: Reply) -> Json | None:
        """The answer in a reply that was read to its end, or as far as it was needed."""
        if "event-stream" not in reply.headers.get("content-type", "").lower():
            return _answer_in(reply.body, self._number)
        self._look_at(self._events.finish())
        return self._answer

    def _look_at(self, events: list[bytes]) -> None:
        for data in events:
            self._answer = self._answer or _answer_in(data, self._number)


def _answer_in(text: bytes, number: int) -> Json | None:
    """The message if it answers the request: notifications do not, nor does what the server asks us."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or "method" in message:
        return None
    # A server that could not read the request does not know its number.
    is_ours = message.get("id") in (number, str(number)) or (message.get("id") is None and "error" in message)
    return message if is_ours else None
