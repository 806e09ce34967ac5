"""Pages made to keep a reader busy: the time for each grows no faster than the page, and none comes out empty."""

from __future__ import annotations

import gc
import time
from itertools import pairwise

import pytest

from dowse.core.models import Body
from dowse.extract.convert import to_text
from tests.eval.hostile import DEEP, LONG, body, is_told
from tests.support.tables import each_row

MAX_SECONDS = 2.0
MAX_GROWTH = 2.6
# What takes less is as much chance as cost: memory that is warm makes a small page twice as quick.
NOISE_SECONDS = 0.08


@pytest.fixture(scope="module", autouse=True)
def nothing_else_is_looked_through() -> None:
    """What other tests have left is not for the collector, which would take longer over it than most pages take."""
    gc.collect()
    gc.freeze()


def seconds(page: Body) -> tuple[float, str]:
    # The collector comes when it likes, and for what other pages have left behind.
    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        text = to_text(page)
        return time.process_time() - started, text.markdown
    finally:
        gc.enable()


@each_row("name", [*DEEP, *LONG])
def test_a_hostile_page_is_read_in_time(name: str) -> None:
    largest = (DEEP | LONG)[name][1]
    seconds(body(name, 10))  # What is loaded by need is loaded now.
    costs: list[float] = []
    for size in (largest // 4, largest // 2, largest):
        page = body(name, size)
        cost, told = seconds(page)
        assert is_told(told)
        if cost > MAX_SECONDS or (costs and cost > MAX_GROWTH * max(costs[-1], NOISE_SECONDS)):
            cost = min(cost, *(seconds(page)[0] for _ in range(2)))
        costs.append(cost)

    assert costs[-1] < MAX_SECONDS
    for smaller, larger in pairwise(costs):
        assert larger <= MAX_GROWTH * max(smaller, NOISE_SECONDS), costs
