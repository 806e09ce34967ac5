"""Ledgers: one body for every kind; what a file adds to that; and a broken one that costs a warning."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from dowse.errors import StoreFailed
from dowse.stores import open_ledger
from dowse.stores.ledger import REST_S, Days, Entry, Ledger, MemoryLedger, SteadyLedger, Tally
from dowse.stores.sqlite import VERSION, SqliteLedger
from tests.fakes import FakeClock

NOVEMBER = Days(date(2026, 11, 1), date(2026, 11, 15))
CALL = Tally(1, 300)
THREE_CALLS = Tally(3, 10**12)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "dowse" / "state.db"


@pytest.fixture(params=["memory", "sqlite", "steady"])
async def ledger(request: pytest.FixtureRequest, path: Path, clock: FakeClock) -> AsyncIterator[Ledger]:
    kinds = {
        "memory": MemoryLedger,
        "sqlite": lambda: SqliteLedger(path),
        "steady": lambda: SteadyLedger(SqliteLedger(path), clock),
    }
    opened: Ledger = kinds[request.param]()
    yield opened
    await opened.close()


async def spend(ledger: Ledger, times: int, days: Days = NOVEMBER, cap: Tally = THREE_CALLS) -> list[Entry]:
    return [await ledger.add("serper", days, CALL, cap) for _ in range(times)]


async def test_what_is_added_stays_within_the_cap(ledger: Ledger) -> None:
    entries = await spend(ledger, 5)
    assert entries == [
        Entry(Tally(1, 300), admitted=True),
        Entry(Tally(2, 600), admitted=True),
        Entry(Tally(3, 900), admitted=True),
        Entry(Tally(3, 900), admitted=False),
        Entry(Tally(3, 900), admitted=False),
    ]
    assert await ledger.total("serper", NOVEMBER) == Tally(3, 900)


async def test_money_is_capped_like_calls_and_may_be_spent_to_the_last_bit(ledger: Ledger) -> None:
    cap = Tally(10**12, 899)
    assert [entry.admitted for entry in await spend(ledger, 3, cap=cap)] == [True, True, False]
    assert (await spend(ledger, 1, cap=Tally(10**12, 900)))[0].admitted


async def test_providers_have_accounts_of_their_own(ledger: Ledger) -> None:
    await spend(ledger, 3)
    assert await ledger.total("exa", NOVEMBER) == Tally()
    assert (await ledger.add("exa", NOVEMBER, CALL, THREE_CALLS)).admitted


async def test_the_total_is_that_of_the_days_asked_for(ledger: Ledger) -> None:
    for day in (1, 14, 15):
        await spend(ledger, 1, Days(date(2026, 11, 1), date(2026, 11, day)))
    assert await ledger.total("serper", NOVEMBER) == Tally(3, 900)
    assert await ledger.total("serper", Days(date(2026, 11, 15), date(2026, 11, 15))) == Tally(1, 300)
    assert await ledger.total("serper", Days(date(2026, 11, 1), date(2026, 11, 14))) == Tally(2, 600)


async def test_a_new_month_begins_with_nothing(ledger: Ledger) -> None:
    await spend(ledger, 3, replace(NOVEMBER, today=date(2026, 11, 30)))
    december = Days(date(2026, 12, 1), date(2026, 12, 1))
    assert [entry.admitted for entry in await spend(ledger, 4, december)] == [True, True, True, False]


async def test_the_file_and_its_folder_are_for_the_owner_only(path: Path) -> None:
    ledger, before = SqliteLedger(path), os.umask(0)
    try:
        await spend(ledger, 1)
        modes = {item.name: oct(item.stat().st_mode & 0o777) for item in (path.parent, *path.parent.iterdir())}
    finally:
        os.umask(before)
        await ledger.close()
    assert {"dowse", "state.db", "state.db-wal"} <= set(modes)
    assert modes.pop("dowse") == oct(path.parent.parent.stat().st_mode & 0o777) == "0o700"
    assert set(modes.values()) == {"0o600"}


async def test_the_file_outlives_the_process(path: Path) -> None:
    first = SqliteLedger(path)
    await spend(first, 2)
    await first.close()
    second = SqliteLedger(path)
    assert [entry.admitted for entry in await spend(second, 2)] == [True, False]
    await second.close()


async def test_the_file_holds_one_versioned_table_and_no_old_rows(path: Path) -> None:
    ledger = SqliteLedger(path)
    await spend(ledger, 1, Days(date(2026, 10, 1), date(2026, 10, 31)))
    await spend(ledger, 2)
    await ledger.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("spend",)]
        rows = connection.execute("SELECT day, provider, calls, micro_usd FROM spend").fetchall()
    assert rows == [("2026-11-15", "serper", 2, 600)]


async def test_nothing_is_created_before_it_is_used(path: Path, clock: FakeClock) -> None:
    ledger = open_ledger(f"sqlite:///{path}", clock)
    assert not path.parent.parent.exists()
    await spend(ledger, 1)
    await ledger.close()
    assert held(path)


@pytest.mark.parametrize("address", ["memory:", "redis://localhost:6379/0", "valkey://host"])
async def test_other_addresses_are_memory_for_now(address: str, clock: FakeClock) -> None:
    assert isinstance(open_ledger(address, clock), MemoryLedger)


async def test_a_home_in_the_address_is_found(clock: FakeClock, tmp_path: Path) -> None:
    ledger = open_ledger("sqlite:///~/here.db", clock)
    await spend(ledger, 1)
    await ledger.close()
    assert (tmp_path / "here.db").exists()


async def test_two_connections_at_once_do_not_spend_more_than_the_cap(path: Path) -> None:
    ledgers = [SqliteLedger(path), SqliteLedger(path)]
    entries = await asyncio.gather(*[spend(ledger, 40, cap=Tally(50, 10**12)) for ledger in ledgers])
    admitted = [entry.total.calls for batch in entries for entry in batch if entry.admitted]
    assert sorted(admitted) == list(range(1, 51))
    for ledger in ledgers:
        await ledger.close()


SPENDER = """
import asyncio, sys
from datetime import date
from pathlib import Path
from dowse.stores.ledger import Days, Tally
from dowse.stores.sqlite import SqliteLedger

async def main():
    ledger, days = SqliteLedger(Path(sys.argv[1])), Days(date(2026, 11, 1), date(2026, 11, 15))
    print("ready", flush=True)
    sys.stdin.readline()
    entries = [await ledger.add("serper", days, Tally(1, 300), Tally(100, 10**12)) for _ in range(40)]
    await ledger.close()
    print(sum(entry.admitted for entry in entries))

asyncio.run(main())
"""


def test_processes_that_open_one_file_together_do_not_spend_more_than_the_cap(path: Path) -> None:
    """Four of them create and use it at the same moment: 160 calls are tried, 100 are allowed."""
    command = [sys.executable, "-c", SPENDER, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(4)]  # type: ignore[call-overload]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    admitted = []
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        admitted.append(int(out))
    assert sum(admitted) == 100


def _corrupt(path: Path) -> None:
    path.write_bytes(b"this is no database" * 100)


def _is_folder(path: Path) -> None:
    path.mkdir()


def _newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")


def held(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


BROKEN = {"corrupt": _corrupt, "a folder": _is_folder, "of a newer version": _newer}


@pytest.mark.parametrize("how", BROKEN)
async def test_a_file_that_cannot_be_used_is_reported_and_left_as_it_is(path: Path, how: str) -> None:
    path.parent.mkdir(parents=True)
    BROKEN[how](path)
    before = held(path)
    ledger = SqliteLedger(path)
    with pytest.raises(StoreFailed, match=path.name):
        await spend(ledger, 1)
    await ledger.close()
    assert held(path) == before


@pytest.mark.parametrize("how", BROKEN)
async def test_a_broken_file_costs_one_warning_and_counting_goes_on(
    path: Path, how: str, clock: FakeClock, logged: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir(parents=True)
    BROKEN[how](path)
    ledger = open_ledger(f"sqlite:///{path}", clock)
    assert [entry.admitted for entry in await spend(ledger, 4)] == [True, True, True, False]
    clock.advance(REST_S)
    assert await ledger.total("serper", NOVEMBER) == Tally(3, 900)
    assert [record.getMessage() for record in logged.records] == ["ledger failed, spending is counted in memory"]
    await ledger.close()


async def test_a_folder_that_cannot_be_made_costs_one_warning(
    tmp_path: Path, clock: FakeClock, logged: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    ledger = open_ledger(f"sqlite:///{tmp_path}/file/dowse/state.db", clock)
    assert [entry.admitted for entry in await spend(ledger, 4)] == [True, True, True, False]
    assert len(logged.records) == 1


async def test_a_locked_file_does_not_stop_the_event_loop(path: Path) -> None:
    """Another process holds the write lock: we wait in our thread, everybody else goes on."""
    ledger = SqliteLedger(path)
    await spend(ledger, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(spend(ledger, 1))
        for _ in range(100):
            await asyncio.sleep(0)
        assert not waiting.done()
        other.execute("COMMIT")
        assert (await waiting)[0].admitted
    await ledger.close()
