"""Print a completion script for bash, zsh or fish."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from dowse.surfaces.cli import DONE

_EPILOG = """\
to load it in every new shell:
  bash  echo 'eval "$(dowse completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(dowse completion zsh)"' >> ~/.zshrc       (below compinit)
  fish  dowse completion fish > ~/.config/fish/completions/dowse.fish"""
_ROOT = "dowse"
_FILE = "FILE"
_BASH = """\
_dowse() {{
    local at=dowse word words= flags= current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD - 1}}"; do
        case "$at $word" in
            {commands}) at="$at $word" ;;
        esac
    done
    COMPREPLY=()
    case "$at $previous" in
{values}
    esac
    case "$at" in
{words}
    esac
    [[ -z $words || $current == -* ]] && words=$flags
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -F _dowse dowse
"""
_ZSH = """\
#compdef dowse
_dowse() {{
    local at=dowse word previous=${{words[CURRENT - 1]}}
    local -a found flags
    for word in ${{words[2, CURRENT - 1]}}; do
        case "$at $word" in
            {commands}) at="$at $word" ;;
        esac
    done
    case "$at $previous" in
{values}
    esac
    case "$at" in
{words}
    esac
    [[ -z $found || ${{words[CURRENT]}} == -* ]] && found=($flags)
    _describe dowse found
}}
if [[ $funcstack[1] == _dowse ]]; then _dowse "$@"; else compdef _dowse dowse; fi
"""
_FISH = """\
function __dowse_at
    set -l at dowse
    for word in (commandline -opc)[2..-1]
        contains -- "$at $word" {commands}; and set at "$at $word"
    end
    test "$at" = "$argv[1]"
end
complete -c dowse -f
{lines}
"""


@dataclass(frozen=True, slots=True)
class _Flag:
    """A flag of a command; `values` are the choices of its value."""

    names: tuple[str, ...]
    about: str
    takes_value: bool
    takes_file: bool
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Command:
    """A command with its path, such as `dowse token new`, and the words that may follow it."""

    path: str
    words: tuple[tuple[str, str], ...]
    """Subcommands or choices of an argument, each with its help."""
    flags: tuple[_Flag, ...]

    @property
    def flag_words(self) -> list[tuple[str, str]]:
        """Every spelling of a flag with its help."""
        return [(name, flag.about) for flag in self.flags for name in flag.names]


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "completion",
        help="print a completion script for your shell",
        description=__doc__,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=list(_SHELLS), metavar="SHELL", help=f"one of {', '.join(_SHELLS)}")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    print(_SHELLS[arguments.shell](list(_walk(arguments.parser, _ROOT))), end="")
    return DONE


def _walk(parser: argparse.ArgumentParser, path: str) -> Iterator[_Command]:
    """A command and the ones below it."""
    yield _describe(parser, path)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from _walk(below, f"{path} {name}")


def _describe(parser: argparse.ArgumentParser, path: str) -> _Command:
    flags = [action for action in parser._actions if action.option_strings and action.help != argparse.SUPPRESS]
    words = chain.from_iterable(_list_words(action) for action in parser._actions if not action.option_strings)
    return _Command(path, tuple(words), tuple(map(_describe_flag, flags)))


def _list_words(action: argparse.Action) -> list[tuple[str, str]]:
    if isinstance(action, argparse._SubParsersAction):
        return [(choice.dest, str(choice.help)) for choice in action._choices_actions]
    return [(str(choice), "") for choice in action.choices or ()]


def _describe_flag(action: argparse.Action) -> _Flag:
    values = tuple(map(str, action.choices or ()))
    return _Flag(tuple(action.option_strings), str(action.help), action.nargs != 0, action.metavar == _FILE, values)


def _bash(commands: Sequence[_Command]) -> str:
    return _fill(_BASH, commands, _bash_words, _bash_values)


def _bash_words(command: _Command) -> str:
    words, flags = (shlex.quote(" ".join(name for name, _ in each)) for each in (command.words, command.flag_words))
    return f"words={words} flags={flags}"


def _bash_values(flag: _Flag) -> str:
    wanted = "-f" if flag.takes_file else f"-W {shlex.quote(' '.join(flag.values))}"
    return f'COMPREPLY=($(compgen {wanted} -- "$current")); return'


def _zsh(commands: Sequence[_Command]) -> str:
    return _fill(_ZSH, commands, _zsh_words, _zsh_values)


def _zsh_words(command: _Command) -> str:
    words, flags = (shlex.join(map(":".join, each)) for each in (command.words, command.flag_words))
    return f"found=({words}) flags=({flags})"


def _zsh_values(flag: _Flag) -> str:
    return "_files; return" if flag.takes_file else f"compadd -- {shlex.join(flag.values)}; return"


def _fill(
    script: str, commands: Sequence[_Command], words: Callable[[_Command], str], values: Callable[[_Flag], str]
) -> str:
    """A script of `case` statements over the path of the command, and over the path with the flag before the word."""
    return script.format(
        commands="|".join(f'"{command.path}"' for command in commands[1:]),
        values="\n".join(f"        {pattern}) {values(flag)} ;;" for pattern, flag in _list_taking(commands)),
        words="\n".join(f'        "{command.path}") {words(command)} ;;' for command in commands),
    )


def _list_taking(commands: Sequence[_Command]) -> Iterator[tuple[str, _Flag]]:
    """The flags that take a value, each with the pattern of a word behind it."""
    for command in commands:
        yield from ((_spell(command.path, flag), flag) for flag in command.flags if flag.takes_value)


def _spell(path: str, flag: _Flag) -> str:
    """The pattern of a word behind a flag."""
    return "|".join(f'"{path} {name}"' for name in flag.names)


def _fish(commands: Sequence[_Command]) -> str:
    lines = list(chain.from_iterable(map(_fish_lines, commands)))
    return _FISH.format(commands=" ".join(f"'{command.path}'" for command in commands[1:]), lines="\n".join(lines))


def _fish_lines(command: _Command) -> list[str]:
    here = f"complete -c dowse -n '__dowse_at \"{command.path}\"'"
    words = [f"{here} -a {name} -d {shlex.quote(about)}" for name, about in command.words]
    return [*words, *(f"{here} {_fish_flag(flag)}" for flag in command.flags)]


def _fish_flag(flag: _Flag) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names]
    return " ".join([*names, *_fish_value(flag), f"-d {shlex.quote(flag.about)}"])


def _fish_value(flag: _Flag) -> list[str]:
    if not flag.takes_value:
        return []
    return ["-r -F"] if flag.takes_file else [f"-x -a {shlex.quote(' '.join(flag.values))}"]


_SHELLS: dict[str, Callable[[Sequence[_Command]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
