"""Short answers of the HTTP surface itself, before a tool is in sight."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse


def refusal(status: int, reason: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A refusal that says why, in one sentence; a connection with an unread body is not used again."""
    return JSONResponse({"error": reason}, status, {"Connection": "close", **(headers or {})})
