"""Client of remote MCP servers (Streamable HTTP), reduced to tool calls."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

from dowse import __version__
from dowse.core.errors import BadAnswer, TimedOut
from dowse.core.models import Deadline
from dowse.net.clients import Reply
from dowse.net.json_api import Api
from dowse.net.json_fields import Json, parse_json, string, whole
from dowse.providers.mcp.results import rpc_failure

_SESSION_ID = re.compile(r"[\x21-\x7e]{1,1024}")
# Error codes of JSON-RPC and MCP with which servers without a handshake refuse one.
_NOT_UNDERSTOOD = frozenset({-32600, -32601, -32602, -32020, -32022})
_MISUNDERSTANDINGS = (400, 404)
# Servers up to 2025-11-25 need a handshake; since 2026-07-28 every request carries its fields.
OFFERED = "2025-06-18"
WITHOUT_HANDSHAKE = "2026-07-28"
KNOWN = frozenset({"2024-11-05", "2025-03-26", OFFERED, "2025-11-25", WITHOUT_HANDSHAKE})
_CLIENT = {"name": "dowse", "version": __version__}
_META = "io.modelcontextprotocol/"
_ACCEPT = "application/json, text/event-stream"
_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class _Exchange:
    """Reply to one request; `answer` is its JSON-RPC response, if there is one."""

    reply: Reply
    answer: Json | None

    @property
    def error(self) -> Json | None:
        error = self.answer.get("error") if self.answer else None
        return error if isinstance(error, dict) else None

    def has_lost(self, session: McpSession) -> bool:
        """Whether the server has dropped the session; some answer with 400."""
        if not session.id:
            return False
        words = string(self.error or {}, "message").lower()
        return self.reply.status == 404 or (self.reply.status == 400 and "session" in words)

    @property
    def refuses_handshakes(self) -> bool:
        may_be = self.reply.status in (200, *_MISUNDERSTANDINGS)
        return may_be and whole(self.error or {}, "code") in _NOT_UNDERSTOOD


class McpClient:
    """Calls tools of one server. Concurrent calls share the session and nothing else."""

    def __init__(self, api: Api, url: str, headers: Mapping[str, str]) -> None:
        self._api = api
        self._url = url
        self._headers = headers
        self._numbers = count(1)
        self._session: McpSession | None = None
        self._opening = asyncio.Lock()

    async def call(self, tool: str, arguments: Json, deadline: Deadline) -> Json:
        """Return the tool's result, also one with `isError`; every other failure is raised."""
        params = {"name": tool, "arguments": arguments}
        session = await self._ensure_session(deadline)
        exchange = await self._send(session, "tools/call", params, deadline)
        if exchange.has_lost(session):
            self._forget(session)
            session = await self._ensure_session(deadline)
            exchange = await self._send(session, "tools/call", params, deadline)
        if exchange.reply.status in _MISUNDERSTANDINGS:
            # The server may have been replaced since the handshake: the next call begins with a new one.
            self._forget(session)
        return self._result(exchange, deadline)

    async def _ensure_session(self, deadline: Deadline) -> McpSession:
        """The open session, or a new one; concurrent calls wait for the same handshake."""
        try:
            async with asyncio.timeout(deadline.remaining_s()), self._opening:
                if self._session is None:
                    self._session = await self._open(deadline)
                return self._session
        except TimeoutError as error:
            raise TimedOut(self._api.provider, "there was no handshake in time") from error

    def _forget(self, session: McpSession) -> None:
        """Drop this session; another call may have opened a new one meanwhile."""
        if self._session is session:
            self._session = None

    async def _open(self, deadline: Deadline) -> McpSession:
        exchange = await self._send(None, "initialize", handshake_params(), deadline)
        if exchange.refuses_handshakes:
            return McpSession(WITHOUT_HANDSHAKE)
        version = string(self._result(exchange, deadline), "protocolVersion")
        if version not in KNOWN:
            raise BadAnswer(self._api.provider, "the server uses an unknown version of MCP")
        given = exchange.reply.headers.get("mcp-session-id", "")
        session = McpSession(version, given if _SESSION_ID.fullmatch(given) else "")
        if session.has_handshake:
            await self._notify(session, "notifications/initialized", deadline)
        return session

    async def _send(self, session: McpSession | None, method: str, params: Json, deadline: Deadline) -> _Exchange:
        number = next(self._numbers)
        listener = AnswerListener(number)
        reply = await self._api.post_reply(
            self._url,
            deadline,
            headers=headers(session, method, params, self._headers),
            body=request(session, number, method, params),
            is_enough=listener.feed,
        )
        return _Exchange(reply, listener.answer(reply))

    async def _notify(self, session: McpSession, method: str, deadline: Deadline) -> None:
        """Send a notification; its reply is ignored, as a failure shows in the next call."""
        sent = headers(session, method, {}, self._headers)
        await self._api.post_reply(self._url, deadline, headers=sent, body={"jsonrpc": "2.0", "method": method})

    def _result(self, exchange: _Exchange, deadline: Deadline) -> Json:
        reply = self._api.check(exchange.reply, deadline)
        if exchange.answer is None:
            # The error of an HTML page or a truncated body says more.
            if "event-stream" not in reply.headers.get("content-type", "").lower():
                self._api.read_object(reply)
            raise BadAnswer(self._api.provider, "the request was not answered")
        if exchange.error is not None:
            raise rpc_failure(self._api, exchange.error)
        result = exchange.answer.get("result")
        if not isinstance(result, dict):
            raise BadAnswer(self._api.provider, "the answer has no result")
        return result


@dataclass(frozen=True, slots=True, eq=False)
class McpSession:
    """Protocol version of a server, and the session id if it assigned one."""

    version: str
    id: str = ""

    @property
    def has_handshake(self) -> bool:
        return self.version < WITHOUT_HANDSHAKE


def handshake_params() -> Json:
    return {"protocolVersion": OFFERED, "capabilities": {}, "clientInfo": _CLIENT}


def headers(session: McpSession | None, method: str, params: Json, own: Mapping[str, str]) -> dict[str, str]:
    """Headers of a message: the user's own, and those of the protocol, which win."""
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


def request(session: McpSession | None, number: int, method: str, params: Json) -> Json:
    if session and not session.has_handshake:
        identity = {"protocolVersion": session.version, "clientInfo": _CLIENT, "clientCapabilities": {}}
        params = {**params, "_meta": {f"{_META}{name}": value for name, value in identity.items()}}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


class AnswerListener:
    """Finds the response to one request in a stream of events; other messages are skipped."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._events = EventReader()
        self._answer: Json | None = None

    def feed(self, piece: bytes) -> bool:
        """Whether the stream up to this piece holds the response."""
        self._take(self._events.feed(piece))
        return self._answer is not None

    def answer(self, reply: Reply) -> Json | None:
        """The response in a reply that was read to its end, or as far as needed."""
        if "event-stream" not in reply.headers.get("content-type", "").lower():
            return _answer_in(reply.body, self._number)
        self._take(self._events.finish())
        return self._answer

    def _take(self, events: list[bytes]) -> None:
        for data in events:
            self._answer = self._answer or _answer_in(data, self._number)


def _answer_in(text: bytes, number: int) -> Json | None:
    """The message if it is the response to the request; notifications and requests of the server are not."""
    try:
        message = parse_json(text)
    except ValueError:
        return None
    if not isinstance(message, dict) or "method" in message:
        return None
    # A server that could not parse the request does not know its id.
    is_ours = message.get("id") in (number, str(number)) or (message.get("id") is None and "error" in message)
    return message if is_ours else None


class EventReader:
    """Parser of server-sent events (WHATWG), fed piece by piece; comments and other fields are skipped."""

    def __init__(self) -> None:
        # Joined at the end of a line, so that no byte is copied more than twice, however small the pieces.
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._ended_in_cr = False

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the data of the events that this piece completes."""
        if not piece:
            return []
        if self._ended_in_cr:
            # Second half of a CRLF that was cut in two.
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
        """Return the event that the end of the stream completes; the standard drops it, but servers send such."""
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
