"""Style sheets made to keep a reader busy: twice as much takes at most 2.3 times as long."""

from __future__ import annotations

import gc
import time
from itertools import pairwise

import pytest

from dowse.core.models import Body
from dowse.extract.convert import to_text
from tests.eval.hidden.sheets import FAMILIES
from tests.eval.hostile import is_told
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("hidden-linear")

MAX_GROWTH = 2.3
MAX_SECONDS = 2.0
# Shorter times are as much chance as cost.
NOISE_SECONDS = 0.08
# The machine has other work, and caches of its own: what grows too fast does so in every try.
MOST_TRIES = 4


def seconds(markup: str) -> float:
    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        assert is_told(to_text(Body("https://bay.example/ferry", markup.encode(), "text/html", "utf-8")).markdown)
        return time.process_time() - started
    finally:
        gc.enable()


@each_row("name", [*FAMILIES])
def test_the_time_for_style_sheets_grows_no_faster_than_they_do(name: str) -> None:
    make, largest = FAMILIES[name]
    pages = [make(largest // 4), make(largest // 2), make(largest)]
    tries = [measure(pages)]
    while not is_linear(tries[-1]) and len(tries) < MOST_TRIES:
        tries.append(measure(pages))

    assert min(costs[-1] for costs in tries) < MAX_SECONDS
    assert any(map(is_linear, tries)), tries


def measure(pages: list[str]) -> list[float]:
    return [min(seconds(page) for _ in range(3)) for page in pages]


def is_linear(costs: list[float]) -> bool:
    return all(larger <= MAX_GROWTH * max(smaller, NOISE_SECONDS) for smaller, larger in pairwise(costs))
