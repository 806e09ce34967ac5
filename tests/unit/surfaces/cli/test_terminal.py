"""Colour and live progress: for people at a terminal only."""

import asyncio
import io
import os
import shutil
import sys

import pytest

from dowse.core.models import Attempt
from dowse.surfaces.cli.session import describe_attempts
from dowse.surfaces.cli.terminal import ProgressLine, fit, style
from tests.fakes.clock import FakeClock
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
def test_a_user_that_wants_no_colour_gets_none(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert style("title", "bold", Terminal()) == "title"


async def test_progress_is_one_line_that_fits_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((30, 24)))
    monkeypatch.setenv("NO_COLOR", "1")
    with ProgressLine(FakeClock()) as line:
        await line.show("short\x1b[2J")
        await line.show("a step with a description that is longer than the line")
    assert stream.shown == "\r\x1b[K… 0.0 s  short[2J\r\x1b[K… 0.0 s  a step with a…\r\x1b[K"


async def test_the_elapsed_time_goes_on_while_nothing_else_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, clock = Terminal(), FakeClock()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("NO_COLOR", "1")
    with ProgressLine(clock) as line:
        await line.show("search: asking serper")
        for _ in range(5):
            await asyncio.sleep(0)
    assert stream.shown.split("\r\x1b[K")[1:4] == [
        f"… {elapsed} s  search: asking serper" for elapsed in (0.0, 0.1, 0.2)
    ]


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


def show_on_24_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "24")


def test_a_terminal_wraps_at_words(monkeypatch: pytest.MonkeyPatch) -> None:
    show_on_24_columns(monkeypatch)
    assert fit("a text of words that fill some lines", 2) == ["  a text of words that", "  fill some lines"]


def test_a_text_of_too_many_lines_ends_with_an_ellipsis_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    show_on_24_columns(monkeypatch)
    lines = fit("a text of words that fill, without an end, more lines", most_lines=2)
    assert lines == ["a text of words that", "fill, without an end…"]
    assert fit("three words only", most_lines=2) == ["three words only"]


def test_characters_of_two_columns_and_words_longer_than_a_line_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    show_on_24_columns(monkeypatch)
    assert fit("潮の満ち引きは月と太陽の引力による") == ["潮の満ち引きは月と太陽の", "引力による"]
    assert fit(f"see https://example.org/{'x' * 12}") == ["see", "https://example.org/xxxx", "xxxxxxxx"]


def test_a_pipe_gets_one_line_that_depends_on_no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setenv("COLUMNS", "24")
    assert fit("word " * 40, 3) == ["   " + " ".join(["word"] * 40)]
    assert fit("word " * 40, 3, most_lines=2) == ["   " + " ".join(["word"] * 31) + "…"]
    assert fit("", 3) == []
