"""How GitHub's API says that it was asked too often, and when to come back.

https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from dowse.net.clients import Reply

# What GitHub asks for where it does not say when to come back.
_UNSAID_WAIT_S = 60.0


def is_limit(reply: Reply) -> bool:
    """A 403 may also be a refusal; a limit has a time when it ends, or says its name."""
    if reply.status == 429:
        return True
    headers = reply.headers
    is_said = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    return reply.status == 403 and (is_said or b"rate limit" in reply.body[:4096].lower())


def wait_s(headers: Mapping[str, str]) -> float:
    retry_after, reset = headers.get("retry-after", "").strip(), headers.get("x-ratelimit-reset", "").strip()
    if retry_after.isdecimal():
        return float(retry_after[:9]) or _UNSAID_WAIT_S
    now = _server_time(headers)
    if headers.get("x-ratelimit-remaining") != "0" or not reset.isdecimal() or now is None:
        return _UNSAID_WAIT_S
    return max(1.0, float(reset[:12]) - now.timestamp())


def _server_time(headers: Mapping[str, str]) -> datetime | None:
    """When the answer was sent by the clock of who sent it: ours may be off by more than the wait."""
    try:
        return parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, OverflowError):
        return None
