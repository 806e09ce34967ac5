"""Notes in place of pages: one fixed phrase per status, the source, and nothing else."""

from dowse.contracts.render import note, page_content
from dowse.core.models import NEEDS_BROWSER, Page, Status
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
    told = Page(URL, status, reason="ConnectionError: 10.0.0.7:443 after 3.2 s", fetch_ms=3200, final_url="http://x/")
    assert note(told) == note(Page(URL, status))


def test_a_page_without_text_says_so() -> None:
    page = Page(URL, Status.ERROR, reason="no readable content")
    assert note(page) == f"_Failed to retrieve page content: no readable content_\n\nSource: {URL}"


@each_row("status", list(Status))
def test_content_is_the_text_or_the_note(status: Status) -> None:
    page = Page(URL, status, text="the text" if status.readable else "")
    assert page_content(page) == ("the text" if status.readable else note(page))


def test_a_page_that_needs_a_browser_says_what_to_install() -> None:
    text = note(Page(URL, Status.ERROR, reason=NEEDS_BROWSER))
    assert "no readable content" in text and "install Chromium or set DOWSE_BROWSER_PATH" in text
