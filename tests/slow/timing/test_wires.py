"""The translation of a wire costs little next to the search behind it."""

from __future__ import annotations

import pytest

from benchmarks import wires
from tests.tries import least


@pytest.mark.promise("wire-cost")
def test_a_call_of_a_wire_costs_at_most_1_15_times_that_of_rest() -> None:
    assert least(lambda: max(wires.compare(rounds=2, calls=100).values()), wires.BOUND) <= wires.BOUND
