"""Processes of dowse that start at once: forked from one that has imported what they need, and done nothing else.

Most of what a start costs is imports: of the MCP SDK, a second each time, and hundreds of tests start a server; and of
what reads a page, a quarter of a second for each worker. Servers that were forked have workers that are. The start
itself is tested with processes of its own (`SERVE`, `HTTP`); so is whatever looks at the process from outside,
since what a test sees here is `launch.py`, which passes on descriptors, signals and the exit code.
"""

from __future__ import annotations

import ast
import atexit
import gc
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from dowse.surfaces.cli.main import main
from dowse.worker import jobs as extract_worker
from dowse.worker import pool as worker_pool

_ROOT = Path(__file__).resolve().parents[1]
_LAUNCH = _ROOT / "tests" / "launch.py"
_DOWSE, _WORKER = "dowse", "worker"
_LONGEST_REQUEST = 1024 * 1024
# Standard streams, and the pipes of a worker.
_STREAMS, _HANDED = 3, 5
_END_S = 30.0
# At the start, and with the first calls.
_WHAT_SERVERS_IMPORT = (
    *(
        "dowse.surfaces.mcp.server",
        "dowse.surfaces.http.serve",
        "dowse.net.wire",
        "dowse.net.wire",
        "dowse.secrets.leaks",
    ),
    *("dowse.stores.sqlite.threads", "dowse.sites.table", "dowse.document.outline", "protego"),
)
# With the first page, and the first question about one.
_WHAT_WORKERS_IMPORT = (
    "dowse.worker.jobs",
    "dowse.extract.convert",
    "dowse.rank.digest",
)
# What a process needs to find its way; whatever else it gets with each request.
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")


def dowse(*arguments: str) -> tuple[str, ...]:
    """The command that runs `dowse` with these arguments in a process that was forked for it."""
    if not hasattr(os, "pidfd_open"):
        return (sys.executable, "-m", "dowse", *arguments)
    return _launch(_DOWSE, *arguments)


def script(path: Path, *arguments: str) -> tuple[str, ...]:
    """The command that runs a Python script in a process that was forked for it."""
    if not hasattr(os, "pidfd_open"):
        return (sys.executable, str(path), *arguments)
    return _launch(str(path), *arguments)


def worker() -> tuple[str, ...]:
    """The command of the worker pool, for workers that are forked; the numbers of two pipes follow."""
    return _launch(_WORKER) if hasattr(os, "pidfd_open") else worker_pool._COMMAND


def _launch(*words: str) -> tuple[str, ...]:
    return _command(_socket(), *words)


def _command(path: str, *words: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", str(_LAUNCH), path, *words)


@cache
def _socket() -> str:
    """Where the one to be forked listens, which is started with the first who asks and ends with this process."""
    folder = tempfile.TemporaryDirectory(prefix="dowse-forked-")
    path = f"{folder.name}/socket"
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"PYTHONWARNINGS": "error"}
    # A process with threads must not be forked.
    environment["OPENBLAS_NUM_THREADS"] = "1"
    forks = subprocess.Popen(
        [sys.executable, "-m", "tests.forked", path],
        cwd=_ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Ctrl-C is for the tests, which end it.
        start_new_session=True,
    )
    assert forks.stdin and forks.stdout
    assert forks.stdout.readline() == b"ready\n", "what servers import could not be imported"
    forks.stdout.close()
    atexit.register(folder.cleanup)
    atexit.register(_end, forks)
    return path


def _end(forks: subprocess.Popen[bytes]) -> None:
    try:
        forks.communicate(timeout=_END_S)
    except subprocess.TimeoutExpired:
        forks.kill()


@dataclass(frozen=True, slots=True)
class Request:
    """What a process is to be: `dowse`, `worker` or the path of a script with its arguments, and what it is handed."""

    words: list[str]
    environment: dict[str, str]
    folder: str
    streams: list[int]


class Forks:
    """Forks a process for each request, and tells whoever sent it how the process ended."""

    def __init__(self, path: str) -> None:
        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(path)
        self._listener.listen(64)
        # By the descriptor of a process, and by the connection that asked for it.
        self._ends: dict[int, tuple[int, socket.socket]] = {}
        self._watch(self._listener)
        self._watch(sys.stdin.fileno())

    def serve(self) -> Request | None:
        """Returns twice: in each process that was forked what it is to be, and nothing in the end."""
        while True:
            for key, _ in self._selector.select():
                if key.fd == sys.stdin.fileno():
                    for pid, _connection in self._ends.values():
                        os.kill(pid, signal.SIGKILL)
                    return None
                if key.fileobj is self._listener:
                    self._watch(self._listener.accept()[0])
                # By what was watched: the number of what was closed just now may be another's already.
                elif key.fileobj in self._ends:
                    self._ended(key.fd)
                elif request := self._told(key.fileobj):
                    return request

    def _watch(self, what: socket.socket | int) -> None:
        self._selector.register(what, selectors.EVENT_READ)

    def _told(self, connection: socket.socket) -> Request | None:
        """A request, a signal to be passed on, or nothing any more."""
        if connection.fileno() < 0:
            return None  # its process has ended just now
        said, streams, _, _ = socket.recv_fds(connection, _LONGEST_REQUEST, _HANDED)
        if streams:
            return self._forked(connection, Request(*ast.literal_eval(said.decode()), streams))
        pid = next((pid for pid, asked in self._ends.values() if asked is connection), None)
        if pid is not None:
            os.kill(pid, int(said or signal.SIGKILL))
        if not said:
            self._forget(connection)
        return None

    def _forked(self, connection: socket.socket, request: Request) -> Request | None:
        if pid := os.fork():
            for stream in request.streams:
                os.close(stream)
            descriptor = os.pidfd_open(pid)
            self._ends[descriptor] = pid, connection
            self._watch(descriptor)
            return None
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
            elif key.fd in self._ends:
                os.close(key.fd)
        self._selector.close()
        return request

    def _ended(self, descriptor: int) -> None:
        pid, connection = self._ends.pop(descriptor)
        self._selector.unregister(descriptor)
        os.close(descriptor)
        _, status = os.waitpid(pid, 0)
        with suppress(OSError):  # whoever asked may be gone
            connection.send(b"%d" % os.waitstatus_to_exitcode(status))
        self._forget(connection)

    def _forget(self, connection: socket.socket) -> None:
        if connection.fileno() >= 0:
            self._selector.unregister(connection)
            connection.close()


def _become(request: Request) -> None:
    for number, stream in enumerate(request.streams[:_STREAMS]):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request.environment)
    os.chdir(request.folder)
    sys.argv[:] = request.words


def _main() -> None:
    for module in (*_WHAT_SERVERS_IMPORT, *_WHAT_WORKERS_IMPORT):
        import_module(module)
    path = sys.argv[1]
    forks = Forks(path)
    gc.freeze()
    os.write(1, b"ready\n")
    request = forks.serve()
    if request is not None:
        _become(request)
        _leave(_run(request, path))


def _run(request: Request, path: str) -> int:
    """Run the program to its end; returns its exit code."""
    program, *arguments = request.words
    if program == _WORKER:
        extract_worker.main([str(pipe) for pipe in request.streams[_STREAMS:]])
        return 0
    worker_pool._COMMAND = _command(path, _WORKER)
    try:
        if program == _DOWSE:
            return main(arguments)
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return end.code or 0
    return 0


def _leave(code: int) -> NoReturn:
    """End as an interpreter does, but without freeing object by object what was imported, which takes very long."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _main()
