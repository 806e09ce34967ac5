"""What remembering costs: CPU per cached call over HTTP, and the room that a SQLite store takes.

The first part asks dowse the same question again and again, without pages and with them, against an echo tool on a bare
`MCPServer`. The second puts 100,000 entries into a store that may take 32 MB and measures its files all along. Prints
the figures, and exits 1 when a bound is broken.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from dowse.core.runtime import SystemClock
from dowse.stores import open_store
from dowse.stores.store import Key

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.servers import CALLS, CROWD, JUDGED, Costs, bare, best_of, dowse

CPU_BOUND = 1.5
ENTRIES = 100_000
SIZE_BOUND = 32_000_000
_BATCH = 200
_QUERY = "python release"


def compare(rounds: int, calls: int = CALLS, *, with_pages: bool = True) -> dict[str, Costs]:
    """The best round of the echo, a cached search, and one with its pages."""
    with tempfile.TemporaryDirectory() as home, bare(Path(home)) as echo, dowse(Path(home)) as target:
        cached = target("cached search", lambda _number: {"query": _QUERY, "fetch_content": False})
        pages = [target("with pages", lambda _number: {"query": _QUERY})] if with_pages else []
        return best_of(rounds, [echo, cached, *pages], calls)


@dataclass(frozen=True, slots=True)
class Filled:
    """The most that the files of a store took while it was filled, what is left in it, and how long it took."""

    peak_bytes: int
    entries: int
    seconds: float


def fill(entries: int = ENTRIES, max_bytes: int = SIZE_BOUND) -> Filled:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_fill(Path(folder), entries, max_bytes))


async def _fill(folder: Path, entries: int, max_bytes: int) -> Filled:
    store = open_store(f"sqlite:///{folder / 'state.db'}", SystemClock(), max_bytes=max_bytes)
    sizes = random.Random(0)
    peak, started = 0, time.perf_counter()
    for first in range(0, entries, _BATCH):
        numbers = range(first, min(first + _BATCH, entries))
        values = {Key("page", f"{number:064x}"): os.urandom(sizes.randint(1000, 4000)) for number in numbers}
        await asyncio.gather(*(store.put(key, value, kept_s=3600) for key, value in values.items()))
        peak = max(peak, _size(folder))
    seconds = time.perf_counter() - started
    usage = await store.usage()
    await store.close()
    return Filled(peak, sum(usage.entries.values()), seconds)


def _size(folder: Path) -> int:
    """The database and the journals beside it."""
    return sum(path.stat().st_size for path in folder.iterdir())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    best = compare(parser.parse_args().rounds)
    echo = best["bare MCPServer"]
    for name, costs in best.items():
        ratios = f"{costs[JUDGED] / echo[JUDGED]:5.2f}x, {costs[CROWD] / echo[CROWD]:5.2f}x with {CROWD} at a time"
        print(f"{name:16} {costs[JUDGED]:6.2f} ms CPU a call, {ratios}")
    ratio = best["cached search"][JUDGED] / echo[JUDGED]
    print(f"{'cached search':16} {ratio:6.2f}x an echo (<= {CPU_BOUND}x)")
    filled = fill()
    print(f"{ENTRIES} entries put in {filled.seconds:.1f} s, of which {filled.entries} are left")
    print(f"{'files, at most':16} {filled.peak_bytes / 1e6:6.1f} MB (<= {SIZE_BOUND / 1e6:.0f} MB)")
    return 0 if ratio <= CPU_BOUND and filled.peak_bytes <= SIZE_BOUND else 1


if __name__ == "__main__":
    raise SystemExit(main())
