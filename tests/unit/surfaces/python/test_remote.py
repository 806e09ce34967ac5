"""Problem details of a server become the errors that they were."""

from __future__ import annotations

import pytest

from dowse.contracts.endpoint import HttpRequest
from dowse.contracts.rest.problems import describe_problem
from dowse.core.allowances import Rate
from dowse.core.errors import (
    AllProvidersFailed,
    BadAnswer,
    ConfigError,
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
    Unauthorized,
    Unavailable,
)
from dowse.core.models import Attempt
from dowse.net.clients import Reply
from dowse.surfaces.python.remote import read, restore_error
from tests.support.tables import each_row

REQUEST = HttpRequest("POST")
FAILED = AllProvidersFailed(
    (RateLimited("serper", retry_after_s=30), Unavailable("exa", retry_after_s=60)),
    (Attempt("serper", "search", "rate_limited", 3), Attempt("exa", "search", "unavailable", 4, "HTTP 500")),
)


def round_trip(error: DowseError) -> DowseError:
    reply = describe_problem(error, REQUEST)
    assert isinstance(reply.data, dict)
    return restore_error(reply.data, reply.status)


@each_row(
    "error",
    [
        InvalidRequest("query is required."),
        Offline("search"),
        Unauthorized("A good token is needed."),
        LimitReached("web_search", Rate(3, 600), 42),
        Overloaded(1.0),
        Stopping(),
        InternalError("web_search"),
        NoProvider("No search provider is configured."),
        FAILED,
    ],
)
def test_an_error_survives_the_way_from_the_server(error: DowseError) -> None:
    found = round_trip(error)
    assert type(found) is type(error)
    assert str(found) == str(error)
    assert vars(found).get("retry_after_s") == vars(error).get("retry_after_s")


def test_the_attempts_of_failed_providers_are_kept() -> None:
    found = round_trip(FAILED)
    assert isinstance(found, AllProvidersFailed)
    assert found.attempts == FAILED.attempts


def test_the_error_of_one_provider_keeps_its_class() -> None:
    found = round_trip(KeyRejected("serper", "HTTP 401"))
    assert isinstance(found, KeyRejected)
    assert "serper rejected its key: HTTP 401" in str(found)


@each_row(
    ("status", "kind"),
    [
        (400, InvalidRequest),
        (401, Unauthorized),
        (403, Unauthorized),
        (404, BadAnswer),
        (405, BadAnswer),
        (413, InvalidRequest),
        (503, Unavailable),
    ],
)
def test_a_refusal_before_any_work_is_an_error_by_its_status(status: int, kind: type[DowseError]) -> None:
    found = round_trip(RequestRefused(status, "Not so."))
    assert type(found) is kind
    assert "Not so." in str(found)


def test_the_words_of_a_hostile_server_are_visible_lines_of_bounded_length() -> None:
    found = restore_error({"type": "urn:dowse:problem:InvalidRequest", "detail": "a\x1b[31m\u202e" + "x" * 9000}, 400)
    assert str(found).startswith("a[31mx")
    assert len(str(found)) <= 2000


def test_attempts_of_another_shape_are_no_answer() -> None:
    with pytest.raises(BadAnswer):
        restore_error({"type": "urn:dowse:problem:AllProvidersFailed", "attempts": [1]}, 502)


@each_row("name", ["", "str", "DowseError2", "__name__", "Sequence"])
def test_a_type_that_is_no_error_of_dowse_is_told_by_the_status(name: str) -> None:
    assert type(restore_error({"type": f"urn:dowse:problem:{name}", "detail": "d"}, 500)) is Unavailable


@each_row(
    ("reply", "said"),
    [
        (Reply(200, {}, b"<html>"), "check base_url"),
        (Reply(200, {}, b"[]"), "check base_url"),
        (Reply(404, {"content-type": "text/html"}, b"no"), "check base_url"),
        (Reply(502, {"content-type": "text/html"}, b"no"), "HTTP 502"),
        (Reply(301, {"location": "http://elsewhere.example/"}, b""), "base_url must be the final address"),
    ],
)
def test_what_is_no_answer_of_the_api_says_so(reply: Reply, said: str) -> None:
    with pytest.raises(DowseError, match=said):
        read(reply)


def test_the_body_of_a_success_is_returned() -> None:
    assert read(Reply(200, {}, b'{"a": 1}')) == {"a": 1}


def test_a_configuration_error_of_a_server_is_one_here() -> None:
    assert type(round_trip(ConfigError("DOWSE_X is wrong."))) is ConfigError
