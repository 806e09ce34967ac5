"""Faults of every kind under load must leave nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.processes import Usage
from benchmarks.soak import SHORT, Report, Sample, soak

# Half a minute shows what is lost with every call, and nothing of what grows slowly: that is for the benchmark.
LOOSE_SLOPE = 30.0


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads descriptors from /proc, which only Linux has")
async def test_after_mixed_faults_the_server_holds_what_it_held_before() -> None:
    report = await soak(SHORT)
    assert report.grown() == []
    assert max(report.slopes.values()) < LOOSE_SLOPE
    assert report.outcomes["ok"] > report.outcomes["failed"], report.outcomes


def test_what_has_grown_is_named() -> None:
    def held(minute: int, descriptors: int, tasks: int) -> Sample:
        return Sample(60.0 * minute, Usage(100_000 + 2048 * minute, descriptors, 5, 2), 90_000 - minute, tasks)

    report = Report(
        under_load=[held(minute, 30, 5) for minute in range(5)],
        at_rest=[held(0, 30, 5), held(5, 300, 50)],
    )
    assert report.grown() == ["descriptors: 30 -> 300", "tasks: 5 -> 50"]
    assert report.slopes["server"] == pytest.approx(2.0)
    assert report.slopes["workers"] < 0
