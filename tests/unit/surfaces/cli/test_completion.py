"""Completion scripts are generated from the parser: each of them has every command and flag that the help shows."""

import argparse
import re

import pytest

from dowse.surfaces.cli.main import _parser, main
from tests.support.command_line import plain_actions, subcommands, walk

FLAG = {
    "bash": "{name}",
    "zsh": "'{name}:",
    "fish": "{option}",
}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_flag_is_in_the_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    lines = capsys.readouterr().out.splitlines()
    for parser in walk(_parser()):
        own = "\n".join(line for line in lines if f'"{parser.prog}"' in line)
        assert set(subcommands(parser)) <= set(re.findall(r"[\w-]+", own))
        for name in (name for action in plain_actions(parser) for name in names(action)):
            option = f"-l {name[2:]} " if name.startswith("--") else f"-s {name[1:]} "
            assert FLAG[shell].format(name=name, option=option) in own


def names(action: argparse.Action) -> list[str]:
    return [] if action.help == argparse.SUPPRESS else list(action.option_strings)


def test_a_shell_that_is_not_supported_is_refused_with_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["completion", "tcsh"])
    assert capsys.readouterr().err.startswith("dowse: SHELL takes one of bash, zsh, fish, not 'tcsh'")
