"""The limit at work in a model of a server, whose time is not that of the machine the tests run on.

Calls come at random; those in flight share what does the work. Judged is what is promised: at 70 % of the capacity
nobody is refused, and at five times the capacity, from its first moment on, those who are let in take at most twice as
long as they do at 70 %. `benchmarks/overload.py` measures the same on the real server.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

from dowse.surfaces.http.adaptive_concurrency import SAMPLE_S, ConcurrencyLimit, LoadSample
from tests.support.tables import each_row

STEP_S = 0.001
SECONDS = 8.0


@dataclass(frozen=True, slots=True)
class Work:
    """What a call needs: time of a worker, of which there are some, after it has waited for others."""

    work_s: float
    workers: int = 1
    waits_s: float = 0.0
    refusal_s: float = 0.0

    @property
    def capacity(self) -> float:
        return self.workers / self.work_s


@dataclass(slots=True)
class Call:
    came_at: float
    left_s: float
    waits_until: float = 0.0


@dataclass(slots=True)
class Model:
    """A server, and what its callers saw."""

    work: Work
    limit: ConcurrencyLimit
    chance: random.Random
    in_flight: list[Call] = field(default_factory=list)
    line: deque[Call] = field(default_factory=deque)
    took_s: list[float] = field(default_factory=list)
    refused_after_s: list[float] = field(default_factory=list)
    busy_s: float = 0.0
    refusing_s: float = 0.0
    began: int = 0
    ended: int = 0
    refused: int = 0
    has_waited: bool = False

    def run(self, load: float) -> None:
        rate = load * self.work.capacity
        due = self.chance.expovariate(rate)
        looked_at = 0.0
        for step in range(round(SECONDS / STEP_S)):
            now = step * STEP_S
            while due <= now:
                self.arrive(due)
                due += self.chance.expovariate(rate)
            self.go_on(now)
            if now - looked_at >= SAMPLE_S:
                self.look(now - looked_at)
                looked_at = now

    def arrive(self, now: float) -> None:
        call = Call(now, self.work.work_s * self.chance.uniform(0.5, 1.5))
        if not self.line and len(self.in_flight) < self.limit.calls:
            self.begin(call, now)
            return
        self.has_waited = True
        if not self.limit.is_overloaded and not self.limit.can_queue(len(self.line)):
            self.limit.overload()
        if not self.limit.is_overloaded:
            self.line.append(call)
            return
        for told in (call, *(self.line.popleft() for _ in range(min(1, len(self.line))))):
            self.refused_after_s.append(now - told.came_at)
            self.refusing_s += self.work.refusal_s
            self.refused += 1

    def begin(self, call: Call, now: float) -> None:
        call.waits_until = now + self.chance.uniform(0.0, self.work.waits_s)
        self.in_flight.append(call)
        self.began += 1

    def go_on(self, now: float) -> None:
        refusing_s = min(self.refusing_s, STEP_S)
        self.refusing_s -= refusing_s
        working = [call for call in self.in_flight if call.waits_until <= now]
        is_full = len(working) >= self.work.workers
        self.busy_s += STEP_S if is_full else refusing_s
        if working:
            share_s = min((STEP_S - refusing_s) * self.work.workers / len(working), STEP_S)
            for call in working:
                call.left_s -= share_s
        done = [call for call in working if call.left_s <= 0]
        self.took_s += [now - call.came_at for call in done]
        self.ended += len(done)
        self.in_flight = [call for call in self.in_flight if call.left_s > 0]
        self.call_in(now)

    def call_in(self, now: float) -> None:
        while self.line and len(self.in_flight) < self.limit.calls:
            self.begin(self.line.popleft(), now)

    def look(self, seconds: float) -> None:
        is_short = self.has_waited or bool(self.line)
        busy = min(1.0, self.busy_s / seconds)
        self.limit.update(
            LoadSample(seconds, busy, len(self.in_flight), self.began, self.ended, self.refused, is_short)
        )
        self.busy_s, self.began, self.ended, self.refused, self.has_waited = 0.0, 0, 0, 0, False

    @property
    def p95_s(self) -> float:
        return sorted(self.took_s)[int(0.95 * len(self.took_s))]


KINDS = {
    "quick calls, dear refusals": Work(0.005, refusal_s=0.00025),
    "calls that wait for others": Work(0.0025, waits_s=0.3, refusal_s=0.0001),
    "pages": Work(0.06, workers=2, waits_s=0.01),
    "searches with pages": Work(0.2, workers=2, waits_s=0.05),
}


@each_row("work", KINDS.values())
def test_an_admitted_call_hardly_notices_five_times_the_capacity(work: Work) -> None:
    overload(work, seed=1)


def overload(work: Work, seed: int) -> None:
    # It was as busy as can be a while ago, and knows what it can do.
    ordinary, excess = (Model(work, ConcurrencyLimit(512, work.capacity), random.Random(seed)) for _ in range(2))
    ordinary.run(0.7)
    excess.run(5.0)
    assert ordinary.refused_after_s == []
    assert excess.p95_s <= 2 * ordinary.p95_s
    assert len(excess.took_s) >= 0.6 * work.capacity * SECONDS
    at_once = sum(not seconds for seconds in excess.refused_after_s)
    assert at_once >= 0.9 * len(excess.refused_after_s)
