"""Operations of a vendor's API that this server does not offer: a clear 501 in the vendor's shape."""

from __future__ import annotations

from dowse.contracts.endpoint import Fail, HttpEndpoint, HttpReply, HttpRequest
from dowse.core.errors import RequestRefused
from dowse.core.runtime import CallContext

_NOT_IMPLEMENTED = 501


def not_served(methods: tuple[str, ...], path: str, what: str, fail: Fail) -> HttpEndpoint:
    """An endpoint that refuses an operation."""

    async def refuse(_request: HttpRequest, _context: CallContext) -> HttpReply:
        raise RequestRefused(_NOT_IMPLEMENTED, f"This server does not offer {what}.")

    return HttpEndpoint(methods, path, "not_served", refuse, fail)
