"""Errors and unread pages as wires tell them: a status, a sentence, and a code."""

import pytest

from dowse.contracts.wires.failures import describe_error, describe_page, failed_providers, page_failed
from dowse.core.errors import (
    AllProvidersFailed,
    BudgetSpent,
    DowseError,
    InternalError,
    InvalidRequest,
    KeyRejected,
    NoProvider,
    Offline,
    Overloaded,
    PageUnreadable,
    Paused,
    ProviderError,
    QuotaSpent,
    RateLimited,
    RequestRefused,
    Stopping,
    TimedOut,
    Unauthorized,
    Unavailable,
)
from dowse.core.models import Attempt, Page, Query, SearchOutcome, Status
from dowse.core.reasons import FailureReason


def failed(*errors: ProviderError) -> AllProvidersFailed:
    return AllProvidersFailed(errors, tuple(Attempt(error.provider, "search", error.code, 1) for error in errors))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidRequest("q is required."), 400),
        (Unauthorized("a token"), 401),
        (RequestRefused(413, "too large"), 413),
        (Overloaded(1), 503),
        (Stopping(), 503),
        (Offline("search"), 409),
        (NoProvider("none"), 503),
        (InternalError("web_search"), 500),
        (failed(RateLimited("serper")), 429),
        (failed(RateLimited("serper"), Paused("tavily"), QuotaSpent("exa"), BudgetSpent("x")), 429),
        (failed(RateLimited("serper"), Unavailable("tavily")), 503),
        (failed(TimedOut("serper"), TimedOut("tavily")), 504),
        # Not 401: that would be about the caller's token.
        (failed(KeyRejected("serper")), 503),
        (PageUnreadable(Status.BLOCKED), 403),
    ],
)
def test_every_error_has_its_status(error: DowseError, status: int) -> None:
    assert describe_error(error).status == status


def test_when_to_come_back_is_a_header() -> None:
    assert describe_error(Overloaded(1.2)).headers == {"Retry-After": "2"}
    assert describe_error(failed(RateLimited("serper", retry_after_s=30))).headers == {"Retry-After": "30"}
    assert describe_error(InvalidRequest("x")).headers == {}


@pytest.mark.parametrize("status", [each for each in Status if not each.readable])
def test_every_page_that_was_not_read_is_an_error(status: Status) -> None:
    failure = describe_page(Page("https://example.org/", status))
    assert failure.status >= 400
    assert failure.code.startswith("SCRAPE_")
    assert failure.message.startswith(f"{status}: ")


def test_the_reason_of_a_failure_is_a_phrase_and_its_code_that_of_firecrawl() -> None:
    page = Page("https://x.test/", Status.ERROR, reason=FailureReason.HOST_NOT_FOUND)
    assert describe_page(page).code == "SCRAPE_DNS_RESOLUTION_ERROR"
    told = describe_error(page_failed(Page("https://x.test/", Status.NOT_FOUND, http_status=410)))
    assert (told.status, told.code) == (404, "SCRAPE_NOT_FOUND")
    assert "the site answered HTTP 410" in told.message


def test_providers_that_failed_beside_one_that_answered_are_named_with_their_reason() -> None:
    attempts = (
        Attempt("serper", "search", "unavailable", 9, "HTTP 500"),
        Attempt("tavily", "search", "ok", 9),
        Attempt("direct", "read", "timeout", 9),
        Attempt("exa", "search", "busy", 9),
    )
    outcome = SearchOutcome(Query("x"), "tavily", (), attempts)
    assert failed_providers(outcome) == [["serper", "HTTP 500"], ["exa", "busy"]]
