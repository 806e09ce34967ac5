"""Processes as Linux lists them in /proc: their memory, and the children that a browser leaves behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dowse.fetch.browser import process

PROFILE = "/tmp/profile-1"


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(process, "_PROC", tmp_path)
    (tmp_path / "self").mkdir()
    return tmp_path


def add(proc: Path, pid: int, name: str, parent: int, group: int = 1, command: str | None = "") -> Path:
    """A process; one without a command line file has ended between two looks."""
    folder = proc / str(pid)
    folder.mkdir()
    (folder / "stat").write_text(f"{pid} ({name}) S {parent} {group} 0 0\n")
    if command is not None:
        (folder / "cmdline").write_bytes(os.fsencode(command))
    return folder


def test_the_memory_of_a_group_is_what_its_processes_do_not_share(proc: Path) -> None:
    (add(proc, 11, "chromium", 1, group=7) / "statm").write_text("900 50 20 0 0 0 0\n")
    (add(proc, 12, "chromium: (gpu)", 11, group=7) / "statm").write_text("900 30 25 0 0 0 0\n")
    (add(proc, 13, "other", 1, group=8) / "statm").write_text("900 800 0 0 0 0 0\n")
    add(proc, 14, "ended", 1, group=7)
    assert process.group_memory_bytes(7) == (30 + 5) * os.sysconf("SC_PAGE_SIZE")


def test_strays_are_our_children_with_the_profile_and_ended_ones_of_any_browser(proc: Path) -> None:
    ours = os.getpid()
    add(proc, 21, "chromium", ours, command=f"chromium\0--user-data-dir={PROFILE}")
    add(proc, 22, "chromium", ours, command="chromium\0--user-data-dir=/tmp/profile-2")
    add(proc, 23, "chromium", ours)
    add(proc, 24, "cat", ours)
    add(proc, 25, "chromium", 1, command=f"chromium\0--user-data-dir={PROFILE}")
    add(proc, 26, "chromium", ours, command=None)
    assert sorted(process.strays(PROFILE)) == [21, 23]


def test_a_process_that_ends_while_the_table_is_read_is_left_out(proc: Path) -> None:
    (proc / "31").mkdir()
    assert process.strays(PROFILE) == []


def test_without_a_process_table_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_PROC", tmp_path / "missing")
    assert (process.group_memory_bytes(1), process.strays(PROFILE)) == (0, [])
