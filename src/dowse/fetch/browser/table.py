"""What Linux tells about processes in /proc; elsewhere nothing is known, and nothing of it is needed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
# How the processes of Chromium and its kin are called.
_KIN = ("chrom", "headless_shell", "msedge")


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    name: str
    parent: int
    group: int


def group_memory_bytes(group: int) -> int:
    """What the processes of a group hold together, without what they share with others."""
    pages = sum(_own_pages(process.pid) for process in _processes() if process.group == group)
    return pages * os.sysconf("SC_PAGE_SIZE")


def strays(profile: str) -> list[int]:
    """Our children that belong to the Chromium with this profile, and those of any that have ended already."""
    ours = (process for process in _processes() if process.parent == os.getpid())
    return [process.pid for process in ours if _is_stray(process, os.fsencode(profile))]


def _is_stray(process: _Process, profile: bytes) -> bool:
    try:
        command = (_PROC / str(process.pid) / "cmdline").read_bytes()
    except OSError:
        return False
    # Who has ended has no command line any more, but still its name.
    return profile in command if command else process.name.startswith(_KIN)


def _processes() -> Iterator[_Process]:
    if not _PROC.is_dir():
        return
    for entry in _PROC.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            about = (entry / "stat").read_text(errors="replace")
        except OSError:
            continue
        # The name may hold blanks and brackets, but it ends with the last one.
        name, _, rest = about.partition("(")[2].rpartition(")")
        _, parent, group, *_ = rest.split()
        yield _Process(int(entry.name), name, int(parent), int(group))


def _own_pages(pid: int) -> int:
    try:
        _, resident, shared, *_ = (_PROC / str(pid) / "statm").read_text().split()
    except OSError:
        return 0
    return int(resident) - int(shared)
