"""A page as text: its title stands above it once, and the call for more of it can be copied."""

from __future__ import annotations

from dowse.contracts.get_content import answer
from dowse.contracts.render import get_content_call
from dowse.core.models import Page, Status
from dowse.flows.page_view import cut_page
from tests.support.tables import each_row


@each_row(
    ("title", "text", "headings"),
    [
        ("<select> loses focus", "# \\<select\\> loses focus (#7)\n\nText.", ["# \\<select\\> loses focus (#7)"]),
        ("Otters", "# Otters\n\nText.", ["# Otters"]),
        ("Otters", "Otters are small.", ["# Otters"]),
        ("Otters", "# Badgers\n\nText.", ["# Otters", "# Badgers"]),
        ("", "Text.", []),
    ],
)
def test_a_title_is_shown_where_the_text_does_not_begin_with_it(title: str, text: str, headings: list[str]) -> None:
    page = Page("https://example.org/", Status.OK, title=title, text=text)
    shown = answer(cut_page(page, 1000)).text
    assert [line for line in shown.split("\n") if line.startswith("# ")] == headings


@each_row(
    ("url", "call"),
    [
        ("https://example.org/ä", 'get_content(url="https://example.org/ä", section="b7")'),
        ('https://example.org/?q="a"', 'get_content(url="https://example.org/?q=\\"a\\"", section="b7")'),
        ("https://example.org/".ljust(401, "x"), 'get_content(url=<the url above>, section="b7")'),
    ],
)
def test_a_call_can_be_copied_and_a_very_long_address_is_not_repeated(url: str, call: str) -> None:
    assert get_content_call(url, section="b7") == call
