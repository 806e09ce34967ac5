"""How long reading a hostile style sheet takes."""

from __future__ import annotations

import time

import pytest

from dowse.extract.html.tree.hiding import Hiding
from tests.unit.extract.html.tree.test_hiding import HOSTILE, hostile, judge_in


@pytest.mark.parametrize("piece", HOSTILE)
def test_sheets_are_read_in_linear_time(piece: str) -> None:
    sheet = hostile(piece, 1_000_000)
    started = time.process_time()

    judge_in(Hiding([sheet]), "p", {"class": "a", "style": sheet[:100_000]})

    assert time.process_time() - started < 2
