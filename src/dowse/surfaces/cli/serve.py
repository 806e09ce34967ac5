"""`dowse serve`: the MCP server on stdio."""

from __future__ import annotations

import argparse
import sys

from dowse.settings import Settings
from dowse.surfaces.cli import session
from dowse.surfaces.cli.exits import USAGE

_AT_A_TERMINAL = """\
dowse serve speaks MCP on stdin and stdout: it is started by an MCP client, not by hand.

  Put it into a client:   see the README, or run: dowse demo
  Search from a shell:    dowse search "your question"
  Serve here anyway:      MCP_ALLOW_TTY_STDIO=1 dowse serve"""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("serve", help="run the MCP server on stdio", description=__doc__)
    parser.add_argument("--contract", metavar="NAME", help="which tools to offer: dowse or kindly")
    add_transport(parser)
    session.common_flags(parser)
    parser.set_defaults(run=run)


def add_transport(parser: argparse.ArgumentParser) -> None:
    """`--stdio` is the default and is accepted so that a configuration can say it."""
    transport = parser.add_mutually_exclusive_group()
    transport.add_argument("--stdio", action="store_true", help="speak MCP on stdin and stdout (the default)")
    transport.add_argument("--transport", choices=["stdio"], help="the same, by name")


def run(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {"DOWSE_CONTRACT": arguments.contract}, quiet=False)
    return serve(settings)


def serve(settings: Settings) -> int:
    # Without stdin there is nobody to serve; Python has `None` there when the descriptor is closed.
    if sys.stdin is None or (sys.stdin.isatty() and not settings.allow_tty_stdio):
        print(_AT_A_TERMINAL, file=sys.stderr)
        return USAGE
    from dowse.app import App
    from dowse.surfaces.mcp.stdio import serve_stdio

    return serve_stdio(App(settings))
