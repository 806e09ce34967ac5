"""Failures that only a description knows: by status, by a word of the message, or by a code inside a 200."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dowse.core.errors import (
    BadRequest,
    Blocked,
    KeyRejected,
    NotRead,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Unavailable,
)
from dowse.core.models import Clock
from dowse.net.clients import Reply
from dowse.net.json_api import Api, error_message, retry_after_s
from dowse.net.json_fields import parse_json
from dowse.providers.described.answer import walk
from dowse.settings.described.model import ErrorRule, Scalar

_MESSAGE_BYTES = 4096
_LONGEST_WAIT_S = 31 * 24 * 3600.0
_KINDS: Mapping[str, type[ProviderError]] = {
    "auth": KeyRejected,
    "quota": QuotaSpent,
    "rate": RateLimited,
    "bad_request": BadRequest,
    "blocked": Blocked,
    "unavailable": Unavailable,
    "not_read": NotRead,
}


class NothingFound(Exception):
    """The answer says in its own way that there are no results."""


def raise_failure(api: Api, rules: Sequence[ErrorRule], reply: Reply, clock: Clock) -> None:
    """Raise the failure of the first rule that applies; `NothingFound` for an empty answer. Else the status decides."""
    if not rules:
        return
    body = _parse(reply)
    for rule in rules:
        if _applies(rule, reply, body):
            if rule.kind == "empty":
                raise NothingFound
            raise _failure(api, rule, reply, body, clock)


def _applies(rule: ErrorRule, reply: Reply, body: object) -> bool:
    if rule.statuses and reply.status not in rule.statuses:
        return False
    if rule.path:
        return _applies_to_value(rule, body)
    # Without a path a word counts in messages only: in results it may be about anything.
    is_message = body is None or not 200 <= reply.status < 300
    return not rule.contains or (is_message and rule.contains in _message(reply).lower())


def _applies_to_value(rule: ErrorRule, body: object) -> bool:
    value = next(walk(body, rule.path), None)
    if rule.codes:
        return _is_one_of(value, rule.codes)
    if rule.good_codes:
        return value is not None and not _is_one_of(value, rule.good_codes)
    if rule.contains:
        return isinstance(value, str) and rule.contains in value.lower()
    return bool(value)


def _is_one_of(value: object, codes: Sequence[Scalar]) -> bool:
    """Numbers and texts with the same digits are the same code."""
    return isinstance(value, str | int | float) and str(value).lower() in (str(code).lower() for code in codes)


def _failure(api: Api, rule: ErrorRule, reply: Reply, body: object, clock: Clock) -> ProviderError:
    kind, detail = _KINDS[rule.kind], "" if rule.kind == "not_read" else f"HTTP {reply.status}"
    if kind is KeyRejected:
        kind, detail = (KeyRejected, f"{detail}; check {api.key_variable}") if api.key_variable else (Blocked, detail)
    said = api.clean_message(_said_at(rule, body) or (_message(reply) if body is None else error_message(reply)))
    wait_s = _wait_s(rule, reply, body, clock)
    return kind(api.provider, detail, said=said, retry_after_s=wait_s, http_status=reply.status)


def _said_at(rule: ErrorRule, body: object) -> str:
    values = walk(body, rule.path) if rule.path else iter(())
    return next((value for value in values if isinstance(value, str)), "")


def _wait_s(rule: ErrorRule, reply: Reply, body: object, clock: Clock) -> float | None:
    """The pause that the API asks for: in the usual header, in one of its own, or in the answer."""
    if rule.retry_header:
        return retry_after_s({"retry-after": reply.headers.get(rule.retry_header, "")}, clock)
    value = next(walk(body, rule.retry_after), None) if rule.retry_after else None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _LONGEST_WAIT_S:
        return float(value)
    if isinstance(value, str):
        return retry_after_s({"retry-after": value}, clock)
    return retry_after_s(reply.headers, clock)


def _parse(reply: Reply) -> object:
    try:
        return parse_json(reply.body)
    except ValueError:
        return None


def _message(reply: Reply) -> str:
    return reply.body[:_MESSAGE_BYTES].decode("utf-8", "replace")
