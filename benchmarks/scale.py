"""How dowse scales: throughput and latency of `web_search` as callers multiply, and CPU per call as work doubles.

Servers are processes of their own, as are the pocket web, which has the provider and the pages, and a Valkey that all
share; callers go to the replicas in turn, and whoever is refused comes back a second later. Without a cache every
question is a new one; with it, ten are asked again and again. CPU is that of the servers and their workers, without the
callers, the web and the Valkey, which run on the same machine and take their share of it. Prints a table, and draws it
with `--plot`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.load import Run, at_a_time, calling
from benchmarks.processes import children, cpu_ms, pocket_web, running
from dowse.settings import SEARCHERS
from tests.valkey import started

TOGETHER = (1, 16, 64, 256)
REPLICAS = (1, 3)
PAGES = (1, 2, 4, 8)
PAGE_BYTES = (20_000, 40_000, 80_000)
CALLS = (100, 200, 400)
USUAL_PAGES = 3
_QUESTIONS = 10
_SETTINGS = {
    "DOWSE_BROWSER": "off",
    "DOWSE_KEYLESS": "off",
    "DOWSE_SEARCH_ORDER": "serper",
    # What is measured is dowse: the provider takes as much as it is asked.
    **{f"DOWSE_PACE_{name.upper()}": "off" for name in SEARCHERS},
}
_UNREAD = "Failed to retrieve page content"
_FORGETFUL = {f"DOWSE_TTL_{kind}": "0" for kind in ("SEARCH", "PAGES", "FAILURES")}


@dataclass(frozen=True, slots=True)
class Way:
    """One way to use dowse."""

    replicas: int
    is_cached: bool
    pages: int

    def __str__(self) -> str:
        replicas = "1 replica" if self.replicas == 1 else f"{self.replicas} replicas"
        return f"{replicas}, {'cached' if self.is_cached else 'no cache'}, {self.pages or 'no'} pages"

    def arguments(self, number: int) -> Mapping[str, object]:
        question = number % _QUESTIONS if self.is_cached else number
        wanted = {"num_results": self.pages or 5, "fetch_content": bool(self.pages)}
        return {"query": f"python release {question}", **wanted}


@dataclass(frozen=True, slots=True)
class Level:
    """What became of the calls of one way with so many at a time, and what each of them cost."""

    together: int
    run: Run
    cpu_ms: float

    @property
    def incomplete(self) -> int:
        """Answers without one of their pages."""
        answered = [json.loads(answer.text) for answer in self.run.answers if answer.outcome == "ok"]
        return sum(_UNREAD in each["result"]["content"][0]["text"] for each in answered)


@dataclass(frozen=True, slots=True)
class Fleet:
    """Replicas that are running."""

    urls: Sequence[str]
    pids: Sequence[int]
    _numbers: Iterator[int]

    async def call(self, way: Way, calls: int, together: int) -> Level:
        async with calling(*self.urls, patience_s=120) as caller:
            before = self._cpu_ms()
            run = await at_a_time(
                lambda _number: caller.ask_again("web_search", way.arguments(next(self._numbers))), calls, together
            )
            spent = self._cpu_ms() - before
        return Level(together, run, spent / max(1, run.outcomes["ok"]))

    def _cpu_ms(self) -> float:
        return sum(cpu_ms(process) for pid in self.pids for process in (pid, *children(pid)))


@contextmanager
def fleet(replicas: int, *, is_cached: bool, page_bytes: int = PAGE_BYTES[0]) -> Iterator[Fleet]:
    """So many replicas that share a Valkey, warm: what is loaded with the first pages is not part of the price."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = stack.enter_context(pocket_web(home, "--page-bytes", str(page_bytes))) | _SETTINGS
        settings |= {} if is_cached else _FORGETFUL
        settings["DOWSE_STATE"] = stack.enter_context(started()).url
        command = [sys.executable, "-m", "dowse", "serve", "--http", "--port", "0"]
        servers = [stack.enter_context(running(command, home, settings)) for _ in range(replicas)]
        urls = [json.loads(server.line_with('"listening"'))["url"] for server in servers]
        ready = Fleet(urls, [server.pid for server in servers], iter(range(1_000_000)))
        warming = Way(replicas, is_cached, max(PAGES))
        # In pieces: a cold server that is asked for much at once sends callers away.
        for together in (1, 2, 4):
            asyncio.run(ready.call(warming, 4 * replicas * together, replicas * together))
        yield ready


def by_callers(togethers: Sequence[int], replicas: Sequence[int], most_calls: int) -> dict[Way, list[Level]]:
    """Every way with so many calls at a time."""
    found: dict[Way, list[Level]] = {}
    for count in replicas:
        for is_cached in (False, True):
            with fleet(count, is_cached=is_cached) as ready:
                for pages in (0, USUAL_PAGES):
                    way = Way(count, is_cached, pages)
                    found[way] = [_level(ready, way, together, most_calls) for together in togethers]
    return found


def _level(ready: Fleet, way: Way, together: int, most_calls: int) -> Level:
    # A call that shows pages takes more than ten times as long.
    calls = max(most_calls // (10 if way.pages else 1), 10, together)
    level = asyncio.run(ready.call(way, calls, together))
    print(_line(way, level), flush=True)
    return level


@dataclass(frozen=True, slots=True)
class Costs:
    """CPU milliseconds per call, by what was doubled."""

    by_calls: Mapping[int, float]
    by_pages: Mapping[int, float]
    by_page_bytes: Mapping[int, float]


def costs(calls: Sequence[int] = CALLS, pages: Sequence[int] = PAGES, sizes: Sequence[int] = PAGE_BYTES) -> Costs:
    """One replica, no cache, four calls at a time."""

    def cost(ready: Fleet, count: int, wanted: int) -> float:
        return asyncio.run(ready.call(Way(1, is_cached=False, pages=wanted), count, 4)).cpu_ms

    with fleet(1, is_cached=False) as ready:
        by_calls = {count: cost(ready, count, 0) for count in calls}
        by_pages = {wanted: cost(ready, calls[0] // 2, wanted) for wanted in pages}
    by_size = {}
    for size in sizes:
        with fleet(1, is_cached=False, page_bytes=size) as ready:
            by_size[size] = cost(ready, calls[0] // 2, USUAL_PAGES)
    return Costs(by_calls, by_pages, by_size)


def _line(way: Way, level: Level) -> str:
    run = level.run
    times = " ".join(f"p{share * 100:.0f} {run.percentile(share) * 1000:7.0f} ms" for share in (0.5, 0.95, 0.99))
    refusals = sum(answer.refusals for answer in run.answers)
    others = {**run.outcomes, "refused at first": refusals, "incomplete": level.incomplete}
    rest = ", ".join(f"{count} {name}" for name, count in others.items() if count and name != "ok")
    return f"{way!s:36} {level.together:4} at a time {run.per_s:7.1f}/s  {times}  {level.cpu_ms:7.1f} ms CPU  {rest}"


def _print_costs(name: str, figures: Mapping[int, float], unit: Callable[[int], str]) -> None:
    first = next(iter(figures.values()))
    parts = [f"{unit(amount)}: {ms:.1f} ms ({ms / first:.2f}x)" for amount, ms in figures.items()]
    print(f"CPU per call by {name:12} {'   '.join(parts)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one replica, at most 64 callers, few calls")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw them, as .png or .svg")
    given = parser.parse_args()
    if given.quick:
        ways, spent = by_callers(TOGETHER[:3], REPLICAS[:1], 100), costs(CALLS[:1], PAGES[:2], PAGE_BYTES[:2])
    else:
        ways, spent = by_callers(TOGETHER, REPLICAS, 300), costs()
    _print_costs("calls", spent.by_calls, str)
    _print_costs("pages", spent.by_pages, str)
    _print_costs("size of pages", spent.by_page_bytes, lambda size: f"{size // 1000} kB")
    if given.plot:
        from benchmarks.scale_plot import draw

        draw({str(way): levels for way, levels in ways.items()}, spent, given.plot)
    # A crash of ours is the one thing that no load excuses.
    return 1 if any(level.run.outcomes["broken"] for levels in ways.values() for level in levels) else 0


if __name__ == "__main__":
    raise SystemExit(main())
