"""CPU time of reading ordinary pages with this checkout and with another, in turns on the pages of WCXB.

    python benchmarks/against.py ../main --every 15 --rounds 3

Each checkout runs in processes of its own; of each page the best time counts. Prints both means and their ratio.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def measure(root: Path, every: int) -> list[float]:
    """Seconds for each page, in this process, with the code of a checkout."""
    sys.path[:0] = [str(root), str(root / "src")]
    from dowse.core.errors import PageUnreadable
    from dowse.extract import html
    from tools.extractor.data import folder, samples

    times: list[float] = []
    for page in samples(folder(), every):
        markup = page.html.decode("utf-8", "replace")
        gc.collect()
        gc.disable()
        started = time.process_time()
        with contextlib.suppress(PageUnreadable):
            html.to_text(markup, page.url)
        times.append(time.process_time() - started)
        gc.enable()
    return times[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path)
    parser.add_argument("--every", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(measure(given.other.resolve(), given.every)))
        return
    best: dict[Path, list[float]] = {}
    for root in (given.other.resolve(), HERE) * given.rounds:
        command = [sys.executable, __file__, str(root), "--every", str(given.every), "--alone"]
        times = json.loads(subprocess.check_output(command, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}))
        best[root] = [min(pair) for pair in zip(best.get(root, times), times, strict=True)]
    means = {root: 1000 * sum(times) / len(times) for root, times in best.items()}
    for root, mean in means.items():
        print(f"{mean:8.2f} ms  {root}")
    print(f"{means[HERE] / means[given.other.resolve()]:8.3f}")


if __name__ == "__main__":
    main()
