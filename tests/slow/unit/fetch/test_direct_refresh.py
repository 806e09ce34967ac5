"""How long looking for the target of a refresh takes in a hostile page."""

from __future__ import annotations

import time

import pytest

from dowse.fetch.direct import find_refresh
from tests.unit.fetch.test_direct_refresh import HOSTILE, HTML, URL


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_pages_are_looked_at_in_no_time(piece: str) -> None:
    page = (piece * 8192)[:8192].encode()
    started = time.process_time()
    find_refresh(URL, HTML | {"refresh": piece * 2000}, page)

    assert time.process_time() - started < 0.1
