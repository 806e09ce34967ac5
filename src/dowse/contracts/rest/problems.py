"""Errors as problem details (RFC 9457): a type, a title, a status, one sentence, and a code for programs."""

from __future__ import annotations

import re
from http import HTTPStatus

from dowse.contracts.endpoint import HttpReply, HttpRequest, RequestRefused, retry_after_s, status_of
from dowse.core.errors import AllProvidersFailed, DowseError, ProviderError
from dowse.core.models import fields_of

MEDIA_TYPE = "application/problem+json"
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_REFUSALS = {403: "forbidden", 404: "not_found", 405: "method_not_allowed", 408: "timeout", 413: "too_large"}


def problem(error: DowseError, _request: HttpRequest) -> HttpReply:
    """The problem that an error is for the caller."""
    status, wait_s = status_of(error), retry_after_s(error)
    body: dict[str, object] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": str(error),
        "code": code_of(error),
    }
    if wait_s is not None:
        body["retry_after"] = wait_s
    if isinstance(error, AllProvidersFailed):
        body["attempts"] = [fields_of(attempt) for attempt in error.attempts]
    return HttpReply(body, status, media_type=MEDIA_TYPE)


def code_of(error: DowseError) -> str:
    """A stable name of the kind of an error, such as `invalid_request`; of providers that of the first failure."""
    if isinstance(error, RequestRefused):
        return _REFUSALS.get(error.status, "refused")
    if isinstance(error, AllProvidersFailed):
        return error.errors[0].code
    return error.code if isinstance(error, ProviderError) else _WORD.sub("_", type(error).__name__).lower()
