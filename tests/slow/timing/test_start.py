"""A client starts the server for every conversation, so starting must stay cheap."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from benchmarks.start import CPU_BOUND, MEMORY_BOUND, compare
from tests.conftest import Server
from tests.http import HTTP
from tests.security.test_http_doors import run


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc, which only Linux has")
def test_a_start_costs_little_more_than_a_bare_server() -> None:
    """The best of three counts, and what dowse may add to the bare server is doubled: the machine has other work."""
    bare, dowse = compare(rounds=3).values()
    assert dowse.cpu_ms / bare.cpu_ms <= 1 + 2 * (CPU_BOUND - 1)
    assert dowse.memory_kb / bare.memory_kb <= 1 + 2 * (MEMORY_BOUND - 1)


async def test_a_start_beyond_loopback_is_refused_within_two_seconds(server: Server) -> None:
    """Security goal G11, in CPU time of a process that is not forked."""
    before = _children_cpu_s()
    code, _ = await run(server, {}, *HTTP, "--host", "0.0.0.0")
    assert code == 2
    assert _children_cpu_s() - before < 2


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
