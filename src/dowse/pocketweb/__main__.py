"""`python -m dowse.pocketweb`: print the settings that point dowse here, then serve until Ctrl-C."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys

from dowse.pocketweb.web import PROVIDERS, PocketWeb


async def serve() -> None:
    """Serve until SIGINT or SIGTERM; both are the ordinary way to stop, hence exit code 0."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with PocketWeb() as web:
        print(f"pocketweb serves {web.page('/')} until Ctrl-C; use these lines in another terminal:", file=sys.stderr)
        for name, value in web.environment(*PROVIDERS).items():
            print(f"export {name}={shlex.quote(value)}", flush=True)
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(serve())
