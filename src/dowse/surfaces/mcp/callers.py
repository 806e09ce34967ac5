"""Who calls: whom the HTTP surface let in, the owner of the process, or whoever's token is among the arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.context import ServerRequestContext

from dowse.app import App
from dowse.contracts.token import Stranger, asking
from dowse.contracts.tool import Tool
from dowse.core.models import LOCAL, Principal

Context = ServerRequestContext[Any, Any]

# Its clients send a token with each call, whatever it comes over.
_WITH_TOKEN = "answers"


class Callers:
    """Tells the callers of an application apart. Raises `ConfigError` for a tokens file that is not in order."""

    def __init__(self, app: App) -> None:
        self._contract = app.contract
        self._authenticator = app.authenticator if app.contract.name == _WITH_TOKEN else None

    def tools(self, context: Context) -> tuple[Tool, ...]:
        """The contract's tools, with the token as an argument for those who have no other way to say who they are."""
        tools = self._contract.tools
        return tuple(map(asking, tools)) if self._authenticator and context.request is None else tools

    def caller(self, context: Context, given: Mapping[str, object]) -> Principal | Stranger:
        """Who the HTTP surface found out is calling; over stdio the owner of the process, unless tokens tell."""
        if context.request is not None:
            return getattr(context.request.state, "principal", LOCAL)
        return Stranger(given, self._authenticator, self._contract.name) if self._authenticator else LOCAL
