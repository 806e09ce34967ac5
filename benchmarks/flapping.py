"""A provider that is up for a second and down for the next, again and again, under many clients.

Each client searches, pauses a moment and searches again. While the provider is down it refuses half of the calls and
leaves the others without an answer. In the end it stays up. Prints how often it was asked for the calls that the
breaker let through, how late the latest answer came, and how long it took until searches were answered again; exits 1
when a bound is broken.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import sys
from dataclasses import dataclass

from dowse.core.errors import AllProvidersFailed, TimedOut, Unavailable
from dowse.core.models import Clock, Deadline
from dowse.core.runtime import SystemClock
from dowse.routing.breaker import OPEN_S
from dowse.routing.router import Router
from dowse.telemetry.log import Observers

CLIENTS = 200
SECONDS = 60.0
MOST_PER_CALL = 1.3
# What it takes a busy machine to notice that the time is up.
LATEST_S = 0.2
_PERIOD_S = 1.0
_DEADLINE_S = 8.0
_PAUSE_S = (0.5, 2.0)
_ANSWER_S = (0.02, 0.1)


@dataclass(slots=True)
class Report:
    """What came of all calls: how many, for how many of them the provider was asked, and how often."""

    calls: int = 0
    admitted: int = 0
    upstream: int = 0
    answered: int = 0
    latest_s: float = -math.inf
    """How long after its deadline the latest call ended; less than nothing if that was before."""
    recovered_s: float | None = None
    """How long after the flapping had ended a call was answered again."""

    @property
    def per_call(self) -> float:
        return self.upstream / max(1, self.admitted)

    def broken(self) -> list[str]:
        """The bounds that do not hold."""
        bounds = {
            f"the provider was asked {self.per_call:.2f} times per call": self.per_call <= MOST_PER_CALL,
            f"an answer came {self.latest_s:.2f} s after its deadline": self.latest_s <= LATEST_S,
            f"searches were answered again after {self.recovered_s} s": self.recovered_s is not None
            and self.recovered_s <= OPEN_S,
        }
        return [text for text, holds in bounds.items() if not holds]


class Flapping:
    """A provider that is well in every other second, until it is well for good."""

    name, timeout_s = "flapping", 15.0

    def __init__(self, clock: Clock, until: float, chance: random.Random) -> None:
        self._clock = clock
        self._began = clock.now()
        self._until = until
        self._chance = chance
        self.calls = 0

    async def search(self, until: Deadline) -> str:
        self.calls += 1
        is_up = self._is_up()
        await self._clock.sleep(self._chance.uniform(*_ANSWER_S))
        if is_up and self._is_up():
            return "found"
        if self._chance.random() < 0.5:
            raise Unavailable(self.name, "HTTP 503")
        await self._clock.sleep(until.remaining_s())
        raise TimedOut(self.name)

    def _is_up(self) -> bool:
        now = self._clock.now()
        return now >= self._until or (now - self._began) // _PERIOD_S % 2 == 0


class Crowd:
    """Clients of one router, until the flapping is over and a call was answered after it."""

    def __init__(self, seconds: float, clock: Clock, chance: random.Random) -> None:
        self.report = Report()
        self._clock = clock
        self._chance = chance
        self._over = clock.now() + seconds
        self._provider = Flapping(clock, self._over, chance)
        self._router: Router[Flapping] = Router("search", clock=clock, observer=Observers())

    async def run(self, clients: int) -> Report:
        async with asyncio.timeout(self._over - self._clock.now() + 2 * OPEN_S):
            await asyncio.gather(*[self._client() for _ in range(clients)])
        self.report.upstream = self._provider.calls
        return self.report

    async def _client(self) -> None:
        while self.report.recovered_s is None:
            await self._clock.sleep(self._chance.uniform(*_PAUSE_S))
            await self._call()

    async def _call(self) -> None:
        report, deadline, asked = self.report, Deadline.after(self._clock, _DEADLINE_S), 0

        async def ask(provider: Flapping, until: Deadline) -> str:
            nonlocal asked
            asked += 1
            return await provider.search(until)

        try:
            await self._router.first([self._provider], ask, deadline)
        except AllProvidersFailed:
            pass
        else:
            report.answered += 1
            if self._clock.now() >= self._over and report.recovered_s is None:
                report.recovered_s = self._clock.now() - self._over
        report.calls += 1
        report.admitted += bool(asked)
        report.latest_s = max(report.latest_s, self._clock.now() - deadline.at)


async def flap(seconds: float = SECONDS, clients: int = CLIENTS, clock: Clock | None = None, seed: int = 11) -> Report:
    """Run it for so long, and until searches are answered again."""
    return await Crowd(seconds, clock or SystemClock(), random.Random(seed)).run(clients)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long the provider flaps")
    parser.add_argument("--clients", type=int, default=CLIENTS, help="how many search at the same time")
    given = parser.parse_args()
    report = asyncio.run(flap(given.seconds, given.clients))
    print(f"{report.calls} calls, {report.admitted} let through, {report.answered} answered")
    print(f"provider asked {report.upstream} times, {report.per_call:.2f} per call that was let through")
    print(f"the latest call ended {report.latest_s:.3f} s after its deadline")
    print(
        "not answered again"
        if report.recovered_s is None
        else f"answered again {report.recovered_s:.1f} s after the end"
    )
    broken = report.broken()
    for text in broken:
        print(f"out of bounds: {text}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
