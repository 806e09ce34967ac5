"""Serves MCP on stdin and stdout until the client closes stdin or the process is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys

from mcp.server.stdio import stdio_server

from dowse.app import App
from dowse.surfaces.mcp.server import build_server
from dowse.surfaces.mcp.stdin_eof import answered_to_the_last

_STOP = (signal.SIGTERM, signal.SIGINT)


def serve_stdio(app: App) -> int:
    """Serve until the end; stdout carries protocol messages and nothing else."""
    return asyncio.run(_serve(app))


async def _serve(app: App) -> int:
    stop = asyncio.Event()
    for number in _STOP:
        # Not on Windows, where the default handlers do.
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with app:
        serving = asyncio.create_task(_run(app))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not serving.done():
        # The thread that waits for stdin cannot be interrupted: an ordinary exit would join it, and
        # so wait for a line that may never come. Everything of ours is closed by now.
        sys.stderr.flush()
        os._exit(0)
    serving.result()
    return 0


async def _run(app: App) -> None:
    server = build_server(app)
    async with stdio_server() as wire, answered_to_the_last(*wire) as (incoming, outgoing):
        try:
            await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            # While serving, stdout leads to stderr. What a library printed and left in the buffer has
            # to go there too, not onto the wire when the SDK gives the descriptor back.
            sys.stdout.flush()
