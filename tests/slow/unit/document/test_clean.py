"""How long cleaning Markdown and making it plain takes for hostile text."""

import time

import pytest

from dowse.document.clean import clean, to_plain_text
from tests.unit.document.test_clean import HOSTILE


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_makes_it_slow(piece: str) -> None:
    """Two hundred thousand characters are the most a reader gives; a quadratic pattern would take minutes."""
    hostile = piece * (200_000 // len(piece))
    started = time.process_time()
    to_plain_text(hostile)
    clean(hostile)
    assert time.process_time() - started < 5
