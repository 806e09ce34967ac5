"""Drop-in commands: `kindly-web-search-mcp-server start-mcp-server --context X [-- flags]` and its aliases."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from dowse import __version__
from dowse.surfaces.cli import serve, session
from dowse.surfaces.cli.boundary import exit_code


def main(argv: Sequence[str] | None = None) -> int:
    """The wrapper: one sub-command that starts the server; what it does not know is passed on."""
    parser = argparse.ArgumentParser(prog="kindly-web-search-mcp-server", description=__doc__)
    parser.add_argument("--version", action="version", version=f"dowse {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    start = commands.add_parser("start-mcp-server", help="run the MCP server", add_help=False)
    start.add_argument("--context", help="the client it is started by; accepted and not needed")
    _, forwarded = parser.parse_known_args(argv)
    return serve_main([flag for flag in forwarded if flag != "--"])


def serve_main(argv: Sequence[str] | None = None) -> int:
    """The server itself, with the `kindly` contract unless DOWSE_CONTRACT says otherwise."""
    parser = argparse.ArgumentParser(prog="kindly-web-search", description="The kindly contract of dowse on stdio.")
    parser.add_argument("--version", action="version", version=f"dowse {__version__}")
    serve.add_transport(parser)
    session.common_flags(parser)
    arguments = parser.parse_args(argv)
    return exit_code(lambda: _serve(arguments))


def _serve(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=False)
    if "contract" not in settings.model_fields_set:
        settings = settings.model_copy(update={"contract": "kindly"})
    return serve.serve(settings)
