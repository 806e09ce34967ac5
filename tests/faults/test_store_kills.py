"""A process that is killed while it writes leaves a sound file, with everything in it that was said to be there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.promise("data-store-kill")

KILLS = 40

# Forks writers, two at a time on one file, and kills them at random moments. Nothing has to be imported again,
# and no thread runs here.
DRIVER = """
import asyncio, os, random, select, signal, sqlite3, struct, sys, time
from contextlib import closing
from pathlib import Path
from dowse.core.runtime import SystemClock
from dowse.core.errors import StoreFailed
from dowse.stores.sqlite import SqliteStore, threads
from dowse.stores.store import Key

PATH, KILLS = Path(sys.argv[1]), int(sys.argv[2])
ROOM = 8_000_000  # small, so that the log is often copied into the file, and large enough for all keys
ACKNOWLEDGED = struct.Struct(">II")
KEYS, AT_ONCE = 24, 6


async def write(writer, first, acknowledged):
    store, chance = SqliteStore(PATH, SystemClock(), ROOM), random.Random(first)

    async def put(number):
        key = writer * KEYS + number % KEYS
        value = struct.pack(">I", number) + bytes(chance.choice([10, 3000, 30_000]))
        try:
            await store.put(Key("page", str(key)), value, 10**6)
        except StoreFailed:  # on a slow disk the other writer may hold the file for too long
            return
        os.write(acknowledged, ACKNOWLEDGED.pack(key, number))

    for number in range(first, first + 1_000_000, AT_ONCE):
        await asyncio.gather(*[put(each) for each in range(number, number + AT_ONCE)])


def started(writer, first):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        asyncio.run(write(writer, first, writing))
    os.close(writing)
    return pid, open(reading, "rb", buffering=0)


def killed(pid, acknowledged):
    "What a writer has acknowledged in its life."
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    with acknowledged:
        said = acknowledged.read()
    return [ACKNOWLEDGED.unpack_from(said, start) for start in range(0, len(said), ACKNOWLEDGED.size)]


def held():
    # Read-only: what is in the log stays there for the next writer to find.
    with closing(sqlite3.connect(f"file:{PATH}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = connection.execute("SELECT digest, value FROM entries").fetchall()
    return {int(digest): struct.unpack_from(">I", value)[0] for digest, value in rows}


def main():
    chance, latest, first, total = random.Random(6), {}, 0, 0
    for _ in range(KILLS // 2):
        writers = [started(writer, first) for writer in range(2)]
        for pid, acknowledged in writers:
            select.select([acknowledged], [], [])
            time.sleep(chance.uniform(0, 0.012))
            for key, number in killed(pid, acknowledged):
                latest[key] = max(number, latest.get(key, 0))
                total += 1
        found = held()
        lost = {key: number for key, number in latest.items() if found.get(key, -1) < number}
        assert not lost, lost
        first = max([first, *found.values()]) + 1
    assert len(latest) >= min(2 * KEYS, KILLS // 2)
    print(total)


main()
"""


def test_kills_leave_a_sound_file_and_every_acknowledged_entry(tmp_path: Path) -> None:
    """`tests/slow` has more of them."""
    kill_writers(tmp_path / "state.db", KILLS)


def kill_writers(path: Path, kills: int) -> None:
    command = [sys.executable, "-c", DRIVER, str(path), str(kills)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > kills, "they were killed in the middle of their work"
