"""Colour and live progress: for people at a terminal only."""

import io
import os
import shutil
import sys

import pytest

from dowse.core.models import Attempt
from dowse.surfaces.cli.session import ProgressLine, describe_attempts, style
from tests.support.command_line import Terminal
from tests.support.tables import each_row


def test_a_pipe_gets_plain_text() -> None:
    assert style("title", "bold", io.StringIO()) == "title"


@each_row(("name", "code"), [("bold", "1"), ("dim", "2"), ("green", "32"), ("yellow", "33"), ("cyan", "36")])
def test_a_terminal_gets_colour_that_ends(name: str, code: str) -> None:
    assert style("title", name, Terminal()) == f"\x1b[{code}mtitle\x1b[0m"


def test_nothing_has_no_colour() -> None:
    assert style("", "bold", Terminal()) == ""


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_whoever_wants_no_colour_gets_none(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert style("title", "bold", Terminal()) == "title"


async def test_progress_is_one_line_that_fits_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((30, 24)))
    monkeypatch.setenv("NO_COLOR", "1")
    line = ProgressLine()
    await line.show("short\x1b[2J")
    await line.show("a step with a description that is longer than the line")
    line.clear()
    assert stream.shown == "\r\x1b[K… short[2J\r\x1b[K… a step with a description…\r\x1b[K"


async def test_progress_is_not_written_into_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    line = ProgressLine()
    await line.show("a step")
    line.clear()
    assert stream.getvalue() == ""


def test_who_was_tried_is_told_with_the_reason_or_the_time() -> None:
    failed = Attempt("serper", "search", "unavailable", 9, "HTTP 500")
    answered = Attempt("exa", "search", "ok", 12)
    assert describe_attempts([failed, answered]) == "tried: serper: unavailable (HTTP 500), exa: ok (12 ms)"
