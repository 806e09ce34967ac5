"""`dowse answer` at a shell: the answer and its sources, typed with `--json`, and an exit code for scripts."""

import json
import sys
from collections.abc import Callable

import jsonschema
import pytest

from dowse.contracts.output import AnswerQuestionOutput, FailureOutput, schema_of
from dowse.surfaces.cli.main import main
from tests.doubles import Listing, PocketWeb
from tests.support.command_line import Terminal

Point = Callable[..., PocketWeb]
Captured = pytest.CaptureFixture[str]
ZOO, RIVER = "https://zoo.example/otters", "https://river.example/"
PAGE = "The otter weighs nine kilograms. It swims in the river every day.\n"


@pytest.fixture
def otters(point: Point) -> PocketWeb:
    """A web in which one page knows about otters, and no key for a model."""
    web = point("serper")
    web.pages.serves("/otters.txt", PAGE, content_type="text/plain")
    web.serper.finds([Listing("About otters", web.page("/otters.txt"), "All about otters.")])
    return web


@pytest.fixture
def model(point: Point) -> PocketWeb:
    """A model that knows about otters from two pages, one of which it cites twice."""
    web = point("openai")
    citations = [_citing("nine kilograms", ZOO, "The zoo"), _citing("swims", RIVER, ""), _citing("The otter", ZOO, "x")]
    web.openai.writes(PAGE.strip(), citations)
    return web


def _citing(part: str, url: str, title: str) -> dict[str, object]:
    start = PAGE.index(part)
    return {"type": "url_citation", "start_index": start, "end_index": start + len(part), "url": url, "title": title}


def test_the_answer_is_printed_then_its_sources_by_number(model: PocketWeb, capsys: Captured) -> None:
    assert main(["answer", "how heavy", "is an otter"]) == 0
    captured = capsys.readouterr()
    answer, sources, end = captured.out.rstrip("\n").split("\n\n")
    assert answer == PAGE.strip()
    assert sources == f"1. The zoo\n   {ZOO}\n2. river.example\n   {RIVER}"
    assert end.startswith("answered by gpt-5-nano-web-search; tried: openai: ok (")
    assert captured.err == ""


def test_without_a_key_pages_are_quoted_and_their_sources_listed_once(otters: PocketWeb, capsys: Captured) -> None:
    assert main(["answer", "how heavy", "is an otter"]) == 0
    captured = capsys.readouterr()
    opening, quotes, sources, end = captured.out.rstrip("\n").split("\n\n")
    assert opening == "Quoted from the pages found; no model wrote this."
    assert quotes.splitlines()[0] == '"The otter weighs nine kilograms." [1]'
    assert sources == f"Sources:\n[1] About otters — {otters.page('/otters.txt')}"
    assert end.startswith("answered by dowse-extractive; tried: serper: ok (")
    assert captured.err == ""


def test_without_a_summary_the_sources_are_listed_once(otters: PocketWeb, capsys: Captured) -> None:
    assert main(["answer", "how heavy is an otter", "--no-summary"]) == 0
    out = capsys.readouterr().out
    assert out.count(otters.page("/otters.txt")) == 1
    assert "nine kilograms" not in out


def test_json_prints_the_whole_typed_result(otters: PocketWeb, capsys: Captured) -> None:
    assert main(["answer", "how heavy is an otter", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, schema_of(AnswerQuestionOutput, FailureOutput))
    assert found["provider"] == "dowse-extractive"
    assert [citation["url"] for citation in found["citations"]][:1] == [otters.page("/otters.txt")]


def test_flags_become_arguments(otters: PocketWeb, capsys: Captured) -> None:
    flags = ["-n", "2", "--freshness-hours", "24", "--region", "de", "--timeout", "20"]
    assert main(["answer", "how heavy is an otter", *flags]) == 0
    sent = otters.serper.requests[0].json
    assert sent is not None
    assert (sent["gl"], sent["tbs"]) == ("de", "qdr:d")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["-n", "0"], "--max-results must be a whole number from 1 to 8, not 0."),
        (["--freshness-hours", "0"], "--freshness-hours must be a whole number from 1 to 8760, not 0."),
        (["--region", "XX"], "--region must be a country by its two letters in ISO 3166, such as US or AE, not XX."),
        (["--timeout", "soon"], '--timeout must be a number from 1 to 300, not "soon".'),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_code_2(capsys: Captured, flags: list[str], sentence: str) -> None:
    assert main(["answer", "how heavy is an otter", *flags]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"dowse: {sentence}\n")


def test_a_question_for_another_tool_is_exit_code_2(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOWSE_GUARDRAILS", "on")
    assert main(["answer", "polymarket odds on the election"]) == 2
    assert "polymarket" in capsys.readouterr().err


def test_without_an_answer_it_says_why_and_exits_with_1(otters: PocketWeb, capsys: Captured) -> None:
    otters.serper.works().fails("500")
    assert main(["answer", "how heavy is an otter"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("dowse: serper is unavailable: HTTP 500")


def test_offline_refuses_at_once(otters: PocketWeb, capsys: Captured) -> None:
    assert main(["answer", "how heavy is an otter", "--offline"]) == 1
    assert capsys.readouterr().err.endswith("unavailable: offline mode is enabled\n")
    assert otters.serper.requests == []


def test_tokens_are_for_those_who_call_a_server(
    otters: PocketWeb, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOWSE_TOKENS", "ana:token-of-ana-0123456789")
    monkeypatch.setenv("DOWSE_CONTRACT", "answers")
    assert main(["answer", "how heavy is an otter"]) == 0
    assert "nine kilograms" in capsys.readouterr().out


@pytest.mark.usefixtures("otters")
def test_what_went_wrong_before_is_a_note(point: Point, capsys: Captured) -> None:
    point("openai").openai.does_not_search()
    assert main(["answer", "how heavy is an otter"]) == 0
    out = capsys.readouterr().out
    assert "\n\nnote: PARSE: openai sent an answer that could not be parsed: the model answered without a search" in out


def test_an_answer_from_before_says_how_old_it_is(
    model: PocketWeb, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOWSE_TTL_ANSWERS", "1ms")
    assert main(["answer", "how heavy is an otter"]) == 0
    assert "a copy" not in capsys.readouterr().out
    model.openai.works().fails("broken_json")
    assert main(["answer", "how heavy is an otter"]) == 0
    assert "\n\nnote: this is a copy from " in capsys.readouterr().out


def test_at_a_terminal_sources_stand_out(model: PocketWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert main(["answer", "how heavy is an otter"]) == 0
    assert f"\n1. \x1b[1mThe zoo\x1b[0m\n   \x1b[36m{ZOO}\x1b[0m\n" in out.shown
