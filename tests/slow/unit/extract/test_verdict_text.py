"""How long judging takes for hostile text as long as texts may be."""

from __future__ import annotations

import time

import pytest

from dowse.extract.verdict import judge_text
from tests.unit.extract.test_verdict_text import HOSTILE


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_does_not_slow_the_judgement_down(piece: str) -> None:
    started = time.process_time()
    judge_text(piece * (100_000 // len(piece)), piece * (19_900 // len(piece)))

    assert time.process_time() - started < 0.5
