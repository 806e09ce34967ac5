"""What was asked before must cost little more than the protocol itself, and remembering it only the room allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.cache import CPU_BOUND, compare, fill
from benchmarks.servers import JUDGED
from tests.tries import ratio

BOUND = 1 + 2 * (CPU_BOUND - 1)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc, which only Linux has")
def test_a_cached_search_costs_little_more_than_an_echo_on_a_bare_server() -> None:
    """The best of three counts, and what dowse may add to the bare server is doubled: the machine has other work."""

    def costs() -> tuple[float, float]:
        found = compare(rounds=3, calls=100, with_pages=False)
        return found["bare MCPServer"][JUDGED], found["cached search"][JUDGED]

    assert ratio(costs, BOUND) <= BOUND


def test_a_store_stays_within_its_bound_while_four_times_as_much_is_put_into_it() -> None:
    """No clock is involved, so the bound is the figure itself."""
    filled = fill(entries=4000, max_bytes=2_500_000)
    assert filled.peak_bytes <= 2_500_000
    assert filled.entries > 0
