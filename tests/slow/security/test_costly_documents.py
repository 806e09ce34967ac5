"""Fifty costly documents at once: no worker takes 512 MiB, and all with their server stay below 1 GiB."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from dowse.core.models import Status
from tests.security.costly import COSTLY, MIB

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")

CONTAINER_BYTES = 1024 * MIB
ENOUGH_S = 30.0
ROOT = Path(__file__).parents[3]
BOMBS = ("pdf: forms of forms", "pdf: wide forms of forms", "pdf: 20 MB of drawing", "pdf: lines all over")


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """A memory limit of its own, below that of this process."""

    folder: Path

    @property
    def kills(self) -> int:
        """How many processes the kernel has ended since the memory was full."""
        return self._figures("memory.oom_control" if self._is_v1 else "memory.events")["oom_kill"]

    @property
    def reached(self) -> int:
        """How often its limit was reached."""
        if self._is_v1:
            return int((self.folder / "memory.failcnt").read_text())
        return self._figures("memory.events")["max"]

    def limit(self) -> None:
        name = "memory.limit_in_bytes" if self._is_v1 else "memory.max"
        (self.folder / name).write_text(str(CONTAINER_BYTES))

    def remove(self) -> None:
        """Remove it when its last process has ended: the workers of a killed server notice a moment later."""
        give_up_at = time.monotonic() + ENOUGH_S
        while (self.folder / "cgroup.procs").read_text() and time.monotonic() < give_up_at:
            time.sleep(0.02)
        self.folder.rmdir()

    @property
    def _is_v1(self) -> bool:
        return (self.folder / "memory.limit_in_bytes").exists()

    def _figures(self, file: str) -> Mapping[str, int]:
        lines = (line.split() for line in (self.folder / file).read_text().splitlines())
        return {name: int(value) for name, value in lines}


@pytest.fixture
def group() -> Iterator[ControlGroup | None]:
    """`None` where none can be made: without the rights, or where the groups cannot be seen."""
    memberships = dict(line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().splitlines())
    above = Path("/sys/fs/cgroup", "memory" if "memory" in memberships else "")
    made = ControlGroup(
        above / memberships.get("memory", memberships.get("", "/")).lstrip("/") / f"dowse-{os.getpid()}"
    )
    try:
        made.folder.mkdir()
    except OSError:
        yield None
        return
    try:
        made.limit()
    except OSError:
        made.folder.rmdir()
        yield None
        return
    yield made
    made.remove()


def run(group: ControlGroup | None, *without_limits: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.security.costly", str(group.folder) if group else "", *without_limits]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.promise("bound-worker-memory", "bound-container-memory")
def test_fifty_costly_documents_at_once_stay_below_a_gibibyte(group: ControlGroup | None) -> None:
    ran = run(group)

    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["outcomes"].keys() == COSTLY.keys()
    assert len(COSTLY) == 50
    assert set(found["outcomes"].values()) <= {"ok", *map(str, Status)}
    assert max(found["workers"].values()) < 512 * MIB
    assert found["total"] < CONTAINER_BYTES
    if group:
        assert (group.reached, group.kills) == (0, 0)


def test_four_of_them_without_limits_would_fill_the_container(group: ControlGroup | None) -> None:
    if group is None:
        pytest.skip("they would fill the memory of the machine")

    run(group, *BOMBS)

    assert group.reached > 0
    assert group.kills > 0
