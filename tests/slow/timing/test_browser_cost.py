"""A page in the browser must not cost much more than a script that does nothing but open it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.browser import CPU_BOUND, measure
from tests import realparts
from tests.tries import ratio


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads CPU time from /proc, which only Linux has")
def test_a_warm_page_costs_little_more_than_with_a_bare_script() -> None:
    """The best of three counts, and what dowse may add is doubled: the machine has other work."""
    realparts.require("chromium")
    bound = 1 + 2 * (CPU_BOUND - 1)

    def costs() -> tuple[float, float]:
        found = measure(5, ["dowse", "bare"])
        return found["bare"].cpu_s, found["dowse"].cpu_s

    assert ratio(costs, bound) <= bound
