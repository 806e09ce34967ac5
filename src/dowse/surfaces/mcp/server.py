"""Puts a contract on the SDK's server. Low-level on purpose: arguments arrive as the model sent them,
so that they are read leniently and refused in our own words, and schemas stay as short as we write them.
"""

from __future__ import annotations

import logging
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from dowse import __version__
from dowse.app import App
from dowse.contracts.tool import Answer, Tool
from dowse.errors import DowseError
from dowse.interfaces import Progress
from dowse.telemetry.log import LOGGER, event
from dowse.text import one_line

Context = ServerRequestContext[Any, Any]

_ANNOTATIONS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}
# The list depends on settings alone, which do not change while the server runs.
_CACHE: dict[CacheableMethod, CacheHint] = {"tools/list": CacheHint(ttl_ms=3_600_000, scope="public")}


def build_server(app: App) -> Server[Any]:
    """An MCP server for the application's contract; speaks both protocol eras."""

    async def list_tools(_context: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[_described(tool, structured=app.settings.structured) for tool in app.contract.tools]
        )

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = app.contract.tool(params.name)
        if tool is None:
            name = app.redactor.message(one_line(params.name))[:80]
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {name}")
        return _result(app, await _call(app, tool, params.arguments or {}, _progress(context)))

    return Server(
        "dowse" if app.contract.name == "dowse" else "kindly-web-search",
        version=__version__,
        title="dowse",
        instructions=app.contract.instructions,
        cache_hints=_CACHE,
        get_tool_input_schema=lambda name: tool.input_schema() if (tool := app.contract.tool(name)) else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _call(app: App, tool: Tool, arguments: dict[str, Any], progress: Progress) -> Answer:
    try:
        return await tool.call(arguments, progress)
    except DowseError as error:
        event(logging.WARNING, "tool call failed", tool=tool.name, error=type(error).__name__)
        return Answer(app.redactor.message(str(error)), is_error=True)
    except Exception:
        # The boundary: a bug must not end the server, and its text must not reach the model.
        LOGGER.exception("tool call crashed")
        return Answer(
            f"{tool.name} failed because of an internal error; the server's log has the details.", is_error=True
        )


def _result(app: App, answer: Answer) -> types.CallToolResult:
    wanted = app.settings.structured and answer.structured is not None
    text = types.TextContent(type="text", text=app.redactor.text(answer.text))
    structured = app.redactor.data(answer.structured) if wanted else None
    return types.CallToolResult(content=[text], structured_content=structured, is_error=answer.is_error)


def _described(tool: Tool, *, structured: bool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema(),
        output_schema=dict(tool.output_schema) if tool.output_schema and structured else None,
        annotations=types.ToolAnnotations.model_validate(_ANNOTATIONS | {"title": tool.title}),
    )


def _progress(context: Context) -> Progress:
    """Numbered steps for clients that asked for progress; nothing is sent to the others."""
    steps = 0

    async def report(step: str) -> None:
        nonlocal steps
        steps += 1
        await context.session.report_progress(steps, None, step)

    return report
