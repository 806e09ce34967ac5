"""A thread of a SQLite store that is stuck does not keep its process alive."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

STUCK = """
import asyncio, sys, threading
from pathlib import Path
from dowse.stores.sqlite import threads as module

module.CLOSE_S = 0.05
begun = threading.Event()

def hang(connection):
    begun.set()
    threading.Event().wait()

async def main():
    threads = module.Threads(Path(sys.argv[1]), 10_000_000)
    work = asyncio.create_task(threads.writer.write(hang))
    await asyncio.to_thread(begun.wait)
    await threads.close()
    await asyncio.wait([work])
    print(work.exception())

asyncio.run(main())
"""


def test_a_process_ends_although_a_thread_is_stuck(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    run = subprocess.run([sys.executable, "-c", STUCK, str(path)], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (0, f"{path}: closed before it answered\n", "")
