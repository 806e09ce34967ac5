"""A spent quota is told by its code, whatever else comes with the status of a rate limit."""

import json

from dowse.core.errors import QuotaSpent
from dowse.net.clients import Reply
from dowse.providers.openai.output import quota_failure
from tests.support.tables import each_row

SPENT = {"message": "You exceeded your current quota.", "type": "insufficient_quota", "code": "insufficient_quota"}
# The words of a rate limit speak of billing too, where more can be had.
LIMITED = {"message": "Rate limit reached. Add a payment method at /account/billing.", "code": "rate_limit_exceeded"}


def _reply(body: object, status: int = 429) -> Reply:
    return Reply(status, {}, body if isinstance(body, bytes) else json.dumps(body).encode())


@each_row("error", [SPENT, SPENT | {"code": None}, SPENT | {"type": "x"}])
def test_a_spent_quota_is_no_rate_limit(error: dict[str, str]) -> None:
    failure = quota_failure(_reply({"error": error}), str.upper)
    assert isinstance(failure, QuotaSpent)
    assert failure.detail == "HTTP 429, YOU EXCEEDED YOUR CURRENT QUOTA."


@each_row(
    "reply",
    [
        _reply({"error": LIMITED}),
        _reply({"error": SPENT}, 500),
        _reply({"error": "insufficient_quota"}),
        _reply([]),
        _reply(b"<html>insufficient_quota</html>"),
        _reply(b"[" * 100_000),
    ],
)
def test_everything_else_is_judged_by_its_status(reply: Reply) -> None:
    assert quota_failure(reply, str) is None
