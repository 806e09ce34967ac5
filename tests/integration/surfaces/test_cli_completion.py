"""`dowse completion`: the scripts in the real shells, where these are installed."""

import shlex
import subprocess
from pathlib import Path

import pytest

from dowse.surfaces.cli.main import main
from tests.realparts import require
from tests.support.pseudo_terminal import Session

CASES = [
    ("dowse se", ["search", "serve"]),
    ("dowse cache ", ["clear", "stats"]),
    ("dowse search otters --ti", ["--time-range", "--timeout"]),
    ("dowse search --time-range ", ["day", "month", "week", "year"]),
    ("dowse search -n 3 --depth w", ["wide"]),
    ("dowse search token --saf", ["--safe-search"]),
    ("dowse search --log-level ", []),
    ("dowse completion ", ["bash", "fish", "zsh"]),
    ("dowse --v", ["--version"]),
]


@pytest.fixture
def script(capsys: pytest.CaptureFixture[str], tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The script of the shell that the test is named after."""
    shell = request.node.originalname.split("_")[1]
    require(shell)
    assert main(["completion", shell]) == 0
    path = tmp_path / f"dowse.{shell}"
    path.write_text(capsys.readouterr().out)
    return path


@pytest.mark.parametrize(("line", "offered"), [*CASES, ("dowse search --config dowse.b", ["dowse.bash"])])
def test_bash_completes_commands_flags_and_values(script: Path, line: str, offered: list[str]) -> None:
    words = shlex.split(line) + ([""] if line.endswith(" ") else [])
    code = (
        f"source {script}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _dowse; "
        "complete -p dowse >&2; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, timeout=60, cwd=script.parent)
    assert sorted(done.stdout.split()) == offered
    assert done.stderr == "complete -F _dowse dowse\n"


@pytest.mark.parametrize(("line", "offered"), [*CASES, ("dowse search --config dowse.f", ["dowse.fish"])])
def test_fish_completes_commands_flags_and_values(script: Path, line: str, offered: list[str]) -> None:
    command = ["fish", "--no-config", "-c", f"source {script}; complete -C {shlex.quote(line)}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=script.parent)
    assert (sorted(found.split("\t")[0] for found in done.stdout.splitlines()), done.stderr) == (offered, "")


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("dowse sear", "dowse search"),
        ("dowse token rev", "dowse token revoke"),
        ("dowse search otters --time-", "dowse search otters --time-range"),
        ("dowse search --time-range mo", "dowse search --time-range month"),
        ("dowse search --config dowse.z", "dowse search --config dowse.zsh"),
    ],
)
def test_zsh_completes_commands_flags_and_values(script: Path, typed: str, completed: str) -> None:
    shell = Session("zsh", "-f", "-i")
    setup = f"cd {script.parent}; autoload -Uz compinit; compinit -D; source {script}"
    shell.press(f"{setup}; print rea''dy\r".encode())
    shell.read_until("ready")
    # Tab, whose blank the next key removes; then Ctrl-A and Ctrl-E make the line the argument of a command.
    shell.press(f"{typed}\t\x01print -r -- '[\x05]'\rexit\r".encode())
    shell.finish()
    assert f"\n[{completed}]" in shell.shown
