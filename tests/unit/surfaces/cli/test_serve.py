"""`dowse serve`: MCP on stdin and stdout for clients, an explanation for people; and the help of every command."""

import argparse
import gc
import io
import re
import runpy
import sys
from typing import Any

import pytest

from dowse import __version__
from dowse.core.errors import ConfigError
from dowse.surfaces.cli.main import _parser, main
from tests.support.command_line import Conversation, Terminal, plain_actions, subcommands, walk

Captured = pytest.CaptureFixture[str]


def serve_and_hear(monkeypatch: pytest.MonkeyPatch, arguments: list[str], *, terminal: bool = False) -> dict[int, Any]:
    conversation = Conversation(monkeypatch, terminal=terminal)
    assert main(["serve", *arguments]) == 0
    conversation.close()
    return {answer["id"]: answer["result"] for answer in conversation.answers}


@pytest.mark.parametrize("arguments", [[], ["--stdio"], ["--transport", "stdio"]])
def test_it_answers_until_the_client_hangs_up(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    heard = serve_and_hear(monkeypatch, arguments)
    assert heard[1]["serverInfo"] == {"name": "dowse", "title": "dowse", "version": __version__}
    assert [tool["name"] for tool in heard[2]["tools"]] == ["web_search", "get_content", "answer_question"]


def test_the_contract_is_a_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = serve_and_hear(monkeypatch, ["--contract", "kindly"])
    assert heard[1]["serverInfo"]["name"] == "kindly-web-search"


@pytest.mark.promise("case-52")
def test_a_person_at_the_terminal_gets_an_explanation_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """Acceptance case 52."""
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert main(["serve"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    for hint in ("started by an MCP client", "dowse search", "MCP_ALLOW_TTY_STDIO=1"):
        assert hint in captured.err


@pytest.mark.promise("case-52")
def test_a_person_who_insists_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Acceptance case 52, the override."""
    monkeypatch.setenv("MCP_ALLOW_TTY_STDIO", "1")
    assert serve_and_hear(monkeypatch, [], terminal=True)[1]["serverInfo"]["name"] == "dowse"


@pytest.mark.parametrize(
    ("arguments", "server"),
    [([], "dowse.surfaces.mcp.server.serve_stdio"), (["--http"], "dowse.surfaces.http.serve.serve_http")],
)
def test_garbage_is_not_looked_for_before_it_serves_nor_later_in_what_was_there_by_then(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], server: str
) -> None:
    seen: list[bool] = []
    before = gc.get_freeze_count()
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr("dowse.app.App", lambda _settings: seen.append(gc.isenabled()))
    monkeypatch.setattr(server, lambda _app: seen.extend([gc.isenabled(), gc.get_freeze_count() > before]) or 0)
    assert main(["serve", *arguments]) == 0
    assert seen == [False, True, True]


def test_a_start_that_fails_leaves_garbage_collection_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_settings: object) -> None:
        raise ConfigError("no")

    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr("dowse.app.App", fail)
    assert main(["serve"]) == 2
    assert gc.isenabled()


def test_an_invalid_setting_stops_the_start_with_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("DOWSE_CONTRACT", "bing")
    assert main(["serve"]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (
        "",
        "dowse: DOWSE_CONTRACT is 'bing', but it takes one of dowse, kindly, jan, swissarmyhammer, answers.\n",
    )


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["serve", "--nonsense"], ["serve", "--stdio", "--transport=stdio"]]
)
def test_wrong_usage_is_exit_code_2_with_one_line_on_stderr_and_where_to_look(
    capsys: Captured, arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    problem, hint = captured.err.splitlines()
    assert (captured.out, problem.partition(" ")[0]) == ("", "dowse:")
    assert hint == f"Try: {' '.join(['dowse', *arguments[: len(arguments) - 1]][:2])} --help"


COMMANDS = (
    *("search", "read", "answer", "serve", "token", "usage", "cache", "instances"),
    *("providers", "config", "doctor", "demo", "completion"),
)
WITHOUT_JSON = {
    "dowse serve": "it speaks a protocol until it is ended",
    "dowse demo": "a demonstration for people",
    "dowse completion": "prints a script for a shell",
}
# A flag that is left out of the help on purpose.
HIDDEN = {"dowse serve --sse": "understood only to be refused: that transport is not offered"}


def spelling(action: argparse.Action) -> str:
    return action.option_strings[-1] if action.option_strings else str(action.metavar or action.dest)


def unexplained(parser: argparse.ArgumentParser) -> list[str]:
    """Flags, arguments and subcommands of one parser that have no help."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    explained = {choice.dest for group in groups for choice in group._choices_actions if is_help(choice.help)}
    flags = [spelling(action) for action in plain_actions(parser) if not is_help(action.help)]
    return [f"{parser.prog} {name}" for name in (*flags, *(subcommands(parser).keys() - explained))]


def is_help(text: str | None) -> bool:
    return bool(text and text.strip() and text != argparse.SUPPRESS)


@pytest.mark.parametrize("parser", list(walk(_parser())), ids=lambda parser: parser.prog)
def test_the_help_of_a_command_explains_every_flag(parser: argparse.ArgumentParser, capsys: Captured) -> None:
    assert [flag for flag in unexplained(parser) if flag not in HIDDEN] == []
    with pytest.raises(SystemExit) as caught:
        main([*parser.prog.split()[1:], "--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: {parser.prog}")
    options = [line.split() for line in shown.splitlines() if re.match(r"  \S", line)]
    shown_actions = [each for each in plain_actions(parser) if f"{parser.prog} {spelling(each)}" not in HIDDEN]
    for action in shown_actions:
        flag = spelling(action)
        listed = [words for words in options if flag in (word.rstrip(",") for word in words[:3])]
        assert len(listed) == 1, f"{flag} is listed once"
        # Wherever the lines are broken.
        explanation = parser._get_formatter()._expand_help(action)
        assert "".join(explanation.split()) in "".join(shown.split()), f"{flag} is explained"


def test_every_command_but_serve_demo_and_completion_prints_json() -> None:
    leaves = [parser for parser in walk(_parser()) if not subcommands(parser)]
    assert {parser.prog for parser in leaves if "--json" not in parser._option_string_actions} == set(WITHOUT_JSON)


def test_a_hidden_flag_is_a_flag_without_help() -> None:
    assert {flag for parser in walk(_parser()) for flag in unexplained(parser)} == set(HIDDEN)


def test_a_flag_and_a_command_without_help_are_found() -> None:
    parser = argparse.ArgumentParser(prog="made")
    parser.add_argument("--silent")
    parser.add_argument("--hidden", help=argparse.SUPPRESS)
    commands = parser.add_subparsers()
    commands.add_parser("up")
    commands.add_parser("down", help="the other way")
    assert unexplained(parser) == ["made --silent", "made --hidden", "made up"]


@pytest.mark.parametrize(
    "arguments",
    [["search", "otters", "--num-results", "3", "--time-range", "week"], ["answer", "why?", "--max-results", "3"]],
)
def test_the_long_spelling_of_a_flag_is_understood(arguments: list[str]) -> None:
    assert set(arguments[2::2]) <= set(subcommands(_parser())[arguments[0]]._option_string_actions)
    assert vars(_parser().parse_args(arguments))


def test_the_help_names_every_command_and_exit_code(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    for word in (*COMMANDS, "exit codes:", "130  interrupted", "dowse config shows them"):
        assert word in shown


def test_no_command_is_missing_from_this_file(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main(["nonsense"])
    assert f"unknown command 'nonsense'; the commands are {', '.join(COMMANDS)}\n" in capsys.readouterr().err


def test_the_version_is_printed(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"dowse {__version__}\n"


def test_the_package_runs_as_the_command(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(sys, "argv", ["dowse", "read", "not an address"])
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("dowse", run_name="__main__")
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("dowse: URL must be a web address")


def test_a_host_that_is_no_name_is_one_sentence_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("DOWSE_TOKENS", "alice:a-token-of-some-length")
    assert main(["serve", "--http", "--host", "a..b", "--port", "0"]) == 2
    assert capsys.readouterr().err == (
        "dowse: Cannot listen on a..b port 0: not a valid host name. Choose another with --host and --port.\n"
    )


@pytest.mark.parametrize("flag", [["--port", "9001"], ["--port", "0"], ["--host", "127.0.0.1"]])
def test_an_address_without_http_is_a_mistake_that_is_told(capsys: Captured, flag: list[str]) -> None:
    assert main(["serve", *flag]) == 2
    assert capsys.readouterr().err == "dowse: --host and --port are for HTTP: add --http.\n"
