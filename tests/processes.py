"""What runs below a process, as only Linux tells."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A process as /proc shows it; one that has ended and was not reaped is a zombie."""

    pid: int
    parent: int
    is_zombie: bool
    command: str

    @property
    def is_chromium(self) -> bool:
        return "chrom" in self.command

    @property
    def is_browser(self) -> bool:
        """The one that started the others."""
        return self.is_chromium and "--remote-debugging-pipe" in self.command and "--type=" not in self.command

    @property
    def is_renderer(self) -> bool:
        return "--type=renderer" in self.command


def below(pid: int | None = None) -> list[Process]:
    """Every process that descends from this one, zombies included."""
    children: dict[int, list[Process]] = {}
    for process in _all():
        children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    waiting = [os.getpid() if pid is None else pid]
    while waiting:
        started = children.get(waiting.pop(), [])
        found += started
        waiting += [process.pid for process in started]
    return found


def chromiums(pid: int | None = None) -> list[Process]:
    """The browser's processes; of those that have ended and were not reaped, the name is left."""
    return [process for process in below(pid) if process.is_chromium]


def udp_ports(processes: Iterable[Process]) -> set[int]:
    """The local ports of UDP sockets that these processes hold."""
    held = {link for process in processes for link in _links(process.pid)}
    ports = set()
    for family in ("udp", "udp6"):
        for line in Path(f"/proc/net/{family}").read_text().splitlines()[1:]:
            fields = line.split()
            if f"socket:[{fields[9]}]" in held:
                ports.add(int(fields[1].rpartition(":")[2], 16))
    return ports


def descriptors() -> list[str]:
    """What this process has open, without what comes and goes by itself."""
    return _links("self")


def _links(pid: int | str) -> list[str]:
    links = []
    try:
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                links.append(str(entry.readlink()))
    except OSError:
        # The process has ended.
        return []
    return links


def _all() -> Iterator[Process]:
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        # The name may hold blanks and brackets, but it ends with the last one.
        name, _, rest = stat.partition("(")[2].rpartition(")")
        state, parent = rest.split()[:2]
        yield Process(int(entry.name), int(parent), state == "Z", command or name)
