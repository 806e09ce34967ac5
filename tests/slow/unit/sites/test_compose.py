"""How long composing a page of hostile texts takes."""

from __future__ import annotations

import time

import pytest

from dowse.sites.compose import Part, compose_page, label, link, shift_headings, title
from tests.unit.sites.test_compose import HOSTILE, URL, syntax


@pytest.mark.parametrize("text", syntax(100_000), ids=range(5))
def test_long_lines_of_syntax_take_no_time(text: str) -> None:
    started = time.process_time()
    shift_headings(text, 1), link(text, text), compose_page(URL, text, [Part(text, [text], text)], max_chars=20_000)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_text_that_is_far_too_long_is_cut_before_it_is_looked_at(piece: str) -> None:
    hostile = piece * (5_000_000 // len(piece))
    started = time.process_time()
    label(hostile), title(hostile), compose_page(URL, hostile, [Part(label(hostile), body=hostile)], max_chars=20_000)
    assert time.process_time() - started < 1.0
