"""Minutes of mixed faults under steady load: whether memory, descriptors, threads, processes or tasks grow.

`dowse serve --http` runs as a process of its own. Between it and its providers, its pages and its Valkey stand proxies
whose faults change every few seconds; some callers leave early. After every round the lines are healed and nobody
calls for a moment: what is still held then is compared with the first such moment after the warm-up. Prints a line
for each round, and exits 1 when memory grows by 1 MiB a minute or more, when anything else has grown, or when most
calls failed, for then nothing was put to the test.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.load import Answer, Caller, at_rate, calling
from benchmarks.processes import Usage, memory_of_workers_kb, pocket_web, running, usage
from tests import faultproxy
from tests.faultproxy import HOST, Ending, Fault, FaultProxy
from tests.valkey import started

SLOPE_BOUND = 1.0
"""MiB a minute."""
# Connections that are kept come and go; a leak under this load is far more than that.
SPREAD = Usage(memory_kb=0, descriptors=24, threads=4, processes=1)
TASKS_SPREAD = 2

PER_S = 8.0
SAMPLE_S = 1.0
_DEADLINE_S = 4.0
_QUERIES, _PAGES, _PAGE_BYTES = 100, 8, 20_000

FAULTS: Mapping[str, Sequence[Fault]] = {
    "latency": (faultproxy.latency(0.1, jitter_s=0.3),),
    "bandwidth": (faultproxy.bandwidth(20_000),),
    "slicing": (faultproxy.slicing(50, 0.005),),
    "reset": (faultproxy.reset(),),
    "late reset": (faultproxy.reset(1500),),
    "timeout": (faultproxy.timeout(),),
    "late timeout": (faultproxy.timeout(1500),),
    "limit": (faultproxy.limit(1000),),
    "corrupt": (faultproxy.corrupt(every=100),),
    "nonsense": (faultproxy.corrupt(every=20, spares_heads=False),),
    "half headers": (faultproxy.half_headers(),),
    "half headers, closed": (faultproxy.half_headers(Ending.CLOSE),),
    "too long": (faultproxy.wrong_length(500),),
    "too short": (faultproxy.wrong_length(-500),),
    "down": (),
}
SETTINGS = {
    "DOWSE_BROWSER": "off",
    "DOWSE_KEYLESS": "off",
    "DOWSE_DEADLINE_S": f"{_DEADLINE_S}s",
    "DOWSE_CONTENT_FETCH_TIMEOUT": "2s",
    "DOWSE_SEARCH_ORDER": "serper,exa,tavily,searxng",
    # Long enough to be found again, and short enough to be looked for anew.
    **{f"DOWSE_TTL_{kind}": "3s" for kind in ("SEARCH", "PAGES", "FAILURES")},
    # Never reached, but counted in the store.
    "DOWSE_LIMIT_WEB_SEARCH": "100000/1m",
    **{f"DOWSE_PACE_{name}": "1000/s" for name in ("SERPER", "EXA", "TAVILY", "SEARXNG")},
    **{f"{name}_TIMEOUT": "1s" for name in ("SERPER", "EXA", "TAVILY", "SEARXNG")},
}


@dataclass(frozen=True, slots=True)
class Plan:
    """For how long, and how a round goes; at least two of them are judged, after those of the warm-up."""

    minutes: float
    round_s: float = 27.0
    change_s: float = 3.0
    rest_s: float = 3.0
    warm_up: int = 2
    seed: int = 11


SHORT = Plan(minutes=0, round_s=4.0, change_s=1.0, rest_s=1.5, warm_up=1)


@dataclass(frozen=True, slots=True)
class Sample:
    """What the server held at a moment, and its workers' memory."""

    at_s: float
    server: Usage
    workers_kb: int
    tasks: int = 0


@dataclass(slots=True)
class Report:
    """Samples under load after the warm-up, samples at rest after each round, and what became of the calls."""

    under_load: list[Sample] = field(default_factory=list)
    at_rest: list[Sample] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0

    def slope(self, memory_kb: Callable[[Sample], int]) -> float:
        """MiB a minute, by least squares."""
        if len(self.under_load) < 2:
            return 0.0
        times = [sample.at_s / 60 for sample in self.under_load]
        sizes = [memory_kb(sample) / 1024 for sample in self.under_load]
        middle, mean = sum(times) / len(times), sum(sizes) / len(sizes)
        spread = sum((at - middle) ** 2 for at in times)
        return sum((at - middle) * (size - mean) for at, size in zip(times, sizes, strict=True)) / spread

    @property
    def slopes(self) -> dict[str, float]:
        return {
            "server": self.slope(lambda sample: sample.server.memory_kb),
            "workers": self.slope(lambda sample: sample.workers_kb),
        }

    def grown(self) -> list[str]:
        """What is held at the end that was not at the first rest after the warm-up."""
        first, last = self.at_rest[0], self.at_rest[-1]
        found = [
            f"{name}: {before} -> {after}"
            for name in ("descriptors", "threads", "processes")
            if (after := getattr(last.server, name)) > (before := getattr(first.server, name)) + getattr(SPREAD, name)
        ]
        if last.tasks > first.tasks + TASKS_SPREAD:
            found.append(f"tasks: {first.tasks} -> {last.tasks}")
        return found


async def soak(plan: Plan) -> Report:
    """Rounds of faults; the first ones fill what is kept in memory."""
    report, chance = Report(), random.Random(plan.seed)
    started_s = time.monotonic()
    async with serving() as (pid, url, lines), calling(url) as caller:
        number = 0
        while number < plan.warm_up + 2 or time.monotonic() - started_s < plan.minutes * 60:
            answers, samples = await _round(pid, caller, lines, chance, plan)
            await asyncio.sleep(plan.rest_s)
            resting = await _at_rest(pid, url)
            if number >= plan.warm_up:
                report.under_load += samples
                report.at_rest.append(resting)
            outcomes = Counter[str](answer.outcome for answer in answers)
            report.outcomes += outcomes
            report.slowest_s = max(report.slowest_s, *(answer.seconds for answer in answers))
            print(_line(number, resting, outcomes), flush=True)
            number += 1
    return report


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[int, str, Mapping[str, FaultProxy]]]:
    """The server's process and address, and the lines from it to everybody else."""
    async with AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        valkey = stack.enter_context(started())
        with socket.create_server((HOST, 0)) as free:
            port = free.getsockname()[1]
        pages = await stack.enter_async_context(FaultProxy(port))
        # Waiting for processes holds up the loop, which has nothing to do yet.
        size = ["--pages", str(_PAGES), "--page-bytes", str(_PAGE_BYTES), "--links-to", f"http://{HOST}:{pages.port}"]
        settings = stack.enter_context(pocket_web(home, "--port", str(port), *size))
        lines = {"pages": pages, "store": await stack.enter_async_context(FaultProxy(valkey.port))}
        for name in ("SERPER_SEARCH_ENDPOINT", "EXA_SEARCH_ENDPOINT", "TAVILY_SEARCH_ENDPOINT", "SEARXNG_URL"):
            lines[name] = await stack.enter_async_context(FaultProxy(port))
            settings[name] = settings[name].replace(f":{port}/", f":{lines[name].port}/")
        own = {
            "DOWSE_STATE": f"redis://{HOST}:{lines['store'].port}/0",
            "DOWSE_ALLOW_PRIVATE": f"{HOST}:{pages.port}",
        }
        command = [sys.executable, "-m", "dowse", "serve", "--http", "--port", "0"]
        server = stack.enter_context(running(command, home, {**settings, **SETTINGS, **own}))
        yield server.pid, json.loads(server.line_with('"listening"'))["url"], lines


async def _round(
    pid: int, caller: Caller, lines: Mapping[str, FaultProxy], chance: random.Random, plan: Plan
) -> tuple[Sequence[Answer], list[Sample]]:
    samples: list[Sample] = []
    weather = asyncio.create_task(_change(lines, chance, plan.change_s))
    watching = asyncio.create_task(_watch(pid, samples))
    try:
        run = await at_rate(lambda number: _call(caller, chance, number), PER_S, plan.round_s)
    finally:
        for task in (weather, watching):
            task.cancel()
        await asyncio.gather(weather, watching, return_exceptions=True)
    for line in lines.values():
        line.heal()
        await line.up()
    return run.answers, samples


async def _call(caller: Caller, chance: random.Random, number: int) -> Answer:
    """Mostly searches, with their pages or without; now and then a page, or somebody who does not wait."""
    kind = chance.random()
    query = f"python release {chance.randrange(_QUERIES)}"
    arguments: dict[str, object] = {"query": query, "num_results": 3, "fetch_content": kind < 0.4}
    if kind > 0.95:
        try:
            async with asyncio.timeout(0.2):
                return await caller.ask("web_search", arguments, number)
        except TimeoutError:
            return Answer(0.2, "broken", "left")
    return await caller.ask("web_search", arguments, number)


async def _change(lines: Mapping[str, FaultProxy], chance: random.Random, every_s: float) -> None:
    """Every few seconds another weather: about every third line suffers from something."""
    while True:
        for line in lines.values():
            line.heal()
            await line.up()
            if chance.random() < 0.65:
                continue
            name = chance.choice(list(FAULTS))
            line.answers = tuple(FAULTS[name])
            if name == "down":
                await line.down()
        await asyncio.sleep(every_s)


async def _watch(pid: int, samples: list[Sample]) -> None:
    while True:
        await asyncio.sleep(SAMPLE_S)
        samples.append(Sample(time.monotonic(), usage(pid), memory_of_workers_kb(pid)))


async def _at_rest(pid: int, url: str) -> Sample:
    """What is held while nobody calls and nothing is wrong."""
    async with aiohttp.ClientSession() as session, session.get(url.removesuffix("/mcp") + "/metrics") as response:
        lines = (await response.text()).splitlines()
    tasks = next(float(line.split()[1]) for line in lines if line.startswith("dowse_tasks "))
    return Sample(time.monotonic(), usage(pid), memory_of_workers_kb(pid), int(tasks))


def _line(number: int, sample: Sample, outcomes: Mapping[str, int]) -> str:
    server = sample.server
    return (
        f"{number:3} {server.memory_kb / 1024:7.1f} MiB {sample.workers_kb / 1024:7.1f} MiB in workers "
        f"{server.descriptors:4} descriptors {server.threads:3} threads {server.processes:2} processes "
        f"{sample.tasks:3} tasks  " + ", ".join(f"{outcomes[name]} {name}" for name in sorted(outcomes))
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=11)
    given = parser.parse_args()
    report = asyncio.run(soak(Plan(given.minutes, seed=given.seed)))
    for name, slope in report.slopes.items():
        print(f"memory of {name:8} {slope:+6.2f} MiB a minute (< {SLOPE_BOUND})")
    print(f"slowest call {report.slowest_s:.2f} s (deadline {_DEADLINE_S:g} s)")
    print("grown:", ", ".join(report.grown()) or "nothing")
    was_used = report.outcomes["ok"] > report.outcomes["failed"]
    return 0 if was_used and max(report.slopes.values()) < SLOPE_BOUND and not report.grown() else 1


if __name__ == "__main__":
    raise SystemExit(main())
