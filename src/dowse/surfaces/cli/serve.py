"""Run the MCP server on stdio or HTTP."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from dowse.core.errors import ConfigError
from dowse.settings import Settings
from dowse.settings.contracts import CONTRACTS
from dowse.surfaces.cli import USAGE, session

_AT_A_TERMINAL = """\
dowse serve speaks MCP on stdin and stdout: it is started by an MCP client, not by hand.

  Put it into a client:   see the README, or run: dowse demo
  Serve many over HTTP:   dowse serve --http
  Search from a shell:    dowse search "your question"
  Serve here anyway:      MCP_ALLOW_TTY_STDIO=1 dowse serve"""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("serve", help="run the MCP server on stdio or HTTP", description=__doc__)
    about = f"set of tools: {', '.join(CONTRACTS)}"
    parser.add_argument("--contract", choices=list(CONTRACTS), metavar="NAME", help=about)
    add_transport(parser)
    session.common_flags(parser)
    parser.set_defaults(run=run)


def add_transport(parser: argparse.ArgumentParser) -> None:
    """stdio is the default; `--stdio` is accepted so that a configuration can say it."""
    transport = parser.add_mutually_exclusive_group()
    transport.add_argument("--stdio", action="store_true", help="serve MCP on stdin and stdout (the default)")
    transport.add_argument("--http", "--streamable-http", action="store_true", help="serve MCP over HTTP at /mcp")
    transport.add_argument(
        "--transport", choices=["stdio", "http", "streamable-http"], metavar="NAME", help="stdio or http"
    )
    transport.add_argument("--sse", action=_Withdrawn, nargs=0, help=argparse.SUPPRESS)
    parser.add_argument("--host", help="address to listen on (default: 127.0.0.1); other than loopback requires tokens")
    parser.add_argument("--port", type=int, help="port to listen on (default: 8000; 0: any free port)")


class _Withdrawn(argparse.Action):
    """A flag of old configurations; the error names its replacement."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        parser.error("the SSE transport was withdrawn from the protocol and is not served; use --http instead.")


def run(arguments: argparse.Namespace) -> int:
    if not _is_http(arguments) and (arguments.host or arguments.port is not None):
        raise ConfigError("--host and --port are for HTTP: add --http.")
    return serve(arguments, arguments.contract)


def serve(arguments: argparse.Namespace, contract: str | None) -> int:
    """Start the server that the flags describe."""
    flags = {"DOWSE_CONTRACT": contract, "DOWSE_HOST": arguments.host, "DOWSE_PORT": arguments.port}
    settings = session.load(arguments, flags, quiet=False)
    if _is_http(arguments):
        with _disable_gc():
            from dowse.app import App
            from dowse.surfaces.http.serve import serve_http

            app = App(settings)
        return serve_http(app)
    return _serve_stdio(settings)


def _is_http(arguments: argparse.Namespace) -> bool:
    return arguments.http or arguments.transport in ("http", "streamable-http")


def _serve_stdio(settings: Settings) -> int:
    # Python has `None` there when the descriptor is closed.
    if sys.stdin is None or (sys.stdin.isatty() and not settings.allow_tty_stdio):
        print(_AT_A_TERMINAL, file=sys.stderr)
        return USAGE
    with _disable_gc():
        from dowse.app import App
        from dowse.surfaces.mcp.server import serve_stdio

        app = App(settings)
    return serve_stdio(app)


@contextmanager
def _disable_gc() -> Iterator[None]:
    """Around the start: imported modules stay, and collecting garbage among them takes a tenth of the time."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()
