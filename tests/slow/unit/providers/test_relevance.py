"""How long comparing long results with a hostile query takes."""

from __future__ import annotations

import time

import pytest

from dowse.providers.relevance import is_relevant
from tests.unit.providers.test_relevance import HOSTILE, LONG_HITS


@pytest.mark.parametrize("query", HOSTILE)
def test_no_query_is_slow(query: str) -> None:
    started = time.process_time()
    is_relevant(query, LONG_HITS)
    assert time.process_time() - started < 0.2
