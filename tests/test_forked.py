"""A process that was forked for a test is told and heard like one of its own, and the next test has another."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest

from dowse import __version__
from dowse.core.models import Body
from dowse.worker import pool as worker_pool
from dowse.worker.pool import WorkerPool
from tests.forked import dowse, script, worker

END_S = 30.0


def test_words_and_exit_code_are_those_of_the_command() -> None:
    done = subprocess.run(dowse("--version"), capture_output=True, text=True, timeout=END_S, check=True)
    assert (done.stdout, done.stderr) == (f"dowse {__version__}\n", "")
    refused = subprocess.run(dowse("serve", "--nonsense"), capture_output=True, text=True, timeout=END_S)
    assert refused.returncode == 2
    assert "--nonsense" in refused.stderr


def test_a_script_runs_as_the_main_module_with_its_arguments_and_exit_code(tmp_path: Path) -> None:
    file = tmp_path / "told.py"
    file.write_text("import sys\nprint(__name__, *sys.argv[1:])\nraise SystemExit(7)\n")
    done = subprocess.run(script(file, "one", "two"), capture_output=True, text=True, timeout=END_S)
    assert (done.returncode, done.stdout, done.stderr) == (7, "__main__ one two\n", "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_signal_ends_the_server_and_not_those_who_come_after_it(number: signal.Signals, code: int) -> None:
    for _ in range(3):
        command = dowse("serve", "--http", "--port", "0")
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr
            assert '"listening"' in server.stderr.readline()
            server.send_signal(number)
            assert server.wait(END_S) == code
            # The end of its words: nobody else holds the other end of the pipe.
            server.stderr.read()


async def test_a_worker_reads_pages_and_is_replaced_when_it_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "_COMMAND", worker())
    page = Body("https://pages.example/", b"<p>Some words.</p>", "text/html")
    pool = WorkerPool(size=1)
    try:
        for _ in range(2):
            assert (await pool.extract(page, timeout_s=END_S)).markdown == "Some words."
            (pid,) = pool.pids
            os.kill(pid, signal.SIGKILL)
            await asyncio.to_thread(os.waitid, os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    finally:
        await pool.close()
