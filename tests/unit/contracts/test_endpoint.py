"""Requests and replies of endpoints: bodies that are read or refused, tokens that are left out, statuses of errors."""

from __future__ import annotations

import json

import pytest

from dowse.contracts.endpoint import HttpRequest, parse_fields, retry_after_s, status_of
from dowse.core.allowances import Rate
from dowse.core.errors import (
    AllProvidersFailed,
    DowseError,
    InternalError,
    InvalidRequest,
    KeyRejected,
    LimitReached,
    NoProvider,
    Offline,
    Overloaded,
    RateLimited,
    RequestRefused,
    Stopping,
    TimedOut,
    Unauthorized,
    Unavailable,
)
from tests.support.tables import each_row


@each_row(
    "body",
    [b"{", b"{'a': 1}", b"\xff", b'{"a": NaN}', b'{"a": Infinity}', b"[" * 100_000, b"[" * 65 + b"]" * 65, b"{} {}"],
)
def test_a_body_that_is_no_json_is_refused_in_one_sentence(body: bytes) -> None:
    with pytest.raises(InvalidRequest) as refused:
        HttpRequest(body=body).json()
    assert str(refused.value).startswith("The body must be")


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert HttpRequest(body=json.dumps([[]] * 500).encode()).json() == [[]] * 500
    assert HttpRequest(body=b"[" * 64 + b"]" * 64).json()


def test_no_endpoint_sees_the_token_of_a_body_or_a_query() -> None:
    sent = {"api_key": "a-token", "query": "python", "nested": {"api_key": "kept"}}
    assert HttpRequest(body=json.dumps(sent).encode()).json() == {"query": "python", "nested": {"api_key": "kept"}}
    form = HttpRequest(body=b"api_key=a-token&q=python&q=perl&empty=")
    assert form.form() == {"q": ("python", "perl"), "empty": ("",)}


def test_no_body_is_an_empty_object() -> None:
    assert HttpRequest(body=b" \n").json() == HttpRequest().json_object() == {}
    with pytest.raises(InvalidRequest):
        HttpRequest(body=b"[]").json_object()


def test_a_form_that_is_none_is_refused() -> None:
    for body in (b"\xff\xfe", b"&".join(b"a%d=1" % number for number in range(501))):
        with pytest.raises(InvalidRequest):
            HttpRequest(body=body).form()


def test_fields_keep_their_values_in_order() -> None:
    fields = parse_fields("a=1&b=%C3%A9&a=2&c")
    assert fields == {"a": ("1", "2"), "b": ("é",), "c": ("",)}
    request = HttpRequest(query=fields)
    assert (request.first("a"), request.first("c"), request.first("missing")) == ("1", "", "")


def failed(*errors: Unavailable | TimedOut | RateLimited) -> AllProvidersFailed:
    return AllProvidersFailed(errors, ())


@each_row(
    ("error", "status", "wait_s"),
    [
        (InvalidRequest("No."), 400, None),
        (Unauthorized("No."), 401, None),
        (RequestRefused(405, "No."), 405, None),
        (Offline("search"), 409, None),
        (LimitReached("web_search", Rate(1, 60.0), 12.2), 429, 13),
        (InternalError("web_search"), 500, None),
        (KeyRejected("serper"), 502, None),
        (failed(Unavailable("serper"), TimedOut("tavily")), 502, None),
        (failed(RateLimited("serper", retry_after_s=30)), 503, 30),
        (NoProvider("None."), 503, None),
        (Overloaded(1), 503, 1),
        (Stopping(), 503, None),
        (TimedOut("openai"), 504, None),
        (failed(TimedOut("serper"), TimedOut("tavily")), 504, None),
    ],
)
def test_the_status_says_whose_turn_it_is(error: DowseError, status: int, wait_s: int | None) -> None:
    assert (status_of(error), retry_after_s(error)) == (status, wait_s)
