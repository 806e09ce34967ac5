"""How well dowse reads pages, beside trafilatura, readability-lxml and resiliparse, and what it costs.

All of them read every page of WCXB in turns, so that a busy machine slows all of them; times are CPU time. dowse reads
each page with a model that has not seen the page's host, unless told otherwise. Its CPU time includes what it finds out
about a page, such as author and date; that of the others does not. Then come metadata, and how much structure is left
of the pages of `tests/eval/fidelity`. Prints tables, and exits 1 when a figure misses its bound. `make bench` installs
what it needs and runs it.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))
# As in the workers of dowse.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.extractors import libraries, own, server
from benchmarks.extractors.measure import Result, measure, measure_facts
from benchmarks.extractors.report import Report
from benchmarks.extractors.structure import shares_kept
from tools.extractor.data import folder, samples

_SAY_EVERY_S = 5.0


def run(data: Path, every: int, *, is_seen: bool) -> tuple[list[Result], Report]:
    """All figures of dowse and of the others."""
    extractors = (own.dowse(is_seen=is_seen), *libraries.others())
    pages = len([*(data / "ground-truth").glob("*.json")][::every])
    results = list(_announced(measure(extractors, samples(data, every)), pages * len(extractors)))
    _say("metadata and structure")
    facts = measure_facts(
        {own.NAME: own.facts, libraries.TRAFILATURA: libraries.trafilatura_facts}, samples(data, every)
    )
    fidelity = {extractor.name: shares_kept(extractor) for extractor in extractors}
    return results, Report.of(results, facts, fidelity)


def _announced(results: Iterable[Result], total: int) -> Iterator[Result]:
    """The same results; how many there are is said now and then."""
    said = time.monotonic()
    for number, result in enumerate(results, 1):
        if time.monotonic() - said > _SAY_EVERY_S:
            said = time.monotonic()
            _say(f"{number} of {total} readings")
        yield result


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _server(data: Path) -> int:
    """What converting costs the server."""
    lags = server.lags()
    for shape, lag in lags.items():
        name = f"lag, 5 MB of {shape}"
        print(f"{name:30} p99 {lag.p99_ms:5.1f} ms (<= {server.LAG_BOUND_MS:.0f}), at most {lag.most_ms:5.1f} ms")
    gain = server.gain_of_second_worker(server.pages(data))
    print(f"{'two workers over one':30} {gain:9.2f}x (>= {server.WORKERS_BOUND})")
    worst_ms = max(lag.p99_ms for lag in lags.values())
    return 0 if worst_ms <= server.LAG_BOUND_MS and gain >= server.WORKERS_BOUND else 1


def main() -> int:
    arguments = _arguments()
    data = folder(arguments.data)
    if not data.is_dir():
        _say(f"{data} is missing: name the folder that holds wcxb-dev with --data or DOWSE_EVAL_DATA")
        return 2
    if arguments.server:
        return _server(data)
    if missing := libraries.missing():
        _say(f"not installed: {', '.join(missing)}; run `make bench`")
        return 2
    # Their complaints about pages say nothing about dowse.
    logging.disable()
    results, report = run(data, arguments.every, is_seen=arguments.seen)
    print(report.text())
    if arguments.json:
        written = {"report": asdict(report), "results": [asdict(result) for result in results]}
        arguments.json.write_text(json.dumps(written, indent=1))
    if arguments.plot:
        from benchmarks.extractors.plot import draw

        draw(report, arguments.plot)
    shortfalls = list(report.shortfalls())
    for shortfall in shortfalls:
        print(f"missed: {shortfall}")
    return 1 if shortfalls else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="read each Nth page only")
    parser.add_argument("--data", default="", metavar="DIR", help="the folder that holds wcxb-dev")
    parser.add_argument("--seen", action="store_true", help="use the shipped model, which was trained on these pages")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures, and those of each page")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw them, as .png or .svg")
    parser.add_argument("--server", action="store_true", help="measure the pool of workers instead")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
