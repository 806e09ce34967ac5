"""A call over HTTP must not cost much more than the protocol itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.call import BOUND, JUDGED, STATES, compare
from tests.tries import ratio


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc, which only Linux has")
def test_a_search_costs_little_more_than_an_echo_on_a_bare_server() -> None:
    """The best of three counts, and what dowse may add to the bare server is doubled: the machine has other work."""
    judged, bound = dict([next(iter(STATES.items()))]), 1 + 2 * (BOUND - 1)

    def costs() -> tuple[float, float]:
        bare, dowse = compare(rounds=3, calls=100, states=judged).values()
        return bare[JUDGED], dowse[JUDGED]

    assert ratio(costs, bound) <= bound
