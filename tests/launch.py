"""Stands where a process of dowse would stand, which `tests.forked` forks: hands it what it was given, ends as it ends.

Run by its path, by an interpreter that loads next to nothing: `python -I -S launch.py SOCKET PROGRAM ARGUMENT...`
The arguments of the program `worker` are descriptors, which it is handed as well.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress

STREAMS = (0, 1, 2)
# What tests tell servers; nobody can pass SIGKILL on, but then the connection ends.
PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main() -> int:
    path, *words = sys.argv[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as forks:

        def pass_on(number: int, _frame: object) -> None:
            with suppress(OSError):  # it may have ended just now
                forks.send(b"%d" % number)

        forks.connect(path)
        folder = os.getcwd()  # noqa: PTH109 (nothing that takes time to import)
        handed = (*STREAMS, *map(int, words[1:])) if words[0] == "worker" else STREAMS
        # A signal that comes before there is a process to pass it on to has to wait.
        signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
        socket.send_fds(forks, [repr((words, dict(os.environ), folder)).encode()], handed)
        for number in PASSED_ON:
            signal.signal(number, pass_on)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
        # They are the process's own now: when it closes one, whoever is at the other end has to see it.
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in handed:
            os.dup2(nothing, stream)
        return int(forks.recv(16) or 1)


if __name__ == "__main__":
    ended = main()
    if ended < 0:
        with suppress(OSError):  # nobody may change what SIGKILL does
            signal.signal(-ended, signal.SIG_DFL)
        os.kill(os.getpid(), -ended)
    os._exit(ended)
