"""Drop-in commands: `kindly-web-search-mcp-server start-mcp-server --context X [-- flags]` and its aliases."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from dowse import __version__
from dowse.surfaces.cli import session
from dowse.surfaces.cli.session import run_command


def main(argv: Sequence[str] | None = None) -> int:
    """The wrapper: one sub-command that starts the server; its flags may stand behind a `--`."""
    parser = argparse.ArgumentParser(prog="kindly-web-search-mcp-server", description=__doc__)
    parser.add_argument("--version", action="version", version=f"dowse {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    start = commands.add_parser("start-mcp-server", help="run the MCP server")
    start.add_argument("--context", help="name of the client; accepted and ignored")
    _add_server_flags(start)
    given = list(sys.argv[1:] if argv is None else argv)
    arguments = parser.parse_args([flag for flag in given if flag != "--"])
    return run_command(lambda: _serve(arguments))


def serve_main(argv: Sequence[str] | None = None) -> int:
    """The server itself, under the names of its other scripts."""
    parser = argparse.ArgumentParser(description="The kindly contract of dowse, on stdio or HTTP.")
    parser.add_argument("--version", action="version", version=f"dowse {__version__}")
    _add_server_flags(parser)
    arguments = parser.parse_args(argv)
    return run_command(lambda: _serve(arguments))


def _add_server_flags(parser: argparse.ArgumentParser) -> None:
    from dowse.surfaces.cli.serve import add_transport  # As in `main`: Ctrl-C while it is loaded is no traceback.

    add_transport(parser)
    session.common_flags(parser)


def _serve(arguments: argparse.Namespace) -> int:
    from dowse.surfaces.cli.serve import serve

    # A flag, so that no setting for `dowse serve` changes the tools of a drop-in.
    return serve(arguments, "kindly")
