"""A client starts the server for every conversation, so starting must stay cheap."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.start import CPU_BOUND, MEMORY_BOUND, compare


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc, which only Linux has")
def test_a_start_costs_little_more_than_a_bare_server() -> None:
    """The best of three counts, and what dowse may add to the bare server is doubled: the machine has other work."""
    bare, dowse = compare(rounds=3).values()
    assert dowse.cpu_ms / bare.cpu_ms <= 1 + 2 * (CPU_BOUND - 1)
    assert dowse.memory_kb / bare.memory_kb <= 1 + 2 * (MEMORY_BOUND - 1)
