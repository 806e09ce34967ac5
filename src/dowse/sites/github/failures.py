"""What GitHub's answers mean that are no success: both APIs say so in ways of their own."""

from __future__ import annotations

from collections.abc import Mapping

from dowse.core.errors import BadAnswer, NotRead, PageUnreadable, ProviderError, RateLimited
from dowse.core.models import Status
from dowse.net.clients import Reply
from dowse.net.json_api import Json, objects, string
from dowse.secrets.redact import Redactor
from dowse.sites.github import limits as limits
from dowse.sites.github.urls import NAME

TOKEN_VARIABLE = "GITHUB_TOKEN"
_LIMITS = {"RATE_LIMIT", "RATE_LIMITED"}
_REFUSALS = {"FORBIDDEN", "INSUFFICIENT_SCOPES"}


def of_reply(reply: Reply, *, has_token: bool) -> ProviderError | None:
    """A limit, which may come as a 403; raises `PageUnreadable` for a page that is not there. Else the status says."""
    status = reply.status
    if 300 <= status < 400:
        # Followed, the token would go where an answer says; people's browsers are sent on as well.
        raise PageUnreadable(Status.NOT_FOUND, "GitHub's API says that the repository has moved")
    if status in (404, 410, 451):
        raise PageUnreadable(Status.NOT_FOUND, f"GitHub's API does not have the page: HTTP {status}")
    if limits.is_limit(reply):
        advice = "" if has_token else f"; with {TOKEN_VARIABLE} the limit is higher"
        return RateLimited(
            NAME, f"HTTP {status}{advice}", retry_after_s=limits.wait_s(reply.headers), http_status=status
        )
    if status in (401, 403) and not has_token:
        raise PageUnreadable(Status.BLOCKED, f"GitHub's API does not show the page to everybody: HTTP {status}")
    return None


def of_query(answer: Json, headers: Mapping[str, str], redactor: Redactor) -> Exception:
    """Why a GraphQL query brought nothing; the status of its answer is a success all the same."""
    errors = objects(answer.get("errors"))
    types = {string(error, "type") for error in errors}
    if "NOT_FOUND" in types:
        return PageUnreadable(Status.NOT_FOUND, "GitHub's API does not have the page")
    if types & _LIMITS:
        return RateLimited(NAME, "the limit of its GraphQL API is reached", retry_after_s=limits.wait_s(headers))
    if types & _REFUSALS:
        return NotRead(NAME, f"its GraphQL API does not show the page to the owner of {TOKEN_VARIABLE}")
    said = redactor.message(string(errors[0], "message")) if errors else ""
    return BadAnswer(NAME, "its GraphQL API answered with an error", said=said)
