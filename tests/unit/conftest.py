"""The level of pure tests: the interpreter refuses them sockets, name servers and processes, and so Valkey."""

import _posixsubprocess
import platform
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

# Loaded before the first test, because its import looks for the C library by a process.
import ifaddr  # noqa: F401
import pytest

# Asks for the name of the processor by a process, and remembers it.
platform.platform()

REFUSED = {
    **dict.fromkeys(("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"), "a socket"),
    **dict.fromkeys(
        ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"), "a name server"
    ),
    **dict.fromkeys(
        ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.system"), "a process"
    ),
}
"""Audit events of the interpreter, and what a pure test would use by them."""

_HERE = Path(__file__).parent
_running: list[str] = []
_offences: list[str] = []


class Impure(RuntimeError):
    """A pure test reached for something outside of its process."""


def _audit(event: str, _arguments: object) -> None:
    if _running and event in REFUSED:
        _offences.append(f"{_running[-1]} uses {REFUSED[event]}: it belongs to tests/integration")
        raise Impure(_offences[-1])


sys.addaudithook(_audit)


def _fork_exec(*arguments: object) -> int:
    """Starts of processes below `subprocess`, as multiprocessing makes them, are no audit events."""
    _audit("subprocess.Popen", arguments)
    return _start(*arguments)


_start, _posixsubprocess.fork_exec = _posixsubprocess.fork_exec, _fork_exec


@contextmanager
def _pure(path: Path, name: str) -> Iterator[None]:
    """While the code of a pure test runs; the hooks are called for the other levels too."""
    if _HERE not in path.parents:
        yield
        return
    _offences.clear()
    _running.append(name)
    try:
        yield
    finally:
        _running.pop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    with _pure(item.path, item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, object, object]:
    """The import of a module of tests is as pure as they are."""
    with _pure(collector.path, collector.nodeid):
        return (yield)


@pytest.fixture(autouse=True)
def nothing_outside_was_used() -> Iterator[None]:
    """Again at the end, should the code under test have met a refusal as an ordinary failure."""
    yield
    assert _offences == []
