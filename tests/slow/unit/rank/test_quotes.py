"""How long quoting a hostile page takes."""

from __future__ import annotations

import time

import pytest

from tests.unit.rank.test_quotes import hostile, words


@pytest.mark.parametrize("page", [page for page, _ in hostile(100)], ids=lambda page: page[:8])
def test_hostile_pages_take_no_time(page: str) -> None:
    started = time.process_time()
    words("how long is the river", page)
    assert time.process_time() - started < 2
