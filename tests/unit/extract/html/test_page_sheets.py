"""Linked style sheets are asked for where a text addresses the model, and nowhere else."""

from __future__ import annotations

import pytest

from dowse.extract.html import to_text
from tests.eval.hidden.page import SECRET, page

pytestmark = pytest.mark.promise("hidden-linked")

URL = "https://www.bay.example/ferry"
LINKS = (
    '<link rel=stylesheet href="/site.css"><link rel=stylesheet href="https://static.bay.example/more.css">'
    '<link rel=stylesheet href="https://other.example/x.css"><link rel=stylesheet media=print href="/print.css">'
)
NOTE = f'<p class="note">{SECRET}</p>'


def test_an_ordinary_page_asks_for_no_sheet() -> None:
    assert to_text(page('<p class="note">Assistants sell tickets on the pier.</p>', LINKS), URL).sheets == ()


def test_a_text_for_a_model_asks_for_the_sheets_of_its_own_site() -> None:
    assert to_text(page(NOTE, LINKS), URL).sheets == (
        "https://www.bay.example/site.css",
        "https://static.bay.example/more.css",
    )


def test_a_sheet_that_was_asked_for_hides_text() -> None:
    """Without it the text is there: nothing in the page hides it."""
    assert SECRET in to_text(page(NOTE, LINKS), URL).markdown
    with_sheet = to_text(page(NOTE, LINKS), URL, sheets=(".note{display:none}",))
    assert SECRET not in with_sheet.markdown
    assert with_sheet.sheets == ()


def test_a_large_sheet_is_read_thoroughly_for_a_text_for_a_model() -> None:
    padding = ".x{margin:0}" * 10_000
    head = f"<style>{padding}:root{{--d:none}}.note{{display:var(--d)}}</style>"
    assert SECRET not in to_text(page(NOTE, head), URL).markdown


def test_a_second_level_domain_of_a_country_is_no_site() -> None:
    links = '<link rel=stylesheet href="https://evil.co.uk/x.css"><link rel=stylesheet href="//cdn.bay.co.uk/y.css">'
    assert to_text(page(NOTE, links), "https://bay.co.uk/").sheets == ("https://cdn.bay.co.uk/y.css",)
