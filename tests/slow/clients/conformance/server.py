"""Puts the fixtures of the conformance suite on dowse's own server, beside its tools, and notes which really ran."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError

from tests.slow.clients.conformance import content, dialogue, rounds
from tests.slow.clients.conformance.fixture import Call, Context, Result

TOOLS = content.TOOLS | rounds.TOOLS | dialogue.TOOLS

Paging = types.PaginatedRequestParams


class Fixtures:
    """Handlers for everything the suite asks a server, except what dowse serves itself."""

    def __init__(self, ran: Path) -> None:
        self._ran = ran

    def add_to(self, server: Server[Any]) -> None:
        own_list = _handler(server, "tools/list")
        own_call = _handler(server, "tools/call")

        async def list_tools(context: Context, params: Paging) -> types.ListToolsResult:
            listed: types.ListToolsResult = await own_list(context, params)
            return listed.model_copy(update={"tools": [*listed.tools, *map(_described, TOOLS)]})

        async def call_tool(context: Context, params: types.CallToolRequestParams) -> Result:
            if params.name not in TOOLS:
                return await own_call(context, params)
            self._note(params.name)
            return await TOOLS[params.name](Call(context, params))

        server.add_request_handler("tools/list", Paging, list_tools)
        server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
        server.add_request_handler("resources/list", Paging, self._resources)
        server.add_request_handler("resources/templates/list", Paging, self._templates)
        server.add_request_handler("resources/read", types.ReadResourceRequestParams, self._read)
        server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, self._subscribe)
        server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, self._unsubscribe)
        server.add_request_handler("prompts/list", Paging, self._prompts)
        server.add_request_handler("prompts/get", types.GetPromptRequestParams, self._prompt)
        server.add_request_handler("completion/complete", types.CompleteRequestParams, self._complete)
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        # What a client is given to bring back is sealed, as the protocol demands.
        server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=server.name))

    def _note(self, name: str) -> None:
        with self._ran.open("a", encoding="utf-8") as file:
            file.write(name + "\n")

    async def _resources(self, _context: Context, _params: Paging) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=content.RESOURCES)

    async def _templates(self, _context: Context, _params: Paging) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[content.TEMPLATE])

    async def _read(self, _context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        found = content.contents(params.uri)
        if found is None:
            raise MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": params.uri})
        self._note(params.uri)
        return types.ReadResourceResult(contents=[found])

    async def _subscribe(self, _context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self._note(f"subscribe {params.uri}")
        return types.EmptyResult()

    async def _unsubscribe(self, _context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._note(f"unsubscribe {params.uri}")
        return types.EmptyResult()

    async def _prompts(self, _context: Context, _params: Paging) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[*content.PROMPTS, rounds.PROMPT])

    async def _prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        fixed = content.prompt(params.name, params.arguments or {})
        if fixed is None and params.name != rounds.PROMPT.name:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown prompt: {params.name}")
        self._note(params.name)
        return fixed or rounds.prompt(context, params)

    async def _complete(self, _context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        self._note(f"complete {params.argument.name}")
        return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))

    async def _set_level(self, _context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        self._note(f"level {params.level}")
        return types.EmptyResult()


def _handler(server: Server[Any], method: str) -> Callable[[Context, Any], Awaitable[Any]]:
    entry = server.get_request_handler(method)
    assert entry is not None
    return entry.handler


def _described(name: str) -> types.Tool:
    return types.Tool(name=name, description="A fixture of the conformance suite.", input_schema={"type": "object"})
