"""How long cleaning titles and snippets takes: it happens on the event loop, which it would block."""

import time

import pytest

from dowse.core import text
from tests.unit.core.test_text import HOSTILE, VERY_LONG


@pytest.mark.parametrize("piece", HOSTILE, ids=lambda piece: piece[:8])
def test_hostile_text_costs_a_moment(piece: str) -> None:
    started = time.process_time()
    text.without_markup(piece * (1_000_000 // len(piece)), 1000)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("piece", VERY_LONG)
def test_of_a_text_with_a_limit_only_the_beginning_is_looked_at(piece: str) -> None:
    hostile = piece * (5_000_000 // len(piece))
    started = time.process_time()
    assert len(text.without_markup(hostile, 300)) <= 300
    assert len(text.one_line(hostile, 300)) <= 300
    assert time.process_time() - started < 0.5
