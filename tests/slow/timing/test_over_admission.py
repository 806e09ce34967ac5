"""Six processes on one limit: never more than the limit, whatever happens to clocks, to the store and to one of them.

Each call logs when it asked and when it was admitted. A violation is more calls than the limit whose whole intervals
fit into one period: then no moment of counting, on whatever clock, could have been right.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dowse.core.allowances import Rate
from dowse.routing.limiter import KEPT_BY_EACH
from tests.admitting import SKEWS_S
from tests.faultproxy import FaultProxy, latency
from tests.valkey import HOST, LASTING, Valkey, started

RATE = Rate(20, 2.0)
# To the store and back.
FAR_S = 0.05
RECOVERY_S = 2.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a process heard when it asked for one more call."""

    process: int
    asked: float
    heard: float
    wait_s: float
    remark: str


@dataclass(slots=True)
class Run:
    """What six processes heard, and when what happened to the store."""

    answers: list[Answer] = field(default_factory=list)
    gone: float = 0.0
    back: float = 0.0
    killed: int = 0

    @property
    def admitted(self) -> list[Answer]:
        return [answer for answer in self.answers if not answer.wait_s]

    @property
    def recovery_s(self) -> float:
        """From the return of the store to the first call that all processes counted together."""
        counted = [a.heard for a in self.admitted if a.asked > self.gone and a.heard > self.back and not a.remark]
        return min(counted) - self.back


def most_within(answers: Iterable[Answer], period_s: float) -> int:
    """The most calls whose whole intervals lie in one window `[t, t + period)`."""
    known = list(answers)
    return max(
        (sum(a.asked >= first.asked and a.heard < first.asked + period_s for a in known) for first in known), default=0
    )


@asynccontextmanager
async def six_processes(valkey: Valkey, seconds: float) -> AsyncIterator[Run]:
    """On their way to the store everything takes 50 ms. On leaving, all of them have ended."""
    run = Run()
    async with FaultProxy(valkey.port) as between:
        between.answers = (latency(FAR_S),)
        words = (f"redis://{HOST}:{between.port}/0", RATE.calls, RATE.period_s, seconds)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.admitting", *map(str, words),
            cwd=Path(__file__).parents[3], stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        all_ask = asyncio.Event()
        reading = asyncio.create_task(_read(process, run, all_ask))
        await asyncio.wait_for(all_ask.wait(), 30)
        yield run
        await reading
        assert await process.wait() == 0


async def _read(process: asyncio.subprocess.Process, run: Run, all_ask: asyncio.Event) -> None:
    assert process.stdout is not None
    async for line in process.stdout:
        run.answers.append(Answer(*json.loads(line)))
        if not all_ask.is_set() and len({answer.process for answer in run.answers}) == len(SKEWS_S):
            all_ask.set()


async def _outage(valkey: Valkey, run: Run, seconds: float) -> None:
    run.gone = time.monotonic()
    await asyncio.to_thread(valkey.kill)
    await asyncio.sleep(seconds)
    await asyncio.to_thread(valkey.start)
    run.back = time.monotonic()


async def _restarted_and_one_killed() -> Run:
    with started(*LASTING) as valkey:
        async with six_processes(valkey, 10.0) as run:
            await asyncio.sleep(3.0)
            await _outage(valkey, run, 0.5)
            await asyncio.sleep(2.5)
            run.killed = run.answers[-1].process
            os.kill(run.killed, signal.SIGKILL)
    return run


async def _gone_for_long() -> Run:
    with started(*LASTING) as valkey:
        async with six_processes(valkey, 9.0) as run:
            await asyncio.sleep(1.0)
            await _outage(valkey, run, 5.0)
    return run


def test_the_proof_would_find_one_call_too_many() -> None:
    calls = [Answer(1, moment / 10, moment / 10 + 0.05, 0.0, "") for moment in range(RATE.calls)]
    late = Answer(2, 1.9, RATE.period_s, 0.0, "")
    assert most_within([*calls, late], RATE.period_s) == RATE.calls
    assert most_within([*calls, Answer(2, 1.9, 1.99, 0.0, "")], RATE.period_s) == RATE.calls + 1


async def test_six_processes_keep_one_limit_whatever_becomes_of_the_store() -> None:
    # Both at the same time: they do little but wait.
    restarted, gone = await asyncio.gather(_restarted_and_one_killed(), _gone_for_long())
    a_restart_and_a_killed_process_let_no_call_too_many_through(restarted)
    without_the_store_each_process_keeps_the_limit_and_says_so(gone)
    a_store_that_comes_back_is_used_within_two_seconds(gone)


def a_restart_and_a_killed_process_let_no_call_too_many_through(run: Run) -> None:
    assert len({answer.process for answer in run.admitted}) == len(SKEWS_S)
    assert not [answer for answer in run.answers if answer.remark], "no process has counted on its own"
    assert RATE.calls * 0.8 <= most_within(run.admitted, RATE.period_s) <= RATE.calls
    assert len(run.admitted) > RATE.calls * 3, "the limit was used"
    assert 0 < run.recovery_s < RECOVERY_S
    assert max(answer.asked for answer in run.answers if answer.process == run.killed) < run.back + 3.5
    assert max(answer.asked for answer in run.answers if answer.process != run.killed) > run.back + 3.5


def without_the_store_each_process_keeps_the_limit_and_says_so(run: Run) -> None:
    alone = Counter(answer.process for answer in run.admitted if answer.remark == KEPT_BY_EACH)
    assert len(alone) == len(SKEWS_S)
    assert min(alone.values()) >= RATE.calls
    for process in alone:
        own = [answer for answer in run.admitted if answer.process == process]
        assert most_within(own, RATE.period_s) <= RATE.calls
    assert most_within(run.admitted, RATE.period_s) <= RATE.calls * len(SKEWS_S)


def a_store_that_comes_back_is_used_within_two_seconds(run: Run) -> None:
    assert 0 < run.recovery_s < RECOVERY_S
    since = run.back + RECOVERY_S
    assert not [answer for answer in run.answers if answer.asked > since and answer.remark]
    together = [answer for answer in run.admitted if answer.asked > since]
    assert most_within(together, RATE.period_s) <= RATE.calls
