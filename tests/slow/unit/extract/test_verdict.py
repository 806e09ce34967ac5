"""How long judging takes for hostile markup as large as pages may be."""

from __future__ import annotations

import contextlib
import time

import pytest

from dowse.core.errors import PageUnreadable
from dowse.extract import verdict
from tests.unit.extract.test_verdict import hostile


@pytest.mark.parametrize("page", hostile(1000), ids=lambda page: page[:24])
def test_hostile_markup_does_not_slow_the_judgement_down(page: str) -> None:
    started = time.process_time()
    with contextlib.suppress(PageUnreadable):
        verdict.check_page(page, "https://site.example/", "few words " * 20)
    assert time.process_time() - started < 0.5
