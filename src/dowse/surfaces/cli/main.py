"""The `dowse` command. Commands are thin: they read arguments, call a tool, print the answer."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from dowse import __version__
from dowse.surfaces.cli import answer, cache, demo, doctor, instances, read, search, serve, token
from dowse.surfaces.cli.session import run_command

_EPILOG = """\
exit codes:
  0  done
  1  the search or the page failed; the message says why
  2  wrong usage or an invalid setting
  130  interrupted

Settings come from flags, the environment and dowse.toml, in this order; docs/configuration.md lists them."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    arguments = _parser().parse_args(argv)
    return run_command(lambda: arguments.run(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dowse",
        description="Web search for LLM agents: finds pages, reads them, returns the passages that answer the query.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"dowse {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (search, read, answer, serve, token, cache, instances, doctor, demo):
        command.register(commands)
    return parser
