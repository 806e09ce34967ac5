"""What Stack Exchange's API means by the numbers in its errors, nearly all of which come with the status 400.

https://api.stackexchange.com/docs/error-handling and https://api.stackexchange.com/docs/throttle
"""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta

from dowse.core.errors import KeyRejected, ProviderError, RateLimited, Unavailable
from dowse.core.models import Clock
from dowse.net.clients import Reply
from dowse.net.json_api import Json, string, whole
from dowse.secrets.redact import Redactor

NAME = "stackexchange"
KEY_VARIABLE = "STACKEXCHANGE_KEY"
BAD_PARAMETER = 400
_THROTTLED, _DOWN = 502, (500, 503)
_WAIT = re.compile(r"available in (\d{1,7}) seconds")
_DAY_S = 24 * 3600


def told(reply: Reply) -> tuple[int, str]:
    """The number of an error and its message; 0 for an answer that is none of the API's own."""
    try:
        body = json.loads(reply.body)
    except (ValueError, RecursionError):
        return 0, ""
    return (whole(body, "error_id"), string(body, "error_message")) if isinstance(body, dict) else (0, "")


def failure(reply: Reply, redactor: Redactor) -> ProviderError | None:
    """The error that a number stands for; `None` where the status has to tell."""
    number, message = told(reply)
    said, wait = redactor.message(message), _WAIT.search(message)
    if number == _THROTTLED:
        return RateLimited(NAME, said=said, retry_after_s=float(wait[1]) if wait else None)
    if number in _DOWN:
        return Unavailable(NAME, said=said)
    if number == BAD_PARAMETER and message.startswith("`key`"):
        return KeyRejected(NAME, f"check {KEY_VARIABLE}", said=said)
    return None


def backoff_s(body: Json) -> float:
    """For how long the method that gave this answer is to be left alone."""
    return float(min(max(0, whole(body, "backoff")), _DAY_S))


def quota_pause_s(body: Json, clock: Clock) -> float:
    """For how long everything is to be left alone: quotas are for a day of UTC."""
    return _until_midnight_s(clock.utc()) if body.get("quota_remaining") == 0 else 0.0


def _until_midnight_s(now: datetime) -> float:
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - now).total_seconds()
