"""How long looking for secrets takes in hostile queries."""

from __future__ import annotations

import contextlib
import time

import pytest

from dowse.core.errors import InvalidRequest
from tests.unit.secrets.test_requests_queries import HOSTILE, scrubber


@pytest.mark.parametrize("beginning", HOSTILE)
def test_a_hostile_query_takes_no_time(beginning: str) -> None:
    """Ten times as long as a query may be."""
    started = time.process_time()
    with contextlib.suppress(InvalidRequest):
        scrubber().scrub((beginning * 5000)[:5000])
    assert time.process_time() - started < 0.5
