"""How Chromium is started, with programs in its place: what is tried again, what is not, and what is left behind."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dowse.fetch.browser import command_line as finding
from dowse.fetch.browser.cdp import BrowserUnavailable
from dowse.fetch.browser.launch import Launcher
from tests.fakes import FakeClock
from tests.fakes.browser import SPEAKS, Program, until
from tests.processes import Process, below

FAILS_TWICE = "if number <= 2: sys.exit(7)" + SPEAKS
NEEDS_NO_SANDBOX = (
    "if '--no-sandbox' not in sys.argv:\n    sys.exit('FATAL: No usable sandbox! Update your kernel')" + SPEAKS
)


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


def launcher(clock: FakeClock, program: Program, **options: Any) -> Launcher:
    return Launcher(clock, path=str(program.path), **options)


def messages(logged: pytest.LogCaptureFixture, level: int = logging.WARNING) -> list[str]:
    return [record.getMessage() for record in logged.records if record.levelno >= level and record.name == "dowse"]


def left_in(directory: Path) -> list[Path]:
    return list(directory.iterdir())


def left_by(program: Program, before: Sequence[Process]) -> list[Process]:
    """What a start has left behind. The orphans of other tests, which we adopt as well, were there before."""
    known = {process.pid for process in before}
    new = [process for process in below() if process.pid not in known]
    return [process for process in new if str(program.path) in process.command or process.is_zombie]


def fields(logged: pytest.LogCaptureFixture, message: str) -> list[dict[str, object]]:
    return [record.__dict__["dowse_fields"] for record in logged.records if record.getMessage() == message]


async def test_a_browser_that_answers_knows_how_it_names_itself(
    clock: FakeClock, tmp_path: Path, temporary: Path
) -> None:
    browser = await launcher(clock, Program(tmp_path))()
    assert (browser.user_agent, browser.is_remote) == ("Stand-in/1.0", False)
    assert len(left_in(temporary)) == 1
    browser.kill()
    await browser.reap()
    assert left_in(temporary) == []
    assert not [process for process in below() if process.pid == browser.pid]


@pytest.mark.promise("case-53")
async def test_a_start_that_fails_twice_is_tried_a_third_time_with_growing_pauses(
    clock: FakeClock, tmp_path: Path, temporary: Path, logged: pytest.LogCaptureFixture
) -> None:
    """Acceptance case 53, as fast as a stand-in allows; tests/browser has the same with the real one."""
    program = Program(tmp_path, FAILS_TWICE)
    browser = await launcher(clock, program, backoff_s=0.5)()
    browser.kill()
    await browser.reap()
    assert len(program.starts) == 3
    assert clock.slept == [0.5, 1.0]
    assert [(each["attempt"], each["of"]) for each in fields(logged, "browser start failed")] == [(1, 3), (2, 3)]
    assert left_in(temporary) == []


async def test_after_the_last_attempt_the_caller_hears_how_it_ended(
    clock: FakeClock, tmp_path: Path, temporary: Path
) -> None:
    program = Program(tmp_path, "sys.exit(7)")
    with pytest.raises(BrowserUnavailable, match=r"it ended at once \(exit code 7\)"):
        await launcher(clock, program, attempts=2)()
    assert len(program.starts) == 2
    assert left_in(temporary) == []


async def test_silence_is_tried_again_and_the_silent_one_is_killed(
    clock: FakeClock, tmp_path: Path, temporary: Path, logged: pytest.LogCaptureFixture
) -> None:
    program = Program(tmp_path, "import time; time.sleep(600)")
    before = below()
    with pytest.raises(BrowserUnavailable, match=r"it did not answer within 0\.1 seconds"):
        await launcher(clock, program, attempts=2, ready_timeout_s=0.1)()
    assert len(fields(logged, "browser start failed")) == 2
    assert not left_by(program, before)
    assert left_in(temporary) == []


NOT_RETRIED = {
    "exit code 126": "sys.exit(126)",
    "exit code 127": "sys.exit(127)",
    "no JSON": "os.write(4, b'HTTP/1.1 400 Bad Request' + bytes(1)); os.read(3, 1); os.read(3, 9999); os.read(3, 1)",
    "no object": "os.write(4, b'[1]' + bytes(1)); os.read(3, 9999); os.read(3, 1)",
    "an error": """os.read(3, 9999); os.write(4, b'{"id": 1, "error": {"message": "no"}}' + bytes(1)); os.read(3, 1)""",
    "no result": """os.read(3, 9999); os.write(4, b'{"id": 1, "result": []}' + bytes(1)); os.read(3, 1)""",
    "no user agent": """os.read(3, 9999); os.write(4, b'{"id": 1, "result": {}}' + bytes(1)); os.read(3, 1)""",
}


@pytest.mark.parametrize("body", NOT_RETRIED.values(), ids=NOT_RETRIED)
async def test_an_error_of_another_kind_is_not_tried_again(
    clock: FakeClock, tmp_path: Path, temporary: Path, body: str
) -> None:
    program = Program(tmp_path, body)
    with pytest.raises(BrowserUnavailable):
        await launcher(clock, program)()
    assert len(program.starts) == 1
    assert clock.slept == []
    assert left_in(temporary) == []


async def test_a_file_that_the_system_cannot_execute_is_not_tried_again(
    clock: FakeClock, tmp_path: Path, temporary: Path
) -> None:
    program = Program(tmp_path)
    program.path.write_bytes(b"\x7fELF, but not really")
    with pytest.raises(BrowserUnavailable, match="the system says: Exec format error"):
        await launcher(clock, program)()
    assert clock.slept == []
    assert left_in(temporary) == []


async def test_a_missing_browser_is_not_started_at_all(clock: FakeClock, tmp_path: Path) -> None:
    with pytest.raises(BrowserUnavailable, match="DOWSE_BROWSER_PATH names"):
        await Launcher(clock, path=str(tmp_path / "nothing"))()


async def test_a_snap_is_given_longer_and_a_profile_that_it_can_see(
    clock: FakeClock, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    # A script that mentions the snap is one, as in Ubuntu.
    program = Program(tmp_path, f"# {finding._SNAP}\n{FAILS_TWICE}")
    browser = await launcher(clock, program, backoff_s=0.5, snap_multiplier=3.0)()
    browser.kill()
    await browser.reap()
    assert clock.slept == [1.5, 3.0]
    start = program.starts[-1]
    assert start.arguments[0].startswith(f"--user-data-dir={tmp_path}/snap/chromium/common/dowse-browser-")
    assert start.environment["HOME"] == str(tmp_path)
    assert start.environment["XDG_RUNTIME_DIR"] == "/run/user/1000"
    assert left_in(tmp_path / "snap/chromium/common") == []


async def test_a_snap_is_waited_for_longer(clock: FakeClock, tmp_path: Path, temporary: Path) -> None:
    program = Program(tmp_path, f"# {finding._SNAP}\nimport time; time.sleep(600)")
    with pytest.raises(BrowserUnavailable, match=r"it did not answer within 0\.3 seconds"):
        await launcher(clock, program, attempts=1, ready_timeout_s=0.1, snap_multiplier=3.0)()


@pytest.mark.promise("case-54")
async def test_no_variable_of_ours_reaches_the_browser(
    clock: FakeClock, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Acceptance case 54: nor do the proxies in them."""
    names = ("HTTP_PROXY", "https_proxy", "ALL_PROXY", "NO_PROXY", "SERPER_API_KEY", "SSL_CERT_FILE", "XDG_RUNTIME_DIR")
    for name in names:
        monkeypatch.setenv(name, "canary-7f3a")
    monkeypatch.setenv("LC_TIME", "de_DE.UTF-8")
    program = Program(tmp_path)
    browser = await launcher(clock, program)()
    browser.kill()
    await browser.reap()
    (start,) = program.starts
    assert "canary-7f3a" not in str(start)
    home = start.environment["HOME"]
    assert Path(home).parent == temporary
    assert start.environment["TMPDIR"] == home
    assert start.environment["LC_TIME"] == "de_DE.UTF-8"


async def test_a_user_has_the_sandbox(clock: FakeClock, tmp_path: Path, temporary: Path, user: None) -> None:
    program = Program(tmp_path)
    browser = await launcher(clock, program)()
    browser.kill()
    await browser.reap()
    assert "--no-sandbox" not in program.starts[0].arguments


async def test_where_the_system_has_no_sandbox_it_is_left_out_with_a_warning(
    clock: FakeClock, tmp_path: Path, temporary: Path, user: None, logged: pytest.LogCaptureFixture
) -> None:
    program = Program(tmp_path, NEEDS_NO_SANDBOX)
    launch = launcher(clock, program)
    for _ in range(2):
        browser = await launch()
        browser.kill()
        await browser.reap()
    assert ["--no-sandbox" in start.arguments for start in program.starts] == [False, True, True]
    assert messages(logged) == ["browser runs without its sandbox"]
    assert clock.slept == []


async def test_who_asks_for_the_sandbox_gets_no_browser_without_it(
    clock: FakeClock, tmp_path: Path, temporary: Path, user: None
) -> None:
    program = Program(tmp_path, NEEDS_NO_SANDBOX)
    with pytest.raises(BrowserUnavailable, match="DOWSE_BROWSER_SANDBOX=on asks for it: allow unprivileged user"):
        await launcher(clock, program, sandbox="on")()
    assert len(program.starts) == 1


@pytest.mark.parametrize(
    ("sandbox", "warnings"),
    [
        ("auto", ["root cannot use it; run as a user"]),
        ("on", ["root cannot use it, although DOWSE_BROWSER_SANDBOX=on asks for it; run as a user"]),
        ("off", []),
    ],
)
async def test_root_never_has_it_which_is_said_once(
    clock: FakeClock,
    tmp_path: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
    logged: pytest.LogCaptureFixture,
    sandbox: Any,
    warnings: list[str],
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program = Program(tmp_path)
    launch = launcher(clock, program, sandbox=sandbox)
    for _ in range(2):
        browser = await launch()
        browser.kill()
        await browser.reap()
    assert all("--no-sandbox" in start.arguments for start in program.starts)
    assert [each["reason"] for each in fields(logged, "browser runs without its sandbox")] == warnings


async def test_last_words_go_to_the_log_and_not_to_the_caller(
    clock: FakeClock, tmp_path: Path, temporary: Path, logged: pytest.LogCaptureFixture
) -> None:
    program = Program(tmp_path, "sys.exit('cannot open display for otter42')")
    with pytest.raises(BrowserUnavailable) as failure:
        await launcher(clock, program, attempts=1)()
    assert "otter42" not in str(failure.value)
    (record,) = [record for record in logged.records if record.getMessage() == "browser said"]
    assert record.levelno == logging.DEBUG
    assert "otter42" in record.__dict__["dowse_fields"]["words"]


async def test_a_start_that_is_cancelled_leaves_nothing(clock: FakeClock, tmp_path: Path, temporary: Path) -> None:
    program = Program(tmp_path, "import time; time.sleep(600)")
    before = below()
    starting = asyncio.create_task(launcher(clock, program)())
    await until(lambda: program.starts)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not left_by(program, before)
    assert left_in(temporary) == []


# In a session of its own, as Chromium's crash handlers are; it ends when the fifo is opened for writing.
LEAVES_A_STRAY = """
import signal, subprocess
waiting = "import sys; print(flush=True); open(sys.argv[1])"
waits = [sys.executable, "-SEc", waiting, os.path.dirname(sys.argv[0]) + "/fifo", sys.argv[1]]
# For a moment of its start a process has no command line yet, by which it is found.
subprocess.Popen(waits, start_new_session=True, stdout=subprocess.PIPE).stdout.readline()
os.write(4, b'{"id":1,"result":{"userAgent":"Stand-in/1.0"}}' + bytes(1))
signal.pause()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody is adopted")
async def test_who_may_not_be_killed_is_waited_for(
    clock: FakeClock, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The helper of a sandbox with another user's rights ends by itself."""
    refused: list[int] = []
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)

    def refuse(pid: int, _: int) -> None:
        refused.append(pid)
        fifo.write_bytes(b"")
        raise PermissionError

    browser = await launcher(clock, Program(tmp_path, LEAVES_A_STRAY))()
    monkeypatch.setattr(os, "kill", refuse)
    browser.kill()
    await browser.reap()
    assert refused
    assert not [process for process in below() if process.pid in refused]
    assert left_in(temporary) == []
