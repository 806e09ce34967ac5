"""Errors as problem details (RFC 9457): a title, a status, one sentence, and a code for programs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from http import HTTPStatus

from dowse.contracts.endpoint import HttpReply, HttpRequest, retry_after_s, status_of
from dowse.contracts.output import to_json
from dowse.core.errors import AllProvidersFailed, DowseError, ProviderError, RequestRefused
from dowse.core.models import Attempt

MEDIA_TYPE = "application/problem+json"
STATUSES = (400, 401, 403, 404, 405, 408, 409, 413, 429, 500, 502, 503, 504)
"""Every status of a problem."""
_TYPE = "urn:dowse:problem:"
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_REFUSALS = {403: "forbidden", 404: "not_found", 405: "method_not_allowed", 408: "timeout", 413: "too_large"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemOutput:
    """An error. `type` and `code` are stable, `detail` is one sentence; `attempts` are those at providers."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    retry_after: int | None = field(default=None, metadata={"optional": True})
    attempts: tuple[Attempt, ...] = field(default=(), metadata={"optional": True})


def describe_problem(error: DowseError, _request: HttpRequest) -> HttpReply:
    """Problem details of an error, for the caller."""
    status = status_of(error)
    output = ProblemOutput(
        type=_TYPE + type(error).__name__,
        title=HTTPStatus(status).phrase,
        status=status,
        detail=str(error),
        code=code_of(error),
        retry_after=retry_after_s(error),
        attempts=error.attempts if isinstance(error, AllProvidersFailed) else (),
    )
    return HttpReply(to_json(output), status, media_type=MEDIA_TYPE)


def code_of(error: DowseError) -> str:
    """A stable name of the kind of an error, such as `invalid_request`; of providers that of the first failure."""
    if isinstance(error, RequestRefused):
        return _REFUSALS.get(error.status, "invalid_request")
    if isinstance(error, AllProvidersFailed):
        return error.errors[0].code
    return error.code if isinstance(error, ProviderError) else _WORD.sub("_", type(error).__name__).lower()
