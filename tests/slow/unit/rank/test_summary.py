"""How long summarising a hostile page takes."""

import time

import pytest

from dowse.core.digests import Source
from dowse.rank.summary import MAX_CHARS
from tests.unit.rank.test_summary import HOSTILE, summary


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_pages_take_no_time(piece: str) -> None:
    started = time.process_time()
    assert len(summary(Source(piece * 100_000, piece * 50, description=piece * 500), piece * 50)) <= MAX_CHARS
    # It takes some 30 ms; this much tells a slow machine from quadratic time.
    assert time.process_time() - started < 2
