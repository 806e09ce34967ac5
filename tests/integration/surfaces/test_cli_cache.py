"""`dowse cache` tells neither the password of a store nor what was searched for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dowse.surfaces.cli.main import main
from tests.support.command_line import Point

Captured = pytest.CaptureFixture[str]


def test_no_password_is_shown(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens on port 1."""
    monkeypatch.setenv("DOWSE_STATE", "redis://someone:a-password@127.0.0.1:1/0")
    assert main(["cache", "stats"]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "password" not in said.err


def test_what_was_asked_is_told_nowhere(
    point: Point, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOWSE_STATE", f"sqlite:///{tmp_path}/state.db")
    point("serper")
    assert main(["search", "python otterquestion", "--no-content"]) == 0
    capsys.readouterr()
    assert main(["cache", "stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kinds"]["search"]["entries"] == 1
    assert main(["cache", "stats", "--log-level", "debug"]) == 0
    said = capsys.readouterr()
    assert "otterquestion" not in said.out + said.err
