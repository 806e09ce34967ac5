"""Commands at a real pseudo-terminal of 80 columns."""

import os
import pty
import re
import subprocess
import sys
import termios

COLUMNS, _ROWS = 80, 24
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_LIVE = re.compile(r"\r\x1b\[K(?:… \d+\.\d s  ([^\r]*))?")
# Ctrl-C reaches the processes of the terminal that controls them. Tests that run in the background of a shell have
# inherited that it is ignored.
_WITH_TERMINAL = """\
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Session:
    """A command whose terminal is a pseudo-terminal."""

    def __init__(self, *command: str) -> None:
        self.shown = ""
        self._terminal, inner = pty.openpty()
        termios.tcsetwinsize(inner, (_ROWS, COLUMNS))
        started = [sys.executable, "-c", _WITH_TERMINAL, *command]
        self._process = subprocess.Popen(started, stdin=inner, stdout=inner, stderr=inner, start_new_session=True)
        os.close(inner)

    def read_until(self, text: str) -> None:
        """Read until the terminal shows a text, or to the end."""
        while text not in self.shown and self._read():
            pass

    def press(self, keys: bytes) -> None:
        os.write(self._terminal, keys)

    def finish(self) -> int:
        """Read to the end; returns the exit code."""
        while self._read():
            pass
        os.close(self._terminal)
        return self._process.wait(60)

    def steps(self) -> list[str]:
        """The steps that the live line has shown, each once."""
        return list(dict.fromkeys(filter(None, _LIVE.findall(_COLOUR.sub("", self.shown)))))

    def lines(self) -> list[str]:
        """The lines that stay, without colour."""
        return _LIVE.sub("", _COLOUR.sub("", self.shown)).replace("\r\n", "\n").split("\n")

    def _read(self) -> bool:
        try:
            data = os.read(self._terminal, 65_536)
        except OSError:  # Linux reports the end of the other side as an error.
            return False
        self.shown += data.decode()
        return bool(data)
