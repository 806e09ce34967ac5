"""CPU per call over HTTP: `web_search` without pages, against an echo tool on a bare `MCPServer`.

The provider is the pocket web in a process of its own, which answers at once, and every question is a new one. Judged
is the search alone. What it adds to keep the answer, in memory or in SQLite, which reads and writes in threads, is
printed beside it. Exits 1 when the ratio is above its bound. What a question costs that was asked before is in
`cache.py`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.servers import CALLS, CROWD, JUDGED, Costs, bare, best_of, dowse

BOUND = 2.5


STATES = {
    "search alone": {"DOWSE_STATE": "memory:", "DOWSE_TTL_SEARCH": "0"},
    "kept in memory": {"DOWSE_STATE": "memory:"},
    "kept in SQLite": {},
}


def compare(rounds: int, calls: int = CALLS, states: Mapping[str, Mapping[str, str]] = STATES) -> dict[str, Costs]:
    """The best round of each server."""
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        servers = [stack.enter_context(bare(Path(home)))]
        for name, settings in states.items():
            servers.append(stack.enter_context(dowse(Path(home), settings))(name, _another))
        return best_of(rounds, servers, calls)


def _another(number: int) -> Mapping[str, object]:
    return {"query": f"python release {number}", "fetch_content": False}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    best = compare(parser.parse_args().rounds)
    echo, judged, *_ = best.values()
    for name, costs in best.items():
        ratios = " and ".join(f"{costs[each] / echo[each]:.2f}x" for each in (JUDGED, CROWD))
        print(f"{name:16} {costs[JUDGED]:6.2f} ms CPU a call, {costs[CROWD]:6.2f} with {CROWD} at a time: {ratios}")
    ratio = judged[JUDGED] / echo[JUDGED]
    print(f"{'ratio':16} {ratio:6.2f} (<= {BOUND})")
    return 0 if ratio <= BOUND else 1


if __name__ == "__main__":
    raise SystemExit(main())
