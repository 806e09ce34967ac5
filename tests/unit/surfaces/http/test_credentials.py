"""Places of a token in a request."""

from __future__ import annotations

import json
from base64 import b64encode

import pytest
from starlette.types import Scope

from dowse.surfaces.http import credentials
from dowse.surfaces.http.credentials import LONGEST_TOKEN_BYTES, BadCredential
from tests.support.tables import each_row

TOKEN = b"dowse_a-token"


def scope(path: str = "/", *headers: tuple[bytes, bytes], query: bytes = b"") -> Scope:
    return {"path": path, "raw_path": path.encode(), "headers": list(headers), "query_string": query}


@each_row(
    ("path", "token", "rest"),
    [
        ("/t/abc/mcp", "abc", "/mcp"),
        ("/t/abc", "abc", "/"),
        ("/t/abc/", "abc", "/"),
        ("/t/a%2Fb/x", "a/b", "/x"),
        ("/t//mcp", " ", "/mcp"),
        ("/t/", " ", "/"),
        ("/t/abc/compat/jina/https%3A%2F%2Fexample.org", "abc", "/compat/jina/https://example.org"),
    ],
)
def test_the_token_is_cut_off_the_path(path: str, token: str, rest: str) -> None:
    request = scope(path)
    assert (credentials.take_path_token(request), request["path"]) == (token, rest)
    assert b"/t/" not in request["raw_path"]


@each_row("path", ["/mcp", "/t", "/tt/abc/mcp", "/T/abc/mcp", "/api/t/abc", "//t/abc"])
def test_other_paths_stay_as_they_are(path: str) -> None:
    request = scope(path)
    assert (credentials.take_path_token(request), request["path"]) == ("", path)


@each_row(
    "header",
    [
        (b"authorization", b"Bearer " + TOKEN),
        (b"authorization", TOKEN),
        (b"authorization", b"basic " + b64encode(b"user:" + TOKEN)),
        (b"authorization", b"Basic " + b64encode(b":" + TOKEN)),
        (b"x-api-key", TOKEN),
        (b"x-subscription-token", TOKEN),
    ],
)
def test_a_header_holds_the_token_and_goes_no_further(header: tuple[bytes, bytes]) -> None:
    request = scope("/", (b"accept", b"*/*"), header)
    assert list(credentials.find_in_headers(request)) == [TOKEN]
    credentials.drop_headers(request)
    assert request["headers"] == [(b"accept", b"*/*")]


@each_row("value", [b"Basic " + b64encode(TOKEN), b"Basic YQ", b"Basic YQ==YQ"])
def test_basic_authentication_without_a_password_is_malformed(value: bytes) -> None:
    with pytest.raises(BadCredential):
        list(credentials.find_in_headers(scope("/", (b"authorization", value))))


def test_a_query_and_a_body_hold_the_token() -> None:
    assert list(credentials.find_in_query(scope(query=b"q=1&api_key=" + TOKEN))) == [TOKEN]
    assert list(credentials.find_in_query(scope(query=b"q=api_key"))) == []
    body = json.dumps({"api_key": TOKEN.decode()}).encode()
    assert list(credentials.find_in_body(body, "application/json")) == [TOKEN]
    assert list(credentials.find_in_body(b"q=1&api_key=" + TOKEN, "application/x-www-form-urlencoded")) == [TOKEN]


@each_row("body", [b"", b"{}", b'["api_key"]', b'{"api_key": 1}', b'{"api_key": null}', b'{"api_key"', b"[" * 9000])
def test_no_other_body_holds_one(body: bytes) -> None:
    assert list(credentials.find_in_body(body, "application/json")) == []


def test_one_token_may_be_in_several_places_and_two_may_not() -> None:
    assert credentials.only_one([]) == ""
    assert credentials.only_one([TOKEN, TOKEN]) == TOKEN.decode()
    assert credentials.only_one([b"a" * LONGEST_TOKEN_BYTES])
    bad = {
        "different": [TOKEN, b"other"],
        "malformed": [b"a b"],
        "oversized": [b"a" * (LONGEST_TOKEN_BYTES + 1)],
    }
    for reason, tokens in bad.items():
        with pytest.raises(BadCredential, match=reason):
            credentials.only_one(tokens)
    for token in (b"", b"a,b", b"\xc3\xa9", b"a\n"):
        with pytest.raises(BadCredential, match="malformed"):
            credentials.only_one([token])
