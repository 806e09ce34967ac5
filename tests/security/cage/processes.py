"""What others can see of the browser's processes, and where others can speak to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.processes import below

_LISTENS = "0A"


@dataclass(frozen=True, slots=True)
class Seen:
    """One process that was started from here."""

    command: str
    environment: str
    open_ports: tuple[str, ...]


def started_processes() -> set[Seen]:
    """All of them that run now."""
    found, sockets = set(), dict(_open_sockets())
    for process in below():
        # It may end while it is looked at.
        with suppress(OSError):
            place = Path("/proc") / str(process.pid)
            environment = (place / "environ").read_text("utf-8", "replace")
            links = {str(entry.readlink()) for entry in (place / "fd").iterdir()}
            ports = tuple(sorted(sockets[link] for link in links if link in sockets))
            found.add(Seen(process.command, environment, ports))
    return found


def _open_sockets() -> Iterator[tuple[str, str]]:
    """The TCP listeners of the namespace and all its UDP sockets, by what a descriptor of one links to."""
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == _LISTENS or table.startswith("udp"):
                yield f"socket:[{inode}]", f"{table} {local}"
