"""Processes that take turns at one real store, and go on when the one in its turn is killed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dowse.stores import fail_soft, open_store
from dowse.stores.sqlite import file
from tests.support.leases import CLOCK, Process

SOON_S = 60.0


@pytest.fixture(params=["sqlite", "valkey"])
def address(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where a store is that real processes share; a slow answer on a busy machine does not count as an outage."""
    monkeypatch.setattr(fail_soft, "PATIENCE_S", SOON_S)
    monkeypatch.setattr(file, "BUSY_S", SOON_S)
    return f"sqlite:///{tmp_path}/state.db" if request.param == "sqlite" else request.getfixturevalue("valkey_url")


@asynccontextmanager
async def opened(address: str, count: int) -> AsyncIterator[list[Process]]:
    """Processes as the store sees them: each opens it for itself."""
    stores = [open_store(address, CLOCK) for _ in range(count)]
    try:
        for store in stores:
            await store.sweep()  # connected before anybody counts how long it takes
        processes = [Process(store) for store in stores]
        yield processes
        for process in processes:
            await process.leases.close()
    finally:
        for store in stores:
            await store.close()


async def test_one_of_many_makes_what_all_of_them_want(address: str) -> None:
    async with opened(address, 5) as processes:
        answers = [asyncio.create_task(process.answer()) for process in processes]
        turns = [asyncio.create_task(process.has_turn.wait()) for process in processes]
        await asyncio.wait(turns, timeout=SOON_S, return_when=asyncio.FIRST_COMPLETED)
        for number, process in enumerate(processes):
            process.is_made.set_result(b"made by %d" % number)
        made = await asyncio.wait_for(asyncio.gather(*answers), SOON_S)
        for turn in turns:
            turn.cancel()
        assert [process.has_turn.is_set() for process in processes].count(True) == 1
        assert len(set(made)) == 1
        for process in processes:
            await process.leases.close()
        assert await processes[0].may_claim()


HOLDER = """
import asyncio, sys
from dowse.core.runtime import SystemClock
from dowse.core.models import Deadline
from dowse.cache.flights import Leases
from dowse.stores import fail_soft, open_store
from dowse.stores.sqlite import file
from dowse.cache.entries import CacheEntries
from dowse.stores.fail_soft import Outage
from dowse.stores.fail_soft import FailSoftStore

async def hold():
    clock = SystemClock()
    cache = CacheEntries(FailSoftStore(open_store(sys.argv[1], clock), Outage(clock)), clock)
    leases = Leases(cache, lease_s=0.5)
    async with leases.in_turn("search", "python", lambda: cache.get("search", "python"), Deadline.after(clock, 50)):
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


async def test_a_process_that_is_killed_in_its_turn_costs_the_others_a_moment(address: str) -> None:
    holder = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLDER, address, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    try:
        assert await asyncio.wait_for(holder.stdout.readline(), SOON_S) == b"held\n"
    finally:
        holder.kill()
        await holder.wait()
    async with opened(address, 1) as [process]:
        process.is_made.set_result(b"made")
        assert await asyncio.wait_for(process.answer(), SOON_S) == b"made"
