"""The `dowse` command. Commands are thin: they read arguments, call a tool, print the answer."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from dowse import __version__
from dowse.surfaces.cli import DONE, INTERRUPTED, USAGE

_ABOUT = """\
Web search for LLM agents: finds pages, reads them, returns the passages that
answer the query."""
_EPILOG = """\
exit codes:
  0  done
  1  the search or the page failed; the message says why
  2  wrong usage or an invalid setting
  130  interrupted

Settings come from flags, the environment and dowse.toml, in this order;
dowse config shows them."""


class Parser(argparse.ArgumentParser):
    """Argument parser with errors of one line that suggest the nearest command, flag or value."""

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]  # it has overloads
        """Refuse unknown arguments here, where the flags of the subcommand are known."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(self._describe_unknown(unknown[0]))
        return parsed, unknown

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"dowse: {message}\nTry: {self.prog} --help\n")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is None or value in action.choices:
            return
        describe = _describe_command if isinstance(action, argparse._SubParsersAction) else _describe_value
        raise argparse.ArgumentError(None, describe(action, value, list(map(str, action.choices))))

    def _describe_unknown(self, argument: str) -> str:
        flag = argument.partition("=")[0]
        if not flag.startswith("-"):
            return f"unexpected argument {_quote(argument)}"
        hidden = [action for action in self._actions if action.help == argparse.SUPPRESS]
        known = self._option_string_actions.keys() - {name for action in hidden for name in action.option_strings}
        return f"unknown flag {_quote(flag)}{_suggest(flag, sorted(known))}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        return _run(argv)
    except KeyboardInterrupt:
        # Before the command began: modules were being loaded.
        if sys.stderr.isatty():
            print(file=sys.stderr)
        return INTERRUPTED


def _run(argv: Sequence[str] | None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    if "run" not in arguments:
        parser.print_help()
        return DONE
    from dowse.surfaces.cli.session import run_command

    return run_command(lambda: int(arguments.run(arguments)))


def _parser() -> Parser:
    # Here and not above, so that Ctrl-C while they are loaded is no traceback.
    from dowse.surfaces.cli import (
        answer,
        cache,
        completion,
        config,
        demo,
        doctor,
        instances,
        providers,
        read,
        search,
        serve,
        token,
        usage,
    )

    parser = Parser(
        prog="dowse",
        description=_ABOUT,
        epilog=_EPILOG,
        # Wide enough for each command to have its help beside it.
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, max_help_position=20),
    )
    parser.add_argument("-V", "--version", action="version", version=f"dowse {__version__}", help="print the version")
    parser.set_defaults(parser=parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    runs = (search, read, answer, serve, token, usage, cache, instances)
    for command in (*runs, providers, config, doctor, demo, completion):
        command.register(commands)
    return parser


def _describe_command(_: argparse.Action, given: object, known: Sequence[str]) -> str:
    hint = _suggest(given, known) or f"; the commands are {', '.join(known)}"
    return f"unknown command {_quote(given)}{hint}"


def _describe_value(action: argparse.Action, given: object, known: Sequence[str]) -> str:
    name = action.option_strings[-1] if action.option_strings else action.metavar
    return f"{name} takes one of {', '.join(known)}, not {_quote(given)}{_suggest(given, known)}"


def _suggest(given: object, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(str(given)[:80].lower(), known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _quote(given: object) -> str:
    from dowse.core.text import one_line

    return repr(one_line(str(given), 80))
