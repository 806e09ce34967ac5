"""Start of Chromium with retries, its sandbox where the system allows it, and its temporary profile."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import Self

from dowse.core.models import Clock
from dowse.core.text import one_line
from dowse.fetch.browser import command_line
from dowse.fetch.browser.cdp import BrowserGone, BrowserUnavailable, CommandFailed, Connection, NotDevTools
from dowse.fetch.browser.command_line import Executable, Sandbox, find, find_sandbox_obstacle
from dowse.fetch.browser.process import Chromium
from dowse.settings import sources
from dowse.telemetry.log import event

_ADVICE = (
    "try it by hand, or set DOWSE_BROWSER_PATH to another one; with DOWSE_LOG_LEVEL=debug the log has its own words"
)
_NO_SANDBOX = (
    "Chromium's sandbox cannot be used on this system, and DOWSE_BROWSER_SANDBOX=on asks for it: "
    "allow unprivileged user namespaces, or set it to auto"
)
# Chromium's own message, the only sign of a missing sandbox.
_SANDBOX_COMPLAINT = "No usable sandbox"
# Exit codes for a program that cannot be executed or is missing.
_NOT_EXECUTABLE = (126, 127)
# Its pipes close a moment before the process has ended.
_EXIT_S = 1.0
_LAST_WORDS_CHARS = 1000


class LocalBrowser:
    """Implements `browser.Browser` with a child process and its profile."""

    is_remote = False

    def __init__(self, chromium: Chromium, home: Profile) -> None:
        self.user_agent = ""
        self._chromium = chromium
        self._home = home

    @property
    def connection(self) -> Connection:
        return self._chromium.connection

    @property
    def pid(self) -> int:
        return self._chromium.pid

    def memory_bytes(self) -> int:
        return self._chromium.memory_bytes()

    def kill(self) -> None:
        self._chromium.kill()

    async def reap(self) -> None:
        await self._chromium.reap()
        await asyncio.to_thread(self._home.remove)


class _StartFailed(Exception):
    """Failure of one start, and whether a retry may help."""

    def __init__(self, reason: str, *, may_pass: bool, lacks_sandbox: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.may_pass = may_pass
        self.lacks_sandbox = lacks_sandbox


class Launcher:
    """Starts a local browser at each call; raises `BrowserUnavailable`."""

    def __init__(
        self,
        clock: Clock,
        *,
        path: str = "",
        sandbox: Sandbox = "auto",
        ready_timeout_s: float = 12.0,
        attempts: int = 3,
        backoff_s: float = 0.5,
        snap_multiplier: float = 3.0,
    ) -> None:
        self._clock = clock
        self._path = path
        self._sandbox = sandbox
        self._ready_timeout_s = ready_timeout_s
        self._attempts = attempts
        self._backoff_s = backoff_s
        self._snap_multiplier = snap_multiplier
        # Decided at the first start, and again if Chromium finds no sandbox.
        self._is_sandboxed: bool | None = None

    async def __call__(self) -> LocalBrowser:
        executable = await asyncio.to_thread(find, self._path, sources.browser_environment())
        slowness = self._snap_multiplier if executable.is_snap else 1.0
        pause_s = self._backoff_s * slowness
        for attempt in range(1, self._attempts + 1):
            try:
                return await self._start(executable, self._ready_timeout_s * slowness)
            except _StartFailed as failure:
                event(
                    logging.WARNING, "browser start failed", attempt=attempt, of=self._attempts, reason=failure.reason
                )
                if not failure.may_pass or attempt == self._attempts:
                    raise BrowserUnavailable(f"Chromium could not be started, {failure.reason}: {_ADVICE}") from None
            await self._clock.sleep(pause_s)
            pause_s *= 2
        raise AssertionError("there is at least one attempt")

    async def _start(self, executable: Executable, ready_s: float) -> LocalBrowser:
        """Start once, or again without the sandbox if the first start shows that there is none."""
        sandboxed = self._wants_sandbox()
        try:
            return await _start(executable, ready_s, sandboxed=sandboxed)
        except _StartFailed as failure:
            if not (sandboxed and failure.lacks_sandbox):
                raise
        if self._sandbox == "on":
            raise BrowserUnavailable(_NO_SANDBOX)
        event(logging.WARNING, "browser runs without its sandbox", reason="the system does not allow it")
        self._is_sandboxed = False
        return await _start(executable, ready_s, sandboxed=False)

    def _wants_sandbox(self) -> bool:
        if self._is_sandboxed is None:
            obstacle = find_sandbox_obstacle(self._sandbox)
            self._is_sandboxed = not obstacle
            if obstacle and self._sandbox != "off":
                wish = ", although DOWSE_BROWSER_SANDBOX=on asks for it" if self._sandbox == "on" else ""
                reason = f"{obstacle}{wish}; run as a user"
                event(logging.WARNING, "browser runs without its sandbox", reason=reason)
        return self._is_sandboxed


async def _start(executable: Executable, ready_s: float, *, sandboxed: bool) -> LocalBrowser:
    """Start a browser and wait for its first answer; after a failure it is killed and cleaned up."""
    browser, chromium = await _spawn(executable, sandboxed=sandboxed)
    try:
        async with asyncio.timeout(ready_s):
            await chromium.connect()
            version = await chromium.connection.call("Browser.getVersion")
        browser.user_agent = str(version.get("userAgent") or "")
        if not browser.user_agent:
            raise NotDevTools
    except TimeoutError:
        raise _StartFailed(f"it did not answer within {ready_s:g} seconds", may_pass=True) from None
    except (NotDevTools, CommandFailed):
        raise _StartFailed("the server at this address is not a browser", may_pass=False) from None
    except BrowserGone:
        raise _explain_exit(await chromium.exit_code(within_s=_EXIT_S), chromium.last_words) from None
    finally:
        if not browser.user_agent:
            event(logging.DEBUG, "browser said", words=one_line(chromium.last_words, _LAST_WORDS_CHARS))
            browser.kill()
            await browser.reap()
    return browser


async def _spawn(executable: Executable, *, sandboxed: bool) -> tuple[LocalBrowser, Chromium]:
    home = None
    try:
        parent = snap_parent() if executable.is_snap else usual_parent()
        await asyncio.to_thread(sweep, parent)
        home = Profile.create(parent)
        place = str(home.path)
        environment = sources.browser_environment("" if executable.is_snap else place)
        # Crash reports of any version are deleted with the profile.
        environment["BREAKPAD_DUMP_LOCATION"] = place
        arguments = command_line.command_line(place, sandboxed=sandboxed)
        chromium = Chromium.spawn(executable.path, arguments, environment, profile=place)
    except OSError as error:
        if home is not None:
            home.remove()
        raise _StartFailed(f"the system says: {error.strerror}", may_pass=False) from None
    return LocalBrowser(chromium, home), chromium


def _explain_exit(code: int | None, last_words: str) -> _StartFailed:
    if _SANDBOX_COMPLAINT in last_words:
        return _StartFailed("it found no sandbox", may_pass=False, lacks_sandbox=True)
    if code in _NOT_EXECUTABLE:
        return _StartFailed(f"it cannot be executed (exit code {code})", may_pass=False)
    how = "closed its pipes" if code is None else f"ended at once (exit code {code})"
    return _StartFailed(f"it {how}", may_pass=True)


_PREFIX = "dowse-browser-"
_LOCK = "dowse.lock"
# Chromium makes a socket below it and crashes when that path exceeds the limit of sockets (104 on macOS).
_LONGEST_PARENT = 32
_SHORT_PARENT = "/tmp"
# A directory is created a moment before it is locked, so a younger one is not stale.
_YOUNG_S = 60.0


class Profile:
    """Private directory of a browser (profile, home, temporary files), locked while this process lives."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def create(cls, parent: Path) -> Self:
        """Create and lock a directory; raises `OSError`."""
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        file = path / _LOCK
        with contextlib.ExitStack() as unless_locked:
            # Not `rmtree`, which needs descriptors, and there may be none left.
            unless_locked.callback(path.rmdir)
            lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            unless_locked.callback(file.unlink)
            unless_locked.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX)
            unless_locked.pop_all()
        return cls(path, lock)

    def remove(self) -> None:
        """Delete the directory; remains are swept at a later start."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def usual_parent() -> Path:
    """Parent of profiles: the temporary directory, unless its path is too long for Chromium."""
    usual = tempfile.gettempdir()
    return Path(usual if len(usual) <= _LONGEST_PARENT else _SHORT_PARENT)


def snap_parent() -> Path:
    """Parent for a snap, which has a temporary directory of its own that is invisible here."""
    parent = Path.home() / "snap" / "chromium" / "common"
    parent.mkdir(parents=True, exist_ok=True)
    return parent


def sweep(parent: Path) -> None:
    """Delete profiles that killed processes have left behind."""
    for path in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if _is_ours_and_old(path):
                _remove_unlocked(path)


def _is_ours_and_old(path: Path) -> bool:
    """Whether it is a stale directory of this user; links and directories of other users are not touched."""
    about = path.lstat()
    is_old = time.time() - about.st_mtime > _YOUNG_S
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid() and is_old


def _remove_unlocked(path: Path) -> None:
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_CLOEXEC)
            stack.callback(os.close, lock)
            # Raises `BlockingIOError`, an `OSError`, while its owner lives.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
