"""The `token` argument: who calls, where the surface does not know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from dowse.contracts.arguments import Param
from dowse.contracts.tool import Tool
from dowse.core.errors import Unauthorized
from dowse.core.models import Principal
from dowse.core.protocols import Authenticator

NAME = "token"
_PARAM = Param(NAME, "string", "Your token for this server; without a good one the call is refused.")
# What HTTP takes behind `Bearer`: visible ASCII without a comma.
_POSSIBLE = re.compile(r"[!-+\--~]{1,4096}", re.ASCII)
_REFUSED = f"A good token is needed: pass the one that the owner of this server gave you as {NAME}."


class Stranger:
    """Somebody who has yet to say who they are, by what came as their token."""

    def __init__(self, given: Mapping[str, object], authenticator: Authenticator, contract: str) -> None:
        self._sent = given.get(NAME)
        self._authenticator = authenticator
        self._contract = contract

    async def introduced(self) -> Principal:
        """Who it is; raises `Unauthorized` for a token that is missing, wrong, or good for other tools only."""
        sent = self._sent.strip() if isinstance(self._sent, str) else ""
        principal = await self._authenticator.authenticate(sent) if _POSSIBLE.fullmatch(sent) else None
        if principal is None or (principal.contracts is not None and self._contract not in principal.contracts):
            raise Unauthorized(_REFUSED)
        return principal


def asking(tool: Tool) -> Tool:
    """The tool with the token among the arguments that it lists."""
    return replace(tool, params=(*tool.params, _PARAM))
