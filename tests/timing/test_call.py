"""A call over HTTP must not cost much more than the protocol itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.call import BOUND, JUDGED, STATES, compare

pytestmark = pytest.mark.alone


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads CPU time from /proc, which only Linux has")
def test_a_search_costs_little_more_than_an_echo_on_a_bare_server() -> None:
    """The best of three counts, and what dowse may add to the bare server is doubled: the machine has other work."""
    judged = dict([next(iter(STATES.items()))])
    bare, dowse = compare(rounds=3, calls=100, states=judged).values()
    assert dowse[JUDGED] / bare[JUDGED] <= 1 + 2 * (BOUND - 1)
