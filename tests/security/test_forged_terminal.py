"""No text of the web moves the cursor of a terminal, changes its colours or begins a line of its own there."""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import pytest

from dowse.contracts import answers, get_content, web_search
from dowse.extract.explain import ExplainedBlock, Explanation
from dowse.surfaces.cli import answer, explain, read, search, session, terminal
from tests.security.forgeries import CANARY, FORGERIES, judge_characters
from tests.security.test_forged_text import ANSWER, NOW, OUTCOME, PAGE, VIEW, plant
from tests.support.command_line import Terminal

pytestmark = pytest.mark.promise("fence-terminal")
# Their line breaks are those of the page.
PAGES = {"text", "page_content", "results.0.digest.text", "answer.text"}


def _run(command: Callable[[argparse.Namespace], int], output: object, **given: object) -> None:
    """Run a command whose call has this output."""
    defaults = {"config": None, "log_level": None, "json": False}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(session, "call", lambda *_: [output])
        command(argparse.Namespace(**defaults, **given))


def _search(outcome: Any) -> None:
    names = ("category", "language", "safe_search", "time_range", "start_date", "end_date", "depth", "response_format")
    given = dict.fromkeys((*names, "max_tokens", "timeout_s", "num_results", "site", "not_site"))
    output = web_search.answer(outcome).output
    for full in (True, False):
        _run(search.run, output, query=["otters"], full=full, no_content=False, offline=False, **given)


def _read(view: Any) -> None:
    given = dict.fromkeys(("question", "section", "max_tokens", "cursor", "explain", "explain_html"))
    output = get_content.answer(view).output
    for outline, raw in ((False, True), (False, False), (True, False)):
        _run(read.run, output, urls=["https://a.example/"], offline=False, raw=raw, outline=outline, **given)


def _answer(outcome: Any) -> None:
    given = dict.fromkeys(("max_results", "freshness_hours", "region", "timeout_s"))
    output = answers.render_answer(outcome, NOW, (), is_list=False).output
    _run(answer.run, output, question=["otters"], no_summary=False, offline=False, **given)


COMMANDS: dict[str, tuple[Callable[[Any], None], object]] = {
    "search": (_search, OUTCOME),
    "read": (_read, VIEW),
    "answer": (_answer, ANSWER),
}
# Styles of these layouts; red is left out, since a forged sequence has it.
_COLOUR = re.compile(r"\x1b\[(?:[0-4]|[39][02-7]|;)*m")
HOSTILE = {name: text for name, text in FORGERIES.items() if name.startswith(("terminal", "LF", "NEL", "LS"))}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("stream", ["pipe", "terminal", "terminal in colour"])
def test_a_command_prints_no_escape_sequence_and_no_line_of_the_web(
    name: str, stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, value = COMMANDS[name]
    is_coloured = "colour" in stream
    # So wide that no line is wrapped.
    monkeypatch.setattr(terminal, "_WIDEST", 2000)
    for variable, setting in {"COLUMNS": "2000", "TERM": "xterm", "NO_COLOR": "" if is_coloured else "1"}.items():
        monkeypatch.setenv(variable, setting)

    def show(text: str, wanted: Collection[str] = ()) -> dict[str, str]:
        printed = {}
        for place, changed in plant(value, text):
            if not wanted or place in wanted:
                output = Terminal() if stream != "pipe" else io.StringIO()
                with pytest.MonkeyPatch.context() as patched:
                    patched.setattr(sys, "stdout", output)
                    patched.setattr(sys, "stderr", output)
                    command(changed)
                printed[place] = output.shown if isinstance(output, Terminal) else output.getvalue()
        return printed

    ordinary = {place: text for place, text in show(CANARY).items() if CANARY in text}
    assert len(ordinary) > 4
    assert all(("\x1b[" in text) is is_coloured for text in ordinary.values())
    for forgery, forged in HOSTILE.items():
        for place, text in show(forged, ordinary).items():
            assert judge_characters(_COLOUR.sub("", text)) == [], (forgery, place)
            assert place in PAGES or text.count("\n") == ordinary[place].count("\n"), (forgery, place)


def test_an_explanation_prints_the_title_on_one_line() -> None:
    page = replace(PAGE, title="Otters\x1b[2K\nKept 9 of 9 words")
    block = ExplainedBlock("Otters swim.", "p", 2, 0.9, True)
    shown = explain._render_text(page, Explanation("article", 0.9, 0.5, False, 0, (block,)))
    assert shown.startswith("Otters[2K Kept 9 of 9 words\nhttps://a.example/one\nKind of page")
    assert judge_characters(shown) == []


def test_the_check_would_see_an_escape_sequence(capsys: pytest.CaptureFixture[str]) -> None:
    """The positive control: the same answer without the rule for terminals."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(session, "make_printable", lambda output: output)
        for place, changed in plant(ANSWER, "\x1b[31m"):
            if place == "answer.citations.0.title":
                _answer(changed)
    assert judge_characters(capsys.readouterr().out)
