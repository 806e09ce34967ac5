"""A double of a remote MCP server with one search tool: strict about the protocol, in either of its eras."""

from __future__ import annotations

import asyncio
import json
import uuid
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from aiohttp import web

from tests.doubles.checks import Check, problem
from tests.doubles.searching import SearchDouble
from tests.doubles.seen import SeenRequest

Message = dict[str, object]

LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MODERN = "2026-07-28"
_META = "io.modelcontextprotocol/"
_NOISE = (
    ": a comment, as proxies like to hear one\n\n"
    'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}\n\n'
    'event: message\ndata: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n'
)


@dataclass(slots=True)
class _Manner:
    """How a server behaves unless a test says otherwise."""

    streams: bool = False
    without_end: bool = False
    has_sessions: bool = True
    is_modern: bool = False
    result: Message | None = None


class McpDouble(SearchDouble):
    """Subclasses know the tool: what it is called, what it takes, and how it tells what it has found."""

    operation = "mcp"
    tool: ClassVar[str]
    fields: ClassVar[Mapping[str, Check]]
    required: ClassVar[tuple[str, ...]]

    def __init__(self, key: str, origin: Callable[[], str]) -> None:
        super().__init__(key, origin)
        self._manner = _Manner()
        self._sessions: dict[str, bool] = {}

    @abstractmethod
    def result(self, arguments: Message) -> Message:
        """What the tool answers."""

    @property
    def calls(self) -> list[SeenRequest]:
        """The requests that called a tool."""
        return [seen for seen in self.requests if seen.json and seen.json.get("method") == "tools/call"]

    def streams(self, *, without_end: bool = False) -> Self:
        """Answer with events, other messages before the answer; without end, the connection stays open after it."""
        self._manner.streams, self._manner.without_end = True, without_end
        return self

    def keeps_no_sessions(self) -> Self:
        self._manner.has_sessions = False
        return self

    def forgets_sessions(self) -> Self:
        """Forget the clients that were known, as after a restart."""
        self._sessions.clear()
        return self

    def knows_no_handshake(self) -> Self:
        """Speak the protocol of 2026-07-28 only."""
        self._manner.is_modern = True
        return self

    def answers(self, result: Message) -> Self:
        """Let the tool answer exactly this, whatever it is asked."""
        self._manner.result = result
        return self

    def works(self) -> Self:
        self._manner = _Manner()
        return super().works()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        response = await super().handle(request)
        if not self._manner.without_end or not isinstance(response, web.Response) or response.status != 200:
            return response
        return await _left_open(request, response)

    def error(self, status: int, message: str) -> web.Response:
        return _refusal(status, -32000, message)

    def answer(self, seen: SeenRequest) -> web.Response:
        if refusal := self._refused(seen):
            return refusal
        message = seen.json or {}
        method, params = str(message.get("method")), message.get("params")
        params = params if isinstance(params, dict) else {}
        if self._manner.is_modern:
            refusal = _modern_objection(seen, method, params)
        elif method == "initialize":
            return self._initialized(message, params)
        else:
            refusal = self._legacy_objection(seen, method)
        if refusal or method == "notifications/initialized":
            return refusal or web.Response(status=202)
        if method != "tools/call":
            return _refusal(404, -32601, "Method not found", message.get("id"))
        return self._message({"id": message.get("id"), "result": self._called(params)})

    def _refused(self, seen: SeenRequest) -> web.Response | None:
        """What no MCP server takes, whatever it is about."""
        if seen.path != self.path:
            return self.error(404, "Not found")
        if seen.method != "POST":
            return self.error(405, "Method not allowed")
        if seen.headers.get("authorization", "") != (f"Bearer {self.key}" if self.key else ""):
            return self.error(401, "Unauthorized")
        accepted = seen.headers.get("accept", "")
        if "application/json" not in accepted or "text/event-stream" not in accepted:
            return self.error(406, "Client must accept both application/json and text/event-stream")
        if seen.json is None or seen.json.get("jsonrpc") != "2.0":
            return _refusal(400, -32700, "Parse error")
        return None

    def _initialized(self, message: Message, params: Message) -> web.Response:
        client = params.get("clientInfo")
        if not isinstance(client, dict) or not client.get("name") or not isinstance(params.get("capabilities"), dict):
            return _refusal(400, -32602, "Invalid initialize parameters", message.get("id"))
        version = params.get("protocolVersion")
        result = {
            "protocolVersion": version if version in LEGACY else LEGACY[0],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": self.name, "version": "1.0.0"},
        }
        response = self._message({"id": message.get("id"), "result": result})
        if self._manner.has_sessions:
            session = str(uuid.uuid4())
            self._sessions[session] = False
            response.headers["Mcp-Session-Id"] = session
        return response

    def _legacy_objection(self, seen: SeenRequest, method: str) -> web.Response | None:
        if seen.headers.get("mcp-protocol-version") not in LEGACY:
            return self.error(400, f"Bad Request: Unsupported protocol version (supported: {', '.join(LEGACY)})")
        if not self._manner.has_sessions:
            return None
        session = seen.headers.get("mcp-session-id", "")
        if not session:
            return self.error(400, "Bad Request: Mcp-Session-Id header is required")
        if session not in self._sessions:
            return _refusal(404, -32001, "Session not found")
        if method == "notifications/initialized":
            self._sessions[session] = True
        elif not self._sessions[session]:
            return self.error(400, "Received a request before initialization was complete")
        return None

    def _called(self, params: Message) -> Message:
        if self._manner.result is not None:
            return self._manner.result
        arguments = params.get("arguments")
        if params.get("name") != self.tool:
            return failed(f"MCP error -32602: Tool {params.get('name')} not found")
        if not isinstance(arguments, dict):
            return failed("MCP error -32602: Input validation error: expected an object")
        wrong = next(filter(None, (problem(arguments, self.fields, name) for name in self.required)), "")
        return failed(f"MCP error -32602: Input validation error: {wrong}") if wrong else self.result(arguments)

    def _message(self, content: Message) -> web.Response:
        text = json.dumps({"jsonrpc": "2.0", **content})
        if not self._manner.streams:
            return web.Response(text=text, content_type="application/json")
        return web.Response(text=f"{_NOISE}event: message\ndata: {text}\n\n", content_type="text/event-stream")


def failed(words: str, **structured: object) -> Message:
    """A result that tells of a failure of the tool."""
    result: Message = {"content": [{"type": "text", "text": words}], "isError": True}
    return result | ({"structuredContent": structured} if structured else {})


def _modern_objection(seen: SeenRequest, method: str, params: Message) -> web.Response | None:
    """Since 2026-07-28 every request says who asks and what for, in its body and in its headers."""
    number, meta = (seen.json or {}).get("id"), params.get("_meta")
    if not isinstance(meta, dict) or not isinstance(meta.get(f"{_META}clientCapabilities"), dict):
        return _refusal(400, -32602, f"Invalid request: this server speaks {MODERN}", number)
    expected = {
        "mcp-protocol-version": str(meta.get(f"{_META}protocolVersion")),
        "mcp-method": method,
        "mcp-name": str(params.get("name", "")),
    }
    if any(seen.headers.get(name) != value for name, value in expected.items()):
        return _refusal(400, -32020, "A header does not match the request", number)
    if expected["mcp-protocol-version"] != MODERN:
        return _refusal(400, -32022, "Unsupported protocol version", number)
    return None


def _refusal(status: int, code: int, message: str, number: object = None) -> web.Response:
    body = {"jsonrpc": "2.0", "error": {"code": code, "message": message}, "id": number}
    return web.json_response(body, status=status)


async def _left_open(request: web.Request, response: web.Response) -> web.StreamResponse:
    """The whole answer, and then silence until the client leaves, which cancels this."""
    stream = web.StreamResponse(headers={**response.headers})
    stream.headers.popall("Content-Length", None)
    await stream.prepare(request)
    assert isinstance(response.body, bytes)
    await stream.write(response.body)
    never: asyncio.Future[web.StreamResponse] = asyncio.get_running_loop().create_future()
    return await never
