"""A page as text: its title stands above it once, however its characters are written there."""

from __future__ import annotations

import pytest

from dowse.contracts.render import render_page
from dowse.models import Page, Status


@pytest.mark.parametrize(
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
    shown = render_page(page, text, (), more="")
    assert [line for line in shown.split("\n") if line.startswith("# ")] == headings
