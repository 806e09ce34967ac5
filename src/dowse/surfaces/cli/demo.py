"""Run a real server and a real MCP client against a small web on loopback, with no key and no internet."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import signal
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dowse.core.errors import ConfigError
from dowse.core.text import enclose
from dowse.settings import SEARCHERS, SPECS, sources
from dowse.surfaces.cli import DONE, FAILED
from dowse.surfaces.cli.terminal import ProgressLine, style

if TYPE_CHECKING:
    from mcp import Client

    from dowse.demo import DemoWeb

_QUERY = "python 3.15 release highlights"
_EXCERPT_LINES = 14
_HIGHEST_PORT = 65_535


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("demo", help="run a demonstration, with no key and no internet", description=__doc__)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--serve", action="store_true", help="only serve the demo's small web, until Ctrl-C")
    mode.add_argument("--exports", action="store_true", help="print the settings that point dowse at `demo --serve`")
    parser.add_argument("--port", type=_port, metavar="N", help="port of --serve (default: 8765; 0: any free port)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if not (arguments.serve or arguments.exports):
        if arguments.port is not None:
            raise ConfigError("--port goes with --serve or --exports.")
        return asyncio.run(_demo())
    # Only this command needs a web server.
    from dowse.demo.web import DEFAULT_PORT, DemoWeb

    web = DemoWeb(DEFAULT_PORT if arguments.port is None else arguments.port)
    if arguments.serve:
        return asyncio.run(_serve(web))
    if not web.port:
        raise ConfigError("--exports takes the port that `dowse demo --serve` has printed.")
    for name, value in web.environment().items():
        print(f"export {name}={shlex.quote(value)}")
    return DONE


def _port(text: str) -> int:
    if text.isascii() and text.isdecimal() and int(text) <= _HIGHEST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a port; it takes a number from 0 to {_HIGHEST_PORT}")


async def _serve(web: DemoWeb) -> int:
    """Serve until SIGINT or SIGTERM; both are the ordinary way to stop."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        async with web:
            print(f"The demo's web is at {web.page('/')} until Ctrl-C. In another terminal:\n")
            print(f'  eval "$(dowse demo --exports --port {web.port})"')
            print(f"  dowse search {shlex.quote(_QUERY)}", flush=True)
            await stop.wait()
            ProgressLine().clear()  # the "^C" of the terminal
    except OSError as error:
        # asyncio's own text repeats the address; the system's word for the number is enough.
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        raise ConfigError(f"Port {web.port} cannot be used: {reason}. Choose another with --port.") from error
    return DONE


async def _demo() -> int:
    # Only this command needs a web server and an MCP client.
    from mcp import Client, StdioServerParameters

    from dowse.demo import DemoWeb

    _say(1, "A small web starts on loopback: pages, and doubles of the search providers.")
    async with DemoWeb() as web:
        environment = {**sources.subprocess_environment(), **web.environment()}
        # Without the user's own configuration file and cache.
        environment |= {"DOWSE_LOG_LEVEL": "error", "DOWSE_CONFIG": os.devnull, "DOWSE_STATE": "memory:"}
        # For the table of attempts below; a model reads the text.
        environment["DOWSE_STRUCTURED"] = "on"
        server = StdioServerParameters(command=sys.executable, args=["-m", "dowse", "serve"], env=environment)
        _say(2, "The real server starts, as a subprocess on stdio, and a real MCP client connects.")
        async with Client(server) as client:
            done = await _search(client, web)
            if done:
                await _search_again(client, web)
                await _read(client, web)
    if done:
        _print_next_steps()
    return DONE if done else FAILED


async def _search(client: Client, web: DemoWeb) -> bool:
    tools = await client.list_tools()
    print(f"   tools: {', '.join(tool.name for tool in tools.tools)}")
    _say(3, "Serper is made to fail with HTTP 500. The search is answered all the same:")
    web.failing.add("serper")
    result = await client.call_tool("web_search", {"query": _QUERY, "num_results": 2})
    if result.is_error or not isinstance(result.structured_content, dict):
        print(style(f"   the search failed: {result.content}", "yellow"))
        return False
    found = result.structured_content
    _print_results(found["engine"], found["attempts"], found["results"])
    return True


async def _search_again(client: Client, web: DemoWeb) -> None:
    _say(4, "Now Tavily fails as well. The same search is still answered, from the cache:")
    web.failing.add("tavily")
    result = await client.call_tool("web_search", {"query": _QUERY, "num_results": 2})
    found = result.structured_content if isinstance(result.structured_content, dict) else {}
    milliseconds = found.get("stats", {}).get("total_ms")
    print(f"   cache: {style(found.get('cache', 'miss'), 'green')}, {milliseconds} ms for all of it")


async def _read(client: Client, web: DemoWeb) -> None:
    """Whether or not there is a browser: without one, the note that says what to install is worth seeing too."""
    _say(5, "A page that is empty without JavaScript is rendered by an isolated Chromium, if it is installed:")
    result = await client.call_tool("get_content", {"url": web.page("/app")})
    page = result.structured_content if isinstance(result.structured_content, dict) else {}
    print(f"   engine: {style(page.get('engine', ''), 'green')}, status: {page.get('status', 'error')}")
    _print_excerpt(page.get("page_content", ""))


def _print_results(engine: str, attempts: Sequence[Mapping[str, object]], results: Sequence[Mapping[str, str]]) -> None:
    print(f"   {style(_QUERY, 'bold')} — engine: {style(engine, 'green')}")
    for attempt in attempts:
        detail = enclose(" (", attempt["detail"], ")")
        print(f"   attempt: {attempt['provider']} -> {attempt['outcome']}{detail}, {attempt['ms']} ms")
    for item in results:
        print(f"\n   {style(item['title'], 'bold')}  [{item['status']}]\n   {style(item['link'], 'cyan')}")
        _print_excerpt(item["page_content"])


def _print_excerpt(text: str) -> None:
    lines = text.splitlines()
    print(textwrap.indent("\n".join(lines[:_EXCERPT_LINES]), "   │ ", lambda _line: True))
    if len(lines) > _EXCERPT_LINES:
        print(style(f"   │ … {len(lines) - _EXCERPT_LINES} more lines", "dim"))


def _print_next_steps() -> None:
    from importlib.metadata import distribution

    from dowse.surfaces.clients import read_installation

    installation = read_installation(distribution("dowse").read_text("direct_url.json") or "{}")
    if installation.is_clone:
        _say(6, "To use it, install the command `dowse` once:\n\n  make install")
    if installation.is_clone and installation.source:
        print(f"  uv tool install {shlex.quote(installation.source)}    (the same without a clone)")
    _say(
        7 if installation.is_clone else 6, "Give your MCP client one of these. Without a key, leave SERPER_API_KEY out."
    )
    _print_configurations()


def _print_configurations() -> None:
    from dowse.surfaces.clients import MAIN, LaunchCommand

    credentials = [SPECS[name].credential for name in SEARCHERS[1:] if SPECS[name].advice]
    print(f"   {', '.join(credentials)} work too; with several keys it survives an outage.")
    for client in MAIN:
        print(f"\n{style(client.title, 'bold')} — {client.where}\n")
        print(textwrap.indent(client.render(LaunchCommand()), "  "))


def _say(number: int, text: str) -> None:
    print(f"\n{style(f'{number}.', 'green')} {text}", flush=True)
