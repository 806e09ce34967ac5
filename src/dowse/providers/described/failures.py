"""Failures that only a description knows: by status, by a word of the message, or by a code inside a 200."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from dowse.core.errors import (
    BadAnswer,
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
from dowse.net.json_api import Api, error_message, find_message, retry_after_s
from dowse.net.json_fields import parse_json
from dowse.providers.described.answer import walk
from dowse.settings.described.model import ErrorRule, Scalar

_MESSAGE_BYTES = 4096
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
    """Raise the failure of the first matching rule, `NothingFound` for an empty answer; statuses decide the rest."""
    if not rules:
        return
    body = _parse(reply)
    for rule in rules:
        if _applies(rule, reply, body):
            if rule.kind == "empty":
                raise NothingFound
            raise _failure(api, rule, reply, body, clock)


@contextmanager
def quoting(api: Api, body: object) -> Iterator[None]:
    """Adds the message of the API to the failure of an answer without results: it is a failure that no rule knows."""
    try:
        yield
    except BadAnswer as error:
        said = api.clean_message(find_message(body))
        raise BadAnswer(api.provider, error.logged_detail, said=said) from None


def _applies(rule: ErrorRule, reply: Reply, body: object) -> bool:
    if rule.statuses and reply.status not in rule.statuses:
        return False
    if rule.path:
        return _applies_to_value(rule, next(walk(body, rule.path), None))
    # Without a path a word counts in messages only: in results it may be about anything.
    message = _message(reply).lower() if body is None or reply.status >= 300 else ""
    return rule.contains in message


def _applies_to_value(rule: ErrorRule, value: object) -> bool:
    if rule.codes:
        return _is_one_of(value, rule.codes)
    if rule.good_codes:
        return value is not None and not _is_one_of(value, rule.good_codes)
    return rule.contains in _lower(value) and bool(value)


def _lower(value: object) -> str:
    return value.lower() if isinstance(value, str) else ""


def _is_one_of(value: object, codes: Sequence[Scalar]) -> bool:
    """Numbers and texts with the same digits are the same code."""
    return isinstance(value, str | int | float) and str(value).lower() in (str(code).lower() for code in codes)


def _failure(api: Api, rule: ErrorRule, reply: Reply, body: object, clock: Clock) -> ProviderError:
    kind = Blocked if rule.kind == "auth" and not api.key_variable else _KINDS[rule.kind]
    # The words about one page may repeat its address, which is not logged.
    detail = "" if kind is NotRead else f"HTTP {reply.status}"
    advice = f"check {api.key_variable}" if kind is KeyRejected else ""
    said = api.clean_message(_said(rule, reply, body))
    wait_s = _wait_s(rule, reply, body, clock)
    return kind(api.provider, detail, said=said, advice=advice, retry_after_s=wait_s, http_status=reply.status)


def _said(rule: ErrorRule, reply: Reply, body: object) -> str:
    """The words of the API: at the path of the rule, in the usual fields, or all of a plain text."""
    if body is None:
        return _message(reply)
    at_path = next(walk(body, rule.path), None) if rule.path else None
    return at_path if isinstance(at_path, str) else error_message(reply)


def _wait_s(rule: ErrorRule, reply: Reply, body: object, clock: Clock) -> float | None:
    """The pause that the API asks for: in the answer, or in the usual header or one of its own."""
    given = next(walk(body, rule.retry_after), None) if rule.retry_after else None
    header = reply.headers.get(rule.retry_header or "retry-after", "")
    return retry_after_s({"retry-after": _seconds(given) or header}, clock)


def _seconds(given: object) -> str:
    return f"{given:.0f}" if isinstance(given, int | float) else _lower(given)


def _parse(reply: Reply) -> object:
    try:
        return parse_json(reply.body)
    except ValueError:
        return None


def _message(reply: Reply) -> str:
    return reply.body[:_MESSAGE_BYTES].decode("utf-8", "replace")
