"""`dowse demo --exports`: the settings that point dowse at the web of `dowse demo --serve`."""

from __future__ import annotations

import shlex

import pytest

from dowse.demo.web import DEFAULT_PORT, DemoWeb
from dowse.surfaces.cli.main import main

Captured = pytest.CaptureFixture[str]


def exports(capsys: Captured, *flags: str) -> dict[str, str]:
    """The variables that a shell has after `eval "$(dowse demo --exports …)"`."""
    assert main(["demo", "--exports", *flags]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    words = [shlex.split(line) for line in captured.out.splitlines()]
    assert {first for first, *_ in words} == {"export"}
    return dict(assignment.split("=", 1) for _, assignment in words)


def test_the_exports_are_the_settings_of_the_demo_at_that_port(capsys: Captured) -> None:
    assert exports(capsys, "--port", "9123") == DemoWeb(9123).environment()


def test_without_a_port_the_exports_are_those_of_the_usual_one(capsys: Captured) -> None:
    assert exports(capsys) == DemoWeb(DEFAULT_PORT).environment()
