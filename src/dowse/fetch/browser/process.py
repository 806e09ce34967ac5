"""Chromium child process: start, pipes, standard error, memory, and reaping."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import fcntl
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from dowse.fetch.browser.cdp import BrowserGone, Connection, Receiver, edges, is_too_large

# Descriptors of Chromium for commands and answers over pipes.
_COMMANDS, _ANSWERS = 3, 4
# Above the standard ones and Chromium's two, so that no descriptor is overwritten before it was copied.
_LOWEST = 10
_LAST_WORDS = 4096
_PR_SET_CHILD_SUBREAPER = 36
_running: set[int] = set()


class Chromium:
    """Chromium process with its children.

    All are one process group but the crash handlers, which leave it and are then adopted by this process.
    """

    def __init__(self, pid: int, channel: PipeChannel, connection: Connection, errors: int, profile: str) -> None:
        self.pid = pid
        self.connection = connection
        self._channel = channel
        self._errors = _LastWords(errors)
        self._profile = profile
        self._exit_code: int | None = None
        self._is_reaped = False

    @classmethod
    def spawn(cls, executable: str, arguments: Sequence[str], environment: Mapping[str, str], *, profile: str) -> Self:
        """Start it; raises `OSError`. Nothing here awaits, so no cancellation can leak the process."""
        adopt_orphans()
        with contextlib.ExitStack() as unless_started, contextlib.ExitStack() as theirs:
            command_source, commands = _pipe(theirs, unless_started)
            answers, answer_sink = _pipe(unless_started, theirs)
            errors, error_sink = _pipe(unless_started, theirs)
            null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            theirs.callback(os.close, null)
            copies = {0: null, 1: null, 2: error_sink, _COMMANDS: command_source, _ANSWERS: answer_sink}
            pid = os.posix_spawn(
                executable,
                [executable, *arguments],
                environment,
                file_actions=[(os.POSIX_SPAWN_DUP2, source, target) for target, source in copies.items()],
                setsid=True,
            )
            unless_started.pop_all()
        _running.add(pid)
        connection = Connection()
        return cls(pid, PipeChannel(connection, commands, answers), connection, errors, profile)

    async def connect(self) -> None:
        """Open this side of the pipes; the first command shows whether the browser answers."""
        await self._errors.open()
        self.connection.attach(await self._channel.open())

    @property
    def last_words(self) -> str:
        """The end of its standard error."""
        return self._errors.text

    async def exit_code(self, within_s: float) -> int | None:
        """Exit code, negative for a signal; `None` if it has not ended in this time and must be killed."""
        waiting = asyncio.create_task(asyncio.to_thread(self._wait_for, self.pid))
        await asyncio.wait([waiting], timeout=within_s)
        return self._exit_code

    def memory_bytes(self) -> int:
        """Private memory of the process group; 0 if unknown."""
        return group_memory_bytes(self.pid)

    def kill(self) -> None:
        """Kill the process group and close the pipes."""
        # After reaping, the number may belong to another group.
        if not self._is_reaped:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        self._channel.close()
        self._errors.close()
        self.connection.close()

    async def reap(self) -> None:
        """Wait for all killed processes, so that no zombie stays, and kill those that left the group."""
        await asyncio.to_thread(self._reap)

    def _reap(self) -> None:
        while self._wait_for(-self.pid):
            pass
        self._is_reaped = True
        _running.discard(self.pid)
        # Running browsers are reaped by their owners. A stray may have just started another.
        while remaining := set(strays(self._profile)) - _running:
            for stray in remaining:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(stray, signal.SIGKILL)
                self._wait_for(stray)

    def _wait_for(self, which: int) -> bool:
        """Reap one process, or one of a group; returns whether there was any."""
        try:
            pid, status = os.waitpid(which, 0)
        except ChildProcessError:
            return False
        if pid == self.pid:
            self._exit_code = os.waitstatus_to_exitcode(status)
        return True


class _LastWords(asyncio.Protocol):
    """Keeps the end of a process's standard error."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "rb", buffering=0)
        self._transport: asyncio.ReadTransport | None = None
        self._said = b""

    @property
    def text(self) -> str:
        return self._said.decode("utf-8", "replace")

    async def open(self) -> None:
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: self, self._file)

    def data_received(self, data: bytes) -> None:
        self._said = (self._said + data)[-_LAST_WORDS:]

    def close(self) -> None:
        if self._transport is None:
            self._file.close()
        else:
            self._transport.close()


@cache
def adopt_orphans() -> None:
    """Become the parent of processes that a killed Chromium leaves behind.

    Its helpers are not children of this process. Orphaned, they would go to process 1, which in many containers does
    not reap.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _pipe(reading: contextlib.ExitStack, writing: contextlib.ExitStack) -> tuple[int, int]:
    """Both ends of a pipe, each closed with its stack."""
    ends = []
    for end, owner in zip(os.pipe(), (reading, writing), strict=True):
        try:
            moved = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _LOWEST)
        finally:
            os.close(end)
        owner.callback(os.close, moved)
        ends.append(moved)
    return ends[0], ends[1]


_END = b"\0"


class PipeChannel(asyncio.Protocol):
    """Implements `cdp.Channel` over two pipes; no port is opened. It owns the descriptors."""

    def __init__(self, receiver: Receiver, commands: int, answers: int) -> None:
        self._receiver = receiver
        self._command_file = os.fdopen(commands, "wb", buffering=0)
        self._answer_file = os.fdopen(answers, "rb", buffering=0)
        self._writer: asyncio.WriteTransport | None = None
        self._reader: asyncio.ReadTransport | None = None
        self._pieces: list[bytes] = []
        self._size = 0
        self._has_ended = False

    async def open(self) -> Self:
        loop = asyncio.get_running_loop()
        self._reader, _ = await loop.connect_read_pipe(lambda: self, self._answer_file)
        self._writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._command_file)
        return self

    def send(self, message: bytes) -> None:
        if self._writer is None or self._writer.is_closing():
            raise BrowserGone
        self._writer.write(message + _END)

    def close(self) -> None:
        # `close` alone would wait until all messages are sent.
        if self._writer is None:
            self._command_file.close()
        elif not self._writer.is_closing():
            self._writer.abort()
        if self._reader is None:
            self._answer_file.close()
        else:
            self._reader.close()

    def data_received(self, data: bytes) -> None:
        *lasts, rest = data.split(_END)
        for last in lasts:
            self._keep(last)
            self._deliver()
        if rest:
            self._keep(rest)

    def eof_received(self) -> None:
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the signature is asyncio's
        self._end()

    def _keep(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._size += len(piece)
        if is_too_large(self._pieces[0], self._size):
            self._pieces = [edges(b"".join(self._pieces))]

    def _deliver(self) -> None:
        message, size = b"".join(self._pieces), self._size
        self._pieces, self._size = [], 0
        if is_too_large(message, size):
            self._receiver.receive_oversized(edges(message))
        else:
            self._receiver.receive(message)

    def _end(self) -> None:
        if not self._has_ended:
            self._has_ended = True
            self._receiver.end()


_PROC = Path("/proc")
# Prefixes of the process names of Chromium-based browsers.
_KIN = ("chrom", "headless_shell", "msedge")


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    name: str
    parent: int
    group: int


def group_memory_bytes(group: int) -> int:
    """Private memory of the processes of a group, without shared pages."""
    pages = sum(_own_pages(process.pid) for process in _processes() if process.group == group)
    return pages * os.sysconf("SC_PAGE_SIZE")


def strays(profile: str) -> list[int]:
    """Children of this process that belong to the Chromium with this profile, and ended ones of any."""
    ours = (process for process in _processes() if process.parent == os.getpid())
    return [process.pid for process in ours if _is_stray(process, os.fsencode(profile))]


def _is_stray(process: _Process, profile: bytes) -> bool:
    try:
        command = (_PROC / str(process.pid) / "cmdline").read_bytes()
    except OSError:
        return False
    # An ended process has no command line any more, but still its name.
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
        # The name may hold blanks and brackets, but ends with the last one.
        name, _, rest = about.partition("(")[2].rpartition(")")
        _, parent, group, *_ = rest.split()
        yield _Process(int(entry.name), name, int(parent), int(group))


def _own_pages(pid: int) -> int:
    try:
        _, resident, shared, *_ = (_PROC / str(pid) / "statm").read_text().split()
    except OSError:
        return 0
    return int(resident) - int(shared)
