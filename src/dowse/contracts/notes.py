"""What stands in for a page that could not be read: one fixed phrase per status, never a cause's text."""

from __future__ import annotations

from dowse.core.models import NEEDS_BROWSER, NO_READABLE_CONTENT, Page, Status

_REASONS = {
    Status.NOT_FETCHED: "not requested",
    Status.BLOCKED: "the site refused or challenged the request",
    Status.NOT_FOUND: "the page does not exist",
    Status.LOGIN_REQUIRED: "the page needs a login or a subscription",
    Status.TIMEOUT: "the page took too long",
    Status.TOO_LARGE: "the page is too large",
    Status.UNSUPPORTED: "the content type is not supported",
    Status.DENIED: "the address is not allowed",
    Status.ROBOTS: "the site's robots.txt does not allow it",
    Status.OFFLINE: "offline mode is enabled",
    Status.ERROR: "the page could not be read",
}
# Reasons that are phrases of ours already.
_PHRASES = (NO_READABLE_CONTENT, NEEDS_BROWSER)


def note(page: Page) -> str:
    """The deterministic note for an unread page."""
    return f"_Failed to retrieve page content: {reason(page)}_\n\nSource: {page.url}"


def reason(page: Page) -> str:
    """Why a page was not read, in the phrase for its status."""
    return page.reason if page.reason in _PHRASES else _REASONS[page.status]


def content(page: Page) -> str:
    """The page's text, or the note that says why there is none: always a string, never empty."""
    return page.text if page.status.readable else note(page)
