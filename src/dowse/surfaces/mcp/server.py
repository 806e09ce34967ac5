"""MCP on the SDK's low-level server, and its stdio transport.

Arguments arrive as the model sent them, so that they are read leniently and refused in our own words. At the end of
stdin the SDK cancels pending requests; here they are answered first, for half a second.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types.methods import SPEC_CLIENT_METHODS, SPEC_CLIENT_NOTIFICATION_METHODS
from opentelemetry import context, trace
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from dowse import __version__
from dowse.app import App
from dowse.contracts.dispatch import Answer, TokenCaller, Tool
from dowse.core.models import LOCAL, Principal
from dowse.core.protocols import Door, Progress
from dowse.core.runtime import ANONYMOUS, no_progress
from dowse.core.text import one_line
from dowse.secrets.redact import Redactor

Context = ServerRequestContext[Any, Any]  # the SDK's lifespan state, of which there is none, and its request

_ANNOTATIONS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}
# The list depends on settings alone, which do not change while the server runs.
_CACHE: dict[CacheableMethod, CacheHint] = {"tools/list": CacheHint(ttl_ms=3_600_000, scope="public")}


def build_server(app: App) -> Server[object]:
    """An MCP server for the application's contract; speaks both protocol eras."""
    callers = Callers(app)

    async def list_tools(context: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[_describe(tool, structured=app.settings.structured) for tool in callers.tools(context)]
        )

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = app.contract.tool(params.name)
        if tool is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {_repeat(params.name, app.redactor)}")
        arguments = params.arguments or {}
        caller = callers.caller(context, arguments)
        door = Door.STDIO if context.request is None else Door.MCP
        return _result(await app.dispatcher.call(tool, arguments, _progress(context), caller, door=door))

    async def repeat_little(ctx: Context, call_next: CallNext) -> HandlerResult:
        try:
            return await call_next(ctx)
        except MCPError as error:
            if error.code != types.METHOD_NOT_FOUND:
                raise
            raise MCPError(error.code, error.message, _repeat(ctx.method, app.redactor)) from None

    server = Server[object](
        app.contract.server_name,
        version=__version__,
        title="dowse",
        instructions=app.contract.instructions,
        cache_hints=_CACHE,
        # It is asked for with every call, to compare arguments that a schema mirrors in headers; ours mirror none.
        get_tool_input_schema=lambda _name: None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    # In place of the SDK's spans, which hold text of the client.
    server.middleware[:] = [MessageSpans(tool.name for tool in app.contract.tools), repeat_little]
    return server


class Callers:
    """Identifies the caller of a tool. Raises `ConfigError` for an invalid tokens file."""

    def __init__(self, app: App) -> None:
        self._contract = app.contract
        self._authenticator = app.authenticator if app.contract.takes_token else None

    def tools(self, context: Context) -> tuple[Tool, ...]:
        """The contract's tools, with the token as an argument where the transport does not authenticate."""
        tools = self._contract.tools
        return tuple(tool.with_token() for tool in tools) if self._authenticator and context.request is None else tools

    def caller(self, context: Context, given: Mapping[str, object]) -> Principal | TokenCaller:
        """The principal that HTTP has authenticated; over stdio the owner of the process, unless tokens are set."""
        if context.request is not None:
            return getattr(context.request.state, "principal", ANONYMOUS)
        return TokenCaller(given, self._authenticator, self._contract.name) if self._authenticator else LOCAL


def _repeat(sent: str, redactor: Redactor) -> str:
    """The part of a name that an error repeats; cut last, so that no half of a secret is left."""
    return redactor.message(one_line(sent)[:1000])[:80]


def _result(answer: Answer) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text) for text in (answer.text, *answer.further)],
        structured_content=answer.structured,
        is_error=answer.is_error,
        _meta={f"dowse/{name}": value for name, value in answer.meta.items()} or None,
    )


def _describe(tool: Tool, *, structured: bool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema(),
        output_schema=tool.output_schema() if structured else None,
        annotations=types.ToolAnnotations.model_validate(_ANNOTATIONS | {"title": tool.title}),
    )


def _progress(context: Context) -> Progress:
    """Progress notifications for clients that asked for them."""
    if context.request is not None and (context.meta or {}).get("progress_token") is None:
        # Over HTTP it is known beforehand, which saves the work of steps that go nowhere.
        return no_progress
    steps = 0

    async def report(step: str) -> None:
        nonlocal steps
        steps += 1
        await context.session.report_progress(steps, None, step)

    return report


_TRACER = trace.get_tracer("dowse")
_METHODS = SPEC_CLIENT_METHODS | SPEC_CLIENT_NOTIFICATION_METHODS
_OTHER = "other"
_PROPAGATOR = TraceContextTextMapPropagator()


class MessageSpans:
    """Middleware of the SDK's server. Spans hold known names only, never text or an id of the client."""

    def __init__(self, tools: Iterable[str]) -> None:
        self._tools = frozenset(tools)

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        attributes = dict(self._attributes(ctx))
        name = " ".join(attributes.values())
        # The text of an exception may hold text of the client.
        with _TRACER.start_as_current_span(
            name,
            _callers(ctx.meta),
            SpanKind.SERVER,
            attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            failure = "error"
            try:
                result = await call_next(ctx)
                failure = "tool_error" if isinstance(result, Mapping) and result.get("isError") else ""
                return result
            except MCPError as error:
                failure = str(error.code)
                raise
            finally:
                if failure:
                    span.set_status(Status(StatusCode.ERROR, failure))

    def _attributes(self, ctx: Context) -> Iterator[tuple[str, str]]:
        yield "mcp.method.name", ctx.method if ctx.method in _METHODS else _OTHER
        if ctx.method == "tools/call":
            tool = (ctx.params or {}).get("name")
            yield "gen_ai.tool.name", tool if isinstance(tool, str) and tool in self._tools else _OTHER


def _callers(meta: Mapping[str, object] | None) -> context.Context | None:
    """The trace that the message names; without one it is that of the HTTP request."""
    if not meta or "traceparent" not in meta:
        return None
    carrier = {key: value for key in ("traceparent", "tracestate") if isinstance(value := meta.get(key), str)}
    return _PROPAGATOR.extract(carrier, context.get_current())


LINGER_S = 0.5
_STOP = (signal.SIGTERM, signal.SIGINT)

Incoming = ReadStream[SessionMessage | Exception]
Outgoing = WriteStream[SessionMessage]


def serve_stdio(app: App) -> int:
    """Serve until the end; stdout carries protocol messages and nothing else."""
    return asyncio.run(_serve(app))


async def _serve(app: App) -> int:
    stop = asyncio.Event()
    for number in _STOP:
        # Not on Windows, where the default handlers do.
        with suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with app:
        serving = asyncio.create_task(_run(app))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not serving.done():
        # The thread that waits for stdin cannot be interrupted: an ordinary exit would join it, and
        # so wait for a line that may never come. Everything of ours is closed by now.
        sys.stderr.flush()
        os._exit(0)
    serving.result()
    return 0


async def _run(app: App) -> None:
    server = build_server(app)
    async with stdio_server() as wire, drain_pending_requests(*wire) as (incoming, outgoing):
        try:
            await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            # While serving, stdout leads to stderr. Text that a library printed and left in the buffer has
            # to go there too, not onto the wire when the SDK gives the descriptor back.
            sys.stdout.flush()


@asynccontextmanager
async def drain_pending_requests(incoming: Incoming, outgoing: Outgoing) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Both streams; the first ends only when the requests that came through it are answered, or after `LINGER_S`."""
    pending = _PendingRequests()
    sender, receiver = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    async def forward() -> None:
        # Broken when the server has ended before its input.
        with suppress(anyio.BrokenResourceError):
            async with incoming, sender:
                async for message in incoming:
                    pending.add(message)
                    await sender.send(message)
                await pending.wait(LINGER_S)

    async with receiver, anyio.create_task_group() as group:
        group.start_soon(forward)
        yield receiver, _ObservedOutput(outgoing, pending)
        group.cancel_scope.cancel()


class _PendingRequests:
    """Ids of the requests without an answer."""

    def __init__(self) -> None:
        self._requests: set[types.RequestId] = set()
        self._changed = asyncio.Event()

    def add(self, message: SessionMessage | Exception) -> None:
        content = message.message if isinstance(message, SessionMessage) else None
        if isinstance(content, types.JSONRPCRequest):
            self._requests.add(content.id)
        elif isinstance(content, types.JSONRPCNotification) and content.method == "notifications/cancelled":
            request = (content.params or {}).get("requestId")
            # Other values are for the SDK to refuse; `True` would be taken for 1.
            if isinstance(request, str | int) and not isinstance(request, bool):
                self._remove(request)

    def resolve(self, message: SessionMessage) -> None:
        if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
            self._remove(message.message.id)

    async def wait(self, timeout_s: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self._requests:
                    self._changed.clear()
                    await self._changed.wait()

    def _remove(self, request: types.RequestId | None) -> None:
        self._requests -= {request}
        self._changed.set()


class _ObservedOutput:
    """Output stream that resolves the pending request of each answer."""

    def __init__(self, stream: Outgoing, pending: _PendingRequests) -> None:
        self._stream = stream
        self._pending = pending

    async def send(self, item: SessionMessage, /) -> None:
        await self._stream.send(item)
        self._pending.resolve(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
