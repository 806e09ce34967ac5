"""No text of the web moves the cursor of a terminal, changes its colours or begins a line of its own there."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dowse.contracts import answers, get_content, web_search
from dowse.extract.explain import ExplainedBlock, Explanation
from dowse.surfaces.cli import answer, explain, read, search, session
from tests.security.forgeries import CANARY, FORGERIES, judge_characters
from tests.security.test_forged_text import ANSWER, NOW, OUTCOME, PAGE, VIEW, plant

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
    _run(search.run, output, query=["otters"], full=True, no_content=False, offline=False, **given)


def _read(view: Any) -> None:
    given = dict.fromkeys(("question", "section", "max_tokens", "cursor", "explain", "explain_html"))
    output = get_content.answer(view).output
    for outline in (False, True):
        _run(read.run, output, urls=["https://a.example/"], offline=False, raw=True, outline=outline, **given)


def _answer(outcome: Any) -> None:
    given = dict.fromkeys(("max_results", "freshness_hours", "region", "timeout_s"))
    output = answers.render_answer(outcome, NOW, (), is_list=False).output
    _run(answer.run, output, question=["otters"], no_summary=False, offline=False, **given)


COMMANDS: dict[str, tuple[Callable[[Any], None], object]] = {
    "search": (_search, OUTCOME),
    "read": (_read, VIEW),
    "answer": (_answer, ANSWER),
}
HOSTILE = {name: text for name, text in FORGERIES.items() if name.startswith(("terminal", "LF", "NEL", "LS"))}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_no_escape_sequence_and_no_line_of_the_web(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, value = COMMANDS[name]

    def show(text: str) -> dict[str, str]:
        printed = {}
        for place, changed in plant(value, text):
            command(changed)
            captured = capsys.readouterr()
            printed[place] = captured.out + captured.err
        return printed

    ordinary = {place: text for place, text in show(CANARY).items() if CANARY in text}
    assert len(ordinary) > 4
    for forgery, forged in HOSTILE.items():
        for place, text in show(forged).items():
            if place in ordinary:
                assert judge_characters(text) == [], (forgery, place)
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
