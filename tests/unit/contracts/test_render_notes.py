"""Notes in place of pages: one fixed phrase per status, the source, and nothing else."""

from dowse.contracts.render import describe_failure, note, page_content
from dowse.core.models import Attempt, Page, Status
from dowse.core.reasons import FailureReason
from tests.support.tables import each_row
from tests.unit.test_names import REASONS

URL = "https://example.org/page?id=7"
UNREADABLE = [status for status in Status if not status.readable]


@each_row("status", UNREADABLE)
def test_every_status_has_its_phrase(status: Status) -> None:
    assert note(Page(URL, status)) == f"_Failed to retrieve page content: {REASONS[status.value]}_\n\nSource: {URL}"


@each_row("status", UNREADABLE)
def test_the_cause_never_shows(status: Status) -> None:
    """Exception texts, addresses and durations would make the same failure look different each time."""
    attempt = Attempt("direct", "read", status, 3200, "ConnectionError: 10.0.0.7:443 after 3.2 s")
    reason = FailureReason.NO_CONNECTION
    told = Page(URL, status, reason=reason, attempts=(attempt,), fetch_ms=3200, final_url="http://x/")
    assert note(told) == note(Page(URL, status))


def test_a_page_without_text_says_so() -> None:
    page = Page(URL, Status.ERROR, reason=FailureReason.NO_READABLE_CONTENT)
    assert note(page) == f"_Failed to retrieve page content: no readable content_\n\nSource: {URL}"


@each_row("status", list(Status))
def test_content_is_the_text_or_the_note(status: Status) -> None:
    page = Page(URL, status, text="the text" if status.readable else "")
    assert page_content(page) == ("the text" if status.readable else note(page))


def test_a_page_that_needs_a_browser_says_what_to_install() -> None:
    text = note(Page(URL, Status.ERROR, reason=FailureReason.NEEDS_BROWSER))
    assert "no readable content" in text and "install Chromium or set DOWSE_BROWSER_PATH" in text


IN_NOTE = (FailureReason.NO_READABLE_CONTENT, FailureReason.NEEDS_BROWSER)


@each_row("reason", list(FailureReason))
def test_every_reason_is_told_once(reason: FailureReason) -> None:
    """In the note, or behind the status; a denial is the status itself."""
    page = Page(URL, Status.DENIED if reason is FailureReason.ADDRESS_NOT_ALLOWED else Status.ERROR, reason=reason)
    text = f"{note(page)} {describe_failure(page)}"
    if reason in IN_NOTE:
        assert text == f"_Failed to retrieve page content: {reason}_\n\nSource: {URL} Status: error."
    elif page.status is Status.DENIED:
        assert text.endswith(f"{REASONS['denied']}_\n\nSource: {URL} Status: denied.")
    else:
        assert text.endswith(f"{REASONS['error']}_\n\nSource: {URL} Status: error ({reason}).")


@each_row("reason", [None, *FailureReason])
def test_the_code_of_the_page_is_told_whatever_the_reason(reason: FailureReason | None) -> None:
    line = describe_failure(Page(URL, Status.BLOCKED, reason=reason, http_status=451))
    assert line.startswith("Status: blocked (HTTP 451")
