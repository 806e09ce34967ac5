"""A provider that comes and goes every second: it is not flooded, nobody waits too long, and it is found again."""

from __future__ import annotations

import asyncio

from benchmarks.flapping import CLIENTS, SECONDS, flap
from dowse.routing.breaker import OPEN_S
from tests.fakes.loop import LoopClock, SkippingLoop


def test_two_hundred_clients_bear_a_minute_of_flapping() -> None:
    """The whole minute, on a loop that skips the waiting; `benchmarks/flapping.py` runs it as long as it takes."""
    with asyncio.Runner(loop_factory=SkippingLoop) as runner:
        report = runner.run(flap(SECONDS, CLIENTS, LoopClock(runner.get_loop())))
    assert report.broken() == []
    assert report.answered > 0
    assert report.calls > 5000
    assert report.recovered_s is not None
    assert report.recovered_s <= OPEN_S
