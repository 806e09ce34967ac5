"""A double on a server of its own, for those that are no part of the pocket web or must not share it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from aiohttp import web

from tests.doubles import Double, memory
from tests.doubles.memory import HOST

_SHUTDOWN_S = 0.05

D = TypeVar("D", bound=Double)


@asynccontextmanager
async def served(kind: type[D], key: str = "", *, in_memory: bool = False) -> AsyncIterator[tuple[D, str]]:
    """The double, and where it is; in memory, `MemoryConnector` is the way there."""
    ports: list[int] = []
    double = kind(key, lambda: f"http://{HOST}:{ports[0]}")
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", double.handle)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=_SHUTDOWN_S)
    await runner.setup()
    if in_memory:
        assert runner.server is not None
        ports.append(memory.listen(runner.server))
    else:
        await web.TCPSite(runner, HOST, 0).start()
        ports.append(runner.addresses[0][1])
    try:
        yield double, f"http://{HOST}:{ports[0]}{double.path}"
    finally:
        if in_memory:
            memory.close(ports[0])
        await runner.cleanup()
