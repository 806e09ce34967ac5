"""One worker process, its pipes, and its share of the memory that a container has."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from dowse.worker import protocol

_MIB = 1024 * 1024
_READ_BUFFER = _MIB
# Of the container: the memory of the server itself and of the pages in transfer.
_SERVER_BYTES = 224 * _MIB
# A machine without a limit counts as one of this size, so that hostile pages never take more of it.
_MOST_BYTES = 1024 * _MIB
# No page needs more: 5 MB of nothing but cells take 300 MiB.
_MOST_EACH_BYTES = 512 * _MIB
# With less, a page of 1 MB is no longer converted: rather fewer workers.
_LEAST_EACH_BYTES = 192 * _MIB
# A worker with more than this share of its memory after a job has too little left for the next one.
_SWOLLEN = 0.6
_M_MMAP_THRESHOLD = -3
# Of `/proc/PID/statm`: private and writable memory, which the limit counts.
_DATA_FIELD = 5
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUPS = Path("/proc/self/cgroup")


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """The number of workers that the memory is enough for, and the memory of each."""

    workers: int
    bytes_each: int

    @classmethod
    def divide(cls, limit_bytes: int | None, workers: int) -> Self:
        """Divide the memory of a container; without a limit, that of a small one."""
        for_all = min(limit_bytes or _MOST_BYTES, _MOST_BYTES) - _SERVER_BYTES
        workers = max(1, min(workers, for_all // _LEAST_EACH_BYTES))
        return cls(workers, max(_LEAST_EACH_BYTES, min(for_all // workers, _MOST_EACH_BYTES)))


def container_memory(cgroups: Path = _CGROUPS, own: Path = _OWN_CGROUPS) -> int | None:
    """The memory limit of this process by its control groups (v1 and v2); `None` where there is none."""
    try:
        memberships = own.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return None
    limits = (_read_limit(file) for line in memberships for file in _limit_files(cgroups, line))
    return min((limit for limit in limits if limit is not None), default=None)


def _limit_files(cgroups: Path, membership: str) -> Iterator[Path]:
    """The files with the limits of a group and of all groups around it. A container may see only the outermost."""
    controllers, _, path = membership.partition(":")[2].partition(":")
    if controllers not in ("", "memory"):
        return
    root, name = (cgroups / "memory", "memory.limit_in_bytes") if controllers else (cgroups, "memory.max")
    group = Path(path.lstrip("/"))
    for folder in (group, *group.parents):
        yield root / folder / name


def _read_limit(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # a ValueError for the word `max`
        return None


def return_large_blocks() -> None:
    """Make the allocator return large blocks to the system when they are freed, as far as it is glibc's.

    By itself it keeps blocks of up to 32 MB once one has been freed, in an arena for each thread.
    """
    import ctypes

    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(_M_MMAP_THRESHOLD, _MIB)


class WorkerFailed(Exception):
    """The worker crashed, or could not finish the job; never raised out of the pool."""


class WorkerProcess:
    """A running process and our ends of its two pipes."""

    def __init__(self, process: subprocess.Popen[bytes], jobs: int, answers: int) -> None:
        self._process = process
        self._job_file = os.fdopen(jobs, "wb", buffering=0)
        self._answer_file = os.fdopen(answers, "rb", buffering=0)
        self._reader = asyncio.StreamReader(limit=_READ_BUFFER)
        self._to_worker: asyncio.WriteTransport | None = None
        self._from_worker: asyncio.ReadTransport | None = None

    @classmethod
    def spawn(cls, command: Sequence[str], environment: Mapping[str, str]) -> Self:
        """Start a process; without a wait, so that no cancellation can separate it from its owner."""
        ours: list[int] = []
        theirs: list[int] = []
        try:
            job_source, jobs = os.pipe()
            ours.append(jobs)
            theirs.append(job_source)
            answers, answer_sink = os.pipe()
            ours.append(answers)
            theirs.append(answer_sink)
            # Only the worker's own ends are inherited: no other process holds `jobs`, so our death closes it and
            # the worker ends.
            process = subprocess.Popen(
                [*command, str(job_source), str(answer_sink)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=theirs,
                env=environment,
                start_new_session=True,
            )
        # ValueError: Windows has no `pass_fds`.
        except (OSError, ValueError) as error:
            for descriptor in ours:
                os.close(descriptor)
            raise WorkerFailed("could not be started") from error
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        return cls(process, jobs, answers)

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_fit(self, bytes_each: int) -> bool:
        """Whether it is alive, and earlier jobs have left it enough of its memory for the next one."""
        return self._process.poll() is None and self._data_bytes() <= _SWOLLEN * bytes_each

    def _data_bytes(self) -> int:
        """The memory that its limit counts; 0 where the system does not tell."""
        try:
            pages = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[_DATA_FIELD]
        except (OSError, IndexError):
            return 0
        return int(pages) * _PAGE_BYTES

    async def run(self, header: protocol.Header, payload: bytes) -> tuple[dict[str, object], bytes]:
        """Send one job and wait for its answer."""
        try:
            writer = await self._connect()
            writer.write(protocol.encode_head(header, len(payload)))
            writer.write(payload)
            prefix = await self._reader.readexactly(protocol.LENGTH_BYTES)
            size = protocol.parse_length(prefix, protocol.LARGEST_ANSWER)
            return protocol.split_frame(await self._reader.readexactly(size))
        except (OSError, asyncio.IncompleteReadError, protocol.BrokenFrame) as error:
            raise WorkerFailed(type(error).__name__) from error

    def kill(self) -> None:
        """Kill the process with its process group, and close the pipes."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        if self._to_worker is None:
            self._job_file.close()
        elif not self._to_worker.is_closing():
            # `close` would first send the rest of the job; `abort` fails on a closed transport.
            self._to_worker.abort()
        if self._from_worker is None:
            self._answer_file.close()
        else:
            self._from_worker.close()

    async def reap(self) -> None:
        """Wait for the end of a killed process, so that no zombie stays."""
        await asyncio.to_thread(self._process.wait)

    async def _connect(self) -> asyncio.WriteTransport:
        if self._to_worker is None:
            loop = asyncio.get_running_loop()
            stream = asyncio.StreamReaderProtocol(self._reader)
            self._from_worker, _ = await loop.connect_read_pipe(lambda: stream, self._answer_file)
            self._to_worker, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._job_file)
        return self._to_worker
