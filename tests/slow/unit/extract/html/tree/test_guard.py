"""How long the guard and the parser behind it take for hostile markup."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from dowse.extract.html.tree.guard import cap_markup
from tests.tries import least
from tests.unit.extract.html.tree.test_guard import DEEPEST, HOSTILE, PIECES, depth, hostile


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12))
def test_no_repeated_markup_is_deep_or_slow(pieces: list[str]) -> None:
    markup = "".join(pieces) * 400
    started = time.process_time()

    guarded = cap_markup(markup)

    assert depth(guarded) < DEEPEST
    assert time.process_time() - started < 1


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_parser_takes_linear_time_for_what_the_guard_lets_through(piece: str) -> None:
    def seconds(count: int) -> float:
        markup = hostile(piece, count)
        started = time.process_time()
        LexborHTMLParser(cap_markup(markup))
        return time.process_time() - started

    taken = seconds(80_000)
    # Only what takes so long has to be compared with a quarter of it.
    if taken >= 0.5:
        bound = min(1, max(0.5, 8 * seconds(20_000)))
        assert taken < bound or least(lambda: seconds(80_000), bound) < bound
