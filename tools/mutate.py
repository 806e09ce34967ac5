"""Checks the tests of what must not break: each small mistake in these modules has to make one of their tests fail.

Every mutant runs in a fork of a process that has loaded the heavy libraries, and stops at the first test that fails.
Prints the mutants that no test noticed and the share of those that one did; exits 1 when it is below the floor in
tests/security/mutation_floor.json, which also lists, with reasons, the mutants that change nothing.

    python -m tools.mutate [PART OF A FILE NAME ...]
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType

import hypothesis
import pytest

from tools.mutants import Mutant, mutants

ROOT = Path(__file__).resolve().parent.parent
FLOOR = ROOT / "tests/security/mutation_floor.json"
# Each module and the quick tests that are about it.
SUBJECTS = {
    "src/dowse/net/guard.py": [
        "tests/unit/net/test_guard.py",
        "tests/unit/net/test_guard_addresses.py",
        "tests/unit/net/test_guard_machine.py",
        "tests/unit/net/test_guard_late_answer.py",
        "tests/integration/net/test_guard_dns.py",
        "tests/integration/net/test_listener.py",
    ],
    "src/dowse/net/decode.py": ["tests/security/test_decoder.py"],
    "src/dowse/secrets/requests.py": [
        "tests/unit/secrets/test_requests_urls.py",
        "tests/unit/secrets/test_requests_queries.py",
    ],
    "src/dowse/secrets/credentials.py": [
        "tests/unit/secrets/test_requests_urls.py",
        "tests/unit/secrets/test_requests_queries.py",
    ],
    "src/dowse/secrets/leaks.py": ["tests/unit/secrets/test_requests_queries.py"],
}
PROCESSES = 2
# A mutant that takes so much longer than the module itself hangs, and has been noticed.
PATIENCE, PATIENCE_S = 3, 3.0
_QUIET = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:pytest_cov", "--assert=plain")


class _Mutated(MetaPathFinder, Loader):
    """Loads one module from the mutant's code, all others as usual."""

    def __init__(self, module: str, code: CodeType) -> None:
        self._module, self._code = module, code

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        return spec_from_loader(fullname, self) if fullname == self._module else None

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, module.__dict__)


def _module(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").replace("/", ".")


def _prepare() -> None:
    """Load what all tests share, once; the modules under test are loaded anew in each fork."""
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    # Simpler counter-examples are for people; and what was found must not depend on the last run.
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutate", max_examples=40, phases=phases, database=None, derandomize=True)
    os.environ["HYPOTHESIS_PROFILE"] = "mutate"
    import tests.conftest  # noqa: F401

    packages = {_module(path).rpartition(".")[0] for path in SUBJECTS}
    for name in [name for name in sys.modules if name.startswith((*packages, "tests.fakes.wire"))]:
        del sys.modules[name]
    # What is here stays; no fork need look through it for rubbish.
    gc.freeze()


def _start(path: str, code: CodeType, tests: Sequence[str]) -> int:
    """The process that runs the tests on the mutant; its exit code is that of pytest."""
    pid = os.fork()
    if pid:
        return pid
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    sys.meta_path.insert(0, _Mutated(_module(path), code))
    outcome = pytest.main([*_QUIET, *tests])
    os._exit(int(outcome))


def _finished(running: dict[int, tuple[Mutant, float]]) -> Iterator[tuple[Mutant, bool]]:
    """The mutants whose tests have ended or whose time is up, and whether they were noticed."""
    for pid, (mutant, until) in list(running.items()):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if not ended and time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            ended, status = os.waitpid(pid, 0)
        if ended:
            del running[pid]
            yield mutant, status != 0


def _noticed(path: str, found: Sequence[Mutant], limit_s: float) -> Iterator[tuple[Mutant, bool]]:
    waiting, running = list(reversed(found)), dict[int, tuple[Mutant, float]]()
    while waiting or running:
        while waiting and len(running) < PROCESSES:
            mutant = waiting.pop()
            running[_start(path, mutant.code, SUBJECTS[path])] = (mutant, time.monotonic() + limit_s)
        yield from _finished(running)
        time.sleep(0.005)


def _limit_s(path: str) -> float:
    """How long a mutant may take; the tests have to pass without one."""
    code, started = compile((ROOT / path).read_text(), path, "exec"), time.monotonic()
    if os.waitpid(_start(path, code, SUBJECTS[path]), 0)[1]:
        raise SystemExit(f"{path}: its tests fail without a mutant")
    return PATIENCE * (time.monotonic() - started) + PATIENCE_S


def main(wanted: Sequence[str]) -> int:
    rules = json.loads(FLOOR.read_text())
    _prepare()
    total: Counter[bool] = Counter()
    for path in (path for path in SUBJECTS if not wanted or any(part in path for part in wanted)):
        equivalent = rules["equivalent"].get(path, {})
        found = list(mutants(Path(path), (ROOT / path).read_text()))
        judged = [mutant for mutant in found if mutant.name not in equivalent]
        outcomes: Counter[bool] = Counter()
        for mutant, was_noticed in _noticed(path, judged, _limit_s(path)):
            outcomes[was_noticed] += 1
            if not was_noticed:
                print(f"not noticed  {mutant}", flush=True)
        total += outcomes
        print(
            f"{path}: {outcomes[True]} of {len(judged)} noticed, {len(found) - len(judged)} change nothing", flush=True
        )
    ratio = total[True] / total.total()
    print(f"noticed {total[True]} of {total.total()}: {ratio:.1%} (>= {rules['floor']:.0%})")
    return 0 if ratio >= rules["floor"] else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
