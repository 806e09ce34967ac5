"""A reader of the output that has enough, as in `dowse search … | head`."""

from __future__ import annotations

import os
import sys

import pytest

from dowse.surfaces.cli.session import run_command


def test_a_reader_that_leaves_early_is_no_failure_and_later_output_goes_nowhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python flushes once more at its end, and would complain there."""
    reading, writing = os.pipe()
    os.close(reading)

    def command() -> int:
        print("results")
        return 0

    with os.fdopen(writing, "w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert run_command(command) == 0
        print("more", flush=True)
        monkeypatch.undo()

    assert capsys.readouterr().err == ""
