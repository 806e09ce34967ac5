"""One worker process as the pool sees it: start, one job at a time, kill, reap."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from typing import Self

from dowse.settings.sources import subprocess_environment
from dowse.worker import protocol

_READ_BUFFER = 1024 * 1024
# -P: no module is ever imported from the directory the user happens to be in.
_COMMAND = (sys.executable, "-P", "-m", "dowse.worker.jobs")


class WorkerFailed(Exception):
    """The worker crashed, or could not finish the job; it never leaves the pool."""


class Worker:
    """A running process and our ends of its two pipes."""

    def __init__(self, process: subprocess.Popen[bytes], jobs: int, answers: int) -> None:
        self._process = process
        self._job_file = os.fdopen(jobs, "wb", buffering=0)
        self._answer_file = os.fdopen(answers, "rb", buffering=0)
        self._reader = asyncio.StreamReader(limit=_READ_BUFFER)
        self._to_worker: asyncio.WriteTransport | None = None
        self._from_worker: asyncio.ReadTransport | None = None

    @classmethod
    def spawn(cls) -> Self:
        """Start a process; nothing here waits, so that no cancellation can come between it and its owner."""
        ours: list[int] = []
        theirs: list[int] = []
        try:
            job_source, jobs = os.pipe()
            ours.append(jobs)
            theirs.append(job_source)
            answers, answer_sink = os.pipe()
            ours.append(answers)
            theirs.append(answer_sink)
            # Only the worker's own ends are inherited: as long as nobody else holds `jobs`,
            # our death closes it and the worker ends.
            process = subprocess.Popen(
                [*_COMMAND, str(job_source), str(answer_sink)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=theirs,
                env=subprocess_environment(),
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

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    async def run(self, header: protocol.Header, payload: bytes) -> tuple[dict[str, object], bytes]:
        """Send one job and wait for its answer."""
        try:
            writer = await self._connect()
            writer.write(protocol.head(header, len(payload)))
            writer.write(payload)
            prefix = await self._reader.readexactly(protocol.LENGTH_BYTES)
            size = protocol.length(prefix, protocol.LARGEST_ANSWER)
            return protocol.split(await self._reader.readexactly(size))
        except (OSError, asyncio.IncompleteReadError, protocol.BrokenFrame) as error:
            raise WorkerFailed(type(error).__name__) from error

    def kill(self) -> None:
        """End the process with everything it may have started, and let go of the pipes."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        if self._to_worker is None:
            self._job_file.close()
        elif not self._to_worker.is_closing():
            # `close` would first hand over the rest of the job; `abort` fails on a closed transport.
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
            protocol = asyncio.StreamReaderProtocol(self._reader)
            self._from_worker, _ = await loop.connect_read_pipe(lambda: protocol, self._answer_file)
            self._to_worker, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._job_file)
        return self._to_worker
