"""Pages made to keep a reader busy: none comes out empty. `tests/slow/eval` has all at full size, by the clock."""

from __future__ import annotations

import pytest

from dowse.core.models import Body
from dowse.extract.convert import to_text
from tests.eval.hidden.sheets import FAMILIES
from tests.eval.hostile import DEEP, LONG, body, is_told
from tests.support.tables import each_row


@each_row("name", [*DEEP, *LONG])
def test_a_hostile_page_is_read_at_a_sixteenth_of_its_size(name: str) -> None:
    largest = (DEEP | LONG)[name][1]
    assert is_told(to_text(body(name, largest // 16)).markdown)


@each_row("name", ["nested div", "nested tables", "JSON-LD", "one word", "cells", "comments that never end"])
def test_a_hostile_page_is_read_at_full_size(name: str) -> None:
    largest = (DEEP | LONG)[name][1]
    assert is_told(to_text(body(name, largest)).markdown)


@pytest.mark.promise("hidden-linear")
@each_row("name", [*FAMILIES])
def test_a_page_with_hostile_style_sheets_is_read_at_a_sixteenth_of_its_size(name: str) -> None:
    make, largest = FAMILIES[name]
    page = Body("https://bay.example/ferry", make(largest // 16).encode(), "text/html", "utf-8")
    assert is_told(to_text(page).markdown)
