"""The memory of a container, as its control groups tell it, and the share of each worker."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from dowse.worker.process import MemoryPlan, container_memory, return_large_blocks

MIB = 1024 * 1024


@pytest.mark.promise("bound-container-memory")
@pytest.mark.parametrize(
    ("limit_mib", "asked", "workers", "each_mib"),
    [
        pytest.param(1024, 2, 2, 400, id="compose.yaml"),
        pytest.param(1024, 4, 4, 200, id="four workers"),
        pytest.param(1024, 50, 4, 200, id="more workers than there is memory for"),
        pytest.param(1024, 1, 1, 512, id="one worker"),
        pytest.param(64 * 1024, 2, 2, 400, id="a large container"),
        pytest.param(None, 2, 2, 400, id="no container"),
        pytest.param(512, 2, 1, 288, id="a small container"),
        pytest.param(128, 2, 1, 192, id="too small a container"),
    ],
)
def test_workers_and_the_server_together_fit_into_the_container(
    limit_mib: int | None, asked: int, workers: int, each_mib: int
) -> None:
    limit = limit_mib * MIB if limit_mib else None

    assert MemoryPlan.divide(limit, asked) == MemoryPlan(workers, each_mib * MIB)


@pytest.mark.parametrize(
    ("own", "limits", "expected"),
    [
        pytest.param("0::/\n", {"memory.max": "1073741824\n"}, 1024 * MIB, id="v2 in a container"),
        pytest.param("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "42\n"}, 42, id="v2, the group around"),
        pytest.param("0::/a\n", {"a/memory.max": "max\n", "memory.max": "max\n"}, None, id="v2 without a limit"),
        pytest.param(
            "4:memory:/docker/a\n0::/\n", {"memory/memory.limit_in_bytes": "42\n"}, 42, id="v1 in a container"
        ),
        pytest.param(
            "4:memory:/a\n3:cpu:/a\n",
            {"memory/memory.limit_in_bytes": "9223372036854771712\n", "memory/a/memory.limit_in_bytes": "42\n"},
            42,
            id="v1, a group",
        ),
        pytest.param("4:memory:/a\n", {}, None, id="groups that cannot be seen"),
        pytest.param("no group\n", {}, None, id="no list of groups"),
        pytest.param("4:cpu:/a\n", {"a/memory.max": "42\n"}, None, id="no group for memory"),
    ],
)
def test_the_memory_of_a_container_is_the_smallest_limit_around_the_process(
    tmp_path: Path, own: str, limits: dict[str, str], expected: int | None
) -> None:
    for name, content in limits.items():
        file = tmp_path / "cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    (tmp_path / "own").write_text(own)

    assert container_memory(tmp_path / "cgroup", tmp_path / "own") == expected


def test_a_system_without_control_groups_has_no_limit(tmp_path: Path) -> None:
    assert container_memory(tmp_path, tmp_path / "none") is None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the allocator is another one")
def test_large_blocks_are_returned_where_the_allocator_is_that_of_glibc(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = list[tuple[int, int]]()
    glibc = SimpleNamespace(mallopt=lambda option, value: calls.append((option, value)))
    for libc in (glibc, SimpleNamespace()):
        monkeypatch.setattr(ctypes, "CDLL", lambda _name, libc=libc: libc)
        return_large_blocks()
    assert calls == [(-3, MIB)]
