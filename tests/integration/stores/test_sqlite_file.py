"""The file of a SQLite store, shared by processes that end with and without closing it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "dowse" / "state.db"


SPENDER = """
import asyncio, sys
from datetime import date
from pathlib import Path
from dowse.core.runtime import SystemClock
from dowse.stores.ledger import Days, Tally
from dowse.stores.sqlite import SqliteStore, file
from dowse.stores.store import Key

file.BUSY_S = 20  # four on a busy machine

async def main():
    store, days = SqliteStore(Path(sys.argv[1]), SystemClock()), Days(date(2026, 11, 1), date(2026, 11, 15))
    print("ready", flush=True)
    sys.stdin.readline()
    admitted = 0
    for number in range(40):
        entry = await store.add("serper", days, Tally(1, 300), Tally(100, 10**12))
        admitted += entry.admitted
        await store.put(Key("page", f"{sys.argv[2]} {number}"), b"x" * 5000, 1000)
    await store.close()
    print(admitted)

asyncio.run(main())
"""


def test_processes_that_open_one_file_together_share_it(path: Path) -> None:
    """Four of them create and use it at the same moment: 160 calls are tried, 100 are allowed."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    commands = [[sys.executable, "-c", SPENDER, str(path), str(number)] for number in range(4)]
    processes = [subprocess.Popen(command, **pipes) for command in commands]  # type: ignore[call-overload]
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
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM entries").fetchone() == (160,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


FORGETFUL = """
import asyncio, sys
from pathlib import Path
from dowse.core.runtime import SystemClock
from dowse.stores.sqlite import SqliteStore
from dowse.stores.store import Key

async def main():
    store = SqliteStore(Path(sys.argv[1]), SystemClock())
    await store.put(Key("page", "00ff"), b"value", 60)
    await store.get(Key("page", "00ff"))

asyncio.run(main())
"""


def test_a_store_that_is_not_closed_does_not_keep_the_process_from_ending(path: Path) -> None:
    command = [sys.executable, "-c", FORGETFUL, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
