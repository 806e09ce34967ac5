"""The parser of the command line: help without arguments, and errors that suggest the nearest spelling."""

import sys

import pytest

from dowse.core.text import ArgumentName, Sentence
from dowse.surfaces.cli import main as cli
from dowse.surfaces.cli.main import main
from dowse.surfaces.cli.session import name_flags
from tests.support.command_line import Terminal

Captured = pytest.CaptureFixture[str]


def refused(capsys: Captured, *arguments: str) -> str:
    """The line that a wrong command line is refused with."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()[0]


def test_the_command_alone_prints_its_help(capsys: Captured) -> None:
    assert main([]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("usage: dowse [-h] [-V] COMMAND")
    assert captured.err == ""


def test_control_c_while_modules_are_loaded_is_no_traceback(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    stderr = Terminal()
    monkeypatch.setattr(cli, "_parser", interrupt)
    monkeypatch.setattr(sys, "stderr", stderr)
    assert main(["search", "x"]) == 130
    # The next prompt is not to stand behind the "^C" of the terminal.
    assert (capsys.readouterr().out, stderr.shown) == ("", "\n")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["serach", "x"], "unknown command 'serach'; did you mean search?"),
        (["cache", "sats"], "unknown command 'sats'; did you mean stats?"),
        (["search", "x", "--nun-results=3"], "unknown flag '--nun-results'; did you mean --num-results?"),
        (["search", "x", "--tiem-range", "day"], "unknown flag '--tiem-range'; did you mean --time-range?"),
        (["token", "new", "x", "--limits", "1"], "unknown flag '--limits'; did you mean --limit?"),
        (["serve", "--ssse"], "unknown flag '--ssse'"),
        (["doctor", "--zzz"], "unknown flag '--zzz'"),
        (["doctor", "again"], "unexpected argument 'again'"),
        (["doctor", "\x1b[2J"], "unexpected argument '[2J'"),
    ],
)
def test_unknown_commands_and_flags_suggest_the_nearest(capsys: Captured, arguments: list[str], problem: str) -> None:
    assert refused(capsys, *arguments) == f"dowse: {problem}"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ["--category", "new"],
            "--category takes one of general, images, videos, news, map, music, it, science, files",
        ),
        (["--safe-search", "9"], "--safe-search takes one of 0, 1, 2, not '9'"),
        (["--time-range", "weak"], "--time-range takes one of day, week, month, year, not 'weak'; did you mean week?"),
        (["--depth", "deep"], "--depth takes one of normal, wide, not 'deep'"),
        (["--format", "short"], "--format takes one of concise, detailed, not 'short'"),
    ],
)
def test_a_value_out_of_a_list_is_refused_with_the_list(capsys: Captured, arguments: list[str], problem: str) -> None:
    assert refused(capsys, "search", "x", *arguments).startswith(f"dowse: {problem}")


def test_a_contract_that_does_not_exist_is_refused_by_its_flag(capsys: Captured) -> None:
    assert refused(capsys, "serve", "--contract", "kindely").endswith("not 'kindely'; did you mean kindly?")


def test_a_setting_that_is_wrong_as_a_flag_is_named_as_the_flag(capsys: Captured) -> None:
    assert main(["search", "x", "--log-level", "loud"]) == 2
    assert capsys.readouterr().err.startswith("dowse: --log-level is 'loud', but it takes ")


def test_arguments_of_a_tool_become_flags_in_a_message_but_ordinary_words_stay() -> None:
    flags = {"language": "--language", "max_tokens": "--max-tokens"}
    message = Sentence(ArgumentName("language"), " must be like en, not a language or max_tokens.")
    assert message == "language must be like en, not a language or max_tokens."
    assert name_flags(message, flags) == "--language must be like en, not a language or max_tokens."
    assert name_flags("language is an ordinary word", flags) == "language is an ordinary word"


def test_a_masked_message_keeps_the_names_of_its_arguments() -> None:
    message = Sentence(ArgumentName("section"), " 'secret' is not on the page, nor in the section.")
    masked = message.change(lambda text: text.replace("section", "***").replace("secret", "***"))
    assert masked.rename({"section": "--section"}) == "--section '***' is not on the page, nor in the ***."
