"""Three processes on one Valkey, each with fifty calls at once: one of all these calls is the probe of a breaker."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dowse.routing.breaker import OPEN_S
from tests.valkey import Valkey

ROUNDS = 8
CALLS = 50
PROBE_S = 18

# Told on its input to make calls, or how those that it was allowed to make have ended; says how many they are.
PROCESS = """
import asyncio, sys
from dowse.core.runtime import SystemClock
from dowse.core.errors import Skipped, Unavailable
from dowse.routing.breaker import Breakers, blame
from dowse.stores.fail_soft import Outage
from dowse.stores.coordination import LocalFallback
from dowse.stores.redis import RedisCoordinator, RedisStore, client
from tests.fakes import FakeClock, RecordingObserver

# A machine that is busy with something else is no reason for a store to give up.
client.ANSWER_S = client.CONNECT_S = 20.0
URL, CALLS, PROBE_S, OPEN_S = sys.argv[1], *map(int, sys.argv[2:])


async def main():
    clock, store = FakeClock(), RedisStore(URL, SystemClock())
    coordinator = RedisCoordinator(store)
    fallback = LocalFallback(coordinator.look, Outage(clock), clock, 0.0)
    breakers = Breakers("search", clock, RecordingObserver(), (coordinator, fallback))
    out = []

    async def call():
        try:
            out.append(await breakers.admit("serper", PROBE_S))
        except Skipped:
            pass

    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        match line.split():
            case ["call", times]:
                clock.advance(OPEN_S + 1)
                await asyncio.gather(*[call() for _ in range(int(times))])
            case ["fail"]:
                while out:
                    blame(out.pop(), Unavailable("serper"))
                await breakers.close()
        print(len(out), flush=True)
    await store.close()


asyncio.run(main())
"""


class Process:
    def __init__(self, url: str) -> None:
        root = Path(__file__).parents[2]
        self._running = subprocess.Popen(
            [sys.executable, "-c", PROCESS, url, str(CALLS), str(PROBE_S), str(int(OPEN_S))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
        )
        assert self.answer() == "ready"

    def tell(self, *words: str) -> None:
        assert self._running.stdin is not None
        self._running.stdin.write(" ".join(words) + "\n")
        self._running.stdin.flush()

    def answer(self) -> str:
        assert self._running.stdout is not None
        return self._running.stdout.readline().strip()

    def end(self) -> None:
        self._running.kill()
        self._running.communicate()


@contextmanager
def several(url: str) -> Iterator[list[Process]]:
    processes: list[Process] = []
    try:
        processes += [Process(url) for _ in range(3)]
        yield processes
    finally:
        for process in processes:
            process.end()


def told(processes: list[Process], *words: str) -> list[int]:
    """How many calls each of them has out after that."""
    for process in processes:
        process.tell(*words)
    return [int(process.answer()) for process in processes]


def test_of_three_processes_with_fifty_calls_each_exactly_one_call_is_the_probe(
    valkey: Valkey, valkey_url: str
) -> None:
    """`tests/slow` has more rounds."""
    probe(valkey, valkey_url, ROUNDS)


def probe(valkey: Valkey, valkey_url: str, rounds: int) -> None:
    """Probes of a provider that keeps failing; halfway the process whose call is the probe is killed."""
    with several(valkey_url) as processes:
        assert sum(told(processes, "call", "2")) == 6
        told(processes, "fail")
        for number in range(rounds):
            valkey.pass_time(int(OPEN_S) + 1)
            probes = told(processes, "call", str(CALLS))
            assert sum(probes) == 1, number
            if number == rounds // 2:
                index = probes.index(1)
                processes[index].end()
                processes[index] = Process(valkey_url)
                assert sum(told(processes, "call", str(CALLS))) == 0, "its probe is still out"
                valkey.pass_time(PROBE_S + 1)
                assert sum(told(processes, "call", str(CALLS))) == 1
            told(processes, "fail")
