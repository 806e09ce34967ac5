"""Every way in which a command can end is an exit code and at most one message."""

import io
import json
import sys

import pytest

from dowse.core.errors import ConfigError
from dowse.secrets.redact import Redactor
from dowse.surfaces.cli.session import run_command
from dowse.telemetry.log import configure

Captured = pytest.CaptureFixture[str]
KEY = "sk-canary-5e9a1c47d20b83f6"


def raises(error: BaseException) -> int:
    raise error


@pytest.mark.parametrize("code", [0, 1, 2])
def test_the_code_of_the_command_is_handed_on(capsys: Captured, code: int) -> None:
    assert run_command(lambda: code) == code
    assert capsys.readouterr() == ("", "")


def test_an_invalid_setting_is_one_line_and_exit_code_2(capsys: Captured) -> None:
    assert run_command(lambda: raises(ConfigError("X takes a number."))) == 2
    assert capsys.readouterr() == ("", "dowse: X takes a number.\n")


def test_interrupting_is_exit_code_130_without_a_word(capsys: Captured) -> None:
    assert run_command(lambda: raises(KeyboardInterrupt())) == 130
    assert capsys.readouterr() == ("", "")


def test_a_bug_is_exit_code_1_and_its_traceback_loses_its_secrets(capsys: Captured) -> None:
    """Python's own traceback would print them."""

    def command() -> int:
        configure("error", Redactor([KEY]))
        return raises(RuntimeError(f"a bug with {KEY}"))

    assert run_command(command) == 1
    captured = capsys.readouterr()
    logged = json.loads(captured.err)
    assert (captured.out, logged["event"]) == ("", "command crashed")
    assert "RuntimeError: a bug with [redacted]" in logged["traceback"]
    assert KEY not in captured.err


def test_what_is_asked_of_the_parser_passes() -> None:
    with pytest.raises(SystemExit):
        run_command(lambda: raises(SystemExit(2)))


def test_characters_that_the_terminal_does_not_have_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert run_command(lambda: print("Größe") or 0) == 0
    assert written.getvalue() == b"Gr??e\n"


def test_a_closed_stdout_costs_only_invisible_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """`dowse search … >&-`: Python has `None` there."""
    monkeypatch.setattr(sys, "stdout", None)
    assert run_command(lambda: print("unseen") or 0) == 0
    sys.stdout.close()
