"""Failures as wires report them: the HTTP status of an error, and the status and code of a page that was not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dowse.contracts.endpoint import retry_after_s, status_of
from dowse.contracts.render import reason
from dowse.core.errors import (
    AllProvidersFailed,
    DowseError,
    PageUnreadable,
    Paused,
    ProviderError,
    QuotaSpent,
    RateLimited,
    TimedOut,
)
from dowse.core.models import Page, SearchOutcome, Status
from dowse.core.reasons import FailureReason
from dowse.core.text import one_line

_MESSAGE_CHARS = 600
# Limits of providers, also where they are known and the provider is not asked again.
_SPENT = (RateLimited, Paused, QuotaSpent)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as a wire tells it: the HTTP status, one or more lines, and headers."""

    status: int
    message: str
    headers: Mapping[str, str]
    code: str = ""


@dataclass(frozen=True, slots=True)
class PageFailure:
    """A page that was not read: the HTTP status and code that tell it, and the reason as a phrase."""

    status: int
    code: str
    message: str


def page_failed(page: Page) -> PageUnreadable:
    """The error for a request of one page that was not read: never an empty success."""
    return PageUnreadable(page.status, reason=page.reason, http_status=page.http_status)


def describe_error(error: DowseError) -> Failure:
    """The status, message, headers and code of an error."""
    if isinstance(error, PageUnreadable):
        page = describe_page(Page("", error.status, reason=error.reason, http_status=error.http_status))
        return Failure(page.status, page.message, {}, page.code)
    status = _status_of_providers(error) if isinstance(error, AllProvidersFailed) else status_of(error)
    wait_s = retry_after_s(error)
    headers = {"Retry-After": str(wait_s)} if wait_s is not None and status in (429, 503) else {}
    return Failure(status, str(error)[:_MESSAGE_CHARS], headers)


def _status_of_providers(error: AllProvidersFailed) -> int:
    """One status for all providers, as far as they agree."""
    statuses = {_status_of_provider(each) for each in error.errors if each.was_asked or isinstance(each, _SPENT)}
    return statuses.pop() if len(statuses) == 1 else 503


def _status_of_provider(error: ProviderError) -> int:
    """Never 401 or 402: those would be about the key and the credits of the caller."""
    if isinstance(error, _SPENT):
        return 429
    return 504 if isinstance(error, TimedOut) else 503


_PAGE_STATUSES: Mapping[Status, tuple[int, str]] = {
    Status.NOT_FETCHED: (504, "SCRAPE_TIMEOUT"),
    Status.BLOCKED: (403, "SCRAPE_SITE_ERROR"),
    Status.NOT_FOUND: (404, "SCRAPE_NOT_FOUND"),
    Status.LOGIN_REQUIRED: (403, "SCRAPE_LOGIN_REQUIRED"),
    Status.TIMEOUT: (408, "SCRAPE_TIMEOUT"),
    Status.TOO_LARGE: (413, "SCRAPE_TOO_LARGE"),
    Status.UNSUPPORTED: (415, "SCRAPE_UNSUPPORTED_FILE_ERROR"),
    Status.DENIED: (403, "SCRAPE_ADDRESS_NOT_ALLOWED"),
    Status.ROBOTS: (403, "SCRAPE_ROBOTS_DISALLOWED"),
    Status.OFFLINE: (503, "SCRAPE_OFFLINE"),
    Status.ERROR: (500, "SCRAPE_ALL_ENGINES_FAILED"),
}
_CODES = {
    FailureReason.HOST_NOT_FOUND: "SCRAPE_DNS_RESOLUTION_ERROR",
    FailureReason.NO_SECURE_CONNECTION: "SCRAPE_SSL_ERROR",
}


def describe_page(page: Page) -> PageFailure:
    """How a page that was not read is reported; a phrase, never the text of a cause."""
    status, code = _PAGE_STATUSES[page.status]
    code = _CODES.get(page.reason, code) if page.reason else code
    told = reason(page)
    answered = f" (the site answered HTTP {page.http_status})" if page.http_status else ""
    return PageFailure(status, code, f"{page.status}: {told}{answered}")


def failed_providers(outcome: SearchOutcome) -> list[list[str]]:
    """Providers that failed in a search that succeeded, each with its reason."""
    failed = [each for each in outcome.attempts if each.outcome != "ok" and each.operation == "search"]
    return [[each.provider, one_line(each.detail or each.outcome, 200)] for each in failed]
