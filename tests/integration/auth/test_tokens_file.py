"""The tokens file, changed by several processes at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dowse.auth.tokens import read_tokens_file

# Adds twenty entries whose names begin with a letter of its own, once it is told to.
ADDING = """
import sys
from pathlib import Path
from dowse.auth import tokens
path, letter = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for number in range(20):
    name = f"{letter}{number}"
    tokens.append(path, tokens.entry_text(name, tokens.digest(name)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="locks as POSIX does")
def test_changes_of_two_processes_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    adding = [
        subprocess.Popen(
            [sys.executable, "-c", ADDING, path, letter], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for letter in "ab"
    ]
    for process in adding:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in adding:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in adding:
        process.communicate(timeout=60)
    assert [process.returncode for process in adding] == [0, 0]
    assert {entry.name for entry in read_tokens_file(path)} == {f"{x}{n}" for x in "ab" for n in range(20)}
    assert list(tmp_path.iterdir()) == [path], "the lock leaves nothing behind"
