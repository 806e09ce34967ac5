"""A process that was forked for a test is told and heard like one of its own, and the next test has another."""

from __future__ import annotations

import signal
import subprocess

import pytest

from dowse import __version__
from tests.forked import dowse

END_S = 30.0


def test_words_and_exit_code_are_those_of_the_command() -> None:
    done = subprocess.run(dowse("--version"), capture_output=True, text=True, timeout=END_S, check=True)
    assert (done.stdout, done.stderr) == (f"dowse {__version__}\n", "")
    refused = subprocess.run(dowse("serve", "--nonsense"), capture_output=True, text=True, timeout=END_S)
    assert refused.returncode == 2
    assert "--nonsense" in refused.stderr


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
