"""What a fixture of the conformance suite is given, and what it may answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext

Context = ServerRequestContext[Any, Any]
Result = types.CallToolResult | types.InputRequiredResult


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a fixture tool."""

    context: Context
    params: types.CallToolRequestParams

    @property
    def arguments(self) -> Mapping[str, Any]:
        return self.params.arguments or {}


Tool = Callable[[Call], Awaitable[Result]]


def said(text: str, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)
