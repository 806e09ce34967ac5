"""The HTTP server as a process, with real MCP clients and with requests that no polite client sends."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from dowse.app import App
from dowse.net.sockets import listen as port_of
from dowse.secrets.redact import Redactor
from dowse.settings import sources
from dowse.surfaces.http.load_shedding import ConnectionLimit
from dowse.surfaces.http.serve import StopSignals, serve
from dowse.telemetry.log import LOGGER, JsonLines

SERVE = ("serve", "--http", "--port", "0")
HTTP = (sys.executable, "-m", "dowse", *SERVE)
"""A process of its own, for tests that look at it from outside; others have one forked."""
MODERN, LEGACY = "2026-07-28", "2025-11-25"
START_S = STOP_S = 30.0


class HttpServer:
    """One running server: its address, and ways to talk to it."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url = url
        self.origin = url.removesuffix("/mcp")
        self.session = session

    async def connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A bare connection, for what no HTTP client sends."""
        host, _, port = self.origin.removeprefix("http://").rpartition(":")
        return await asyncio.open_connection(host, int(port))

    @asynccontextmanager
    async def client(self, mode: str = "auto", token: str = "", **options: Any) -> AsyncIterator[Client]:
        """The SDK's client in the given protocol era, with a bearer token if there is one."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with AsyncExitStack() as stack:
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
            transport = streamable_http_client(self.url, http_client=http)
            yield await stack.enter_async_context(Client(transport, mode=mode, **options))

    def post(
        self,
        tool: str,
        arguments: Mapping[str, object],
        *,
        version: str = LEGACY,
        path: str = "/mcp",
        progress_token: str | None = None,
        **options: Any,
    ) -> aiohttp.client._RequestContextManager:
        """A bare tool call, to be entered with `async with`; `headers` add to those a client sends."""
        message = call(tool, arguments, version=version, progress_token=progress_token)
        headers = {**call_headers(tool, version), **options.pop("headers", {})}
        return self.session.post(self.origin + path, json=message, headers=headers, **options)


class HttpProcess(HttpServer):
    """A server with a process of its own."""

    exit_code = 0  # how it has to end

    def __init__(self, process: asyncio.subprocess.Process, url: str, session: aiohttp.ClientSession) -> None:
        super().__init__(url, session)
        self.process = process

    async def stop(self) -> int:
        """Tell the process to stop and wait for it; returns its exit code."""
        if self.process.returncode is None:
            self.process.terminate()
        return await asyncio.wait_for(self.process.wait(), STOP_S)


class HttpHere(HttpServer):
    """A server in the process of the test, which can change how long it waits for something."""

    def __init__(
        self, url: str, session: aiohttp.ClientSession, stop: StopSignals, serving: asyncio.Task[None]
    ) -> None:
        super().__init__(url, session)
        self.stop = stop
        self.serving = serving


def call(
    tool: str, arguments: Mapping[str, object], *, version: str = LEGACY, progress_token: str | None = None
) -> dict[str, object]:
    """The JSON-RPC message of a tool call, as the era has it."""
    meta: dict[str, object] = {}
    if version == MODERN:
        meta["io.modelcontextprotocol/protocolVersion"] = version
        meta["io.modelcontextprotocol/clientCapabilities"] = {}
        meta["io.modelcontextprotocol/clientInfo"] = {"name": "test", "version": "1"}
    if progress_token is not None:
        meta["progressToken"] = progress_token
    params: dict[str, object] = {"name": tool, "arguments": dict(arguments)}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params | ({"_meta": meta} if meta else {})}


def call_headers(tool: str, version: str = LEGACY) -> dict[str, str]:
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version}
    return headers | ({"Mcp-Method": "tools/call", "Mcp-Name": tool} if version == MODERN else {})


@asynccontextmanager
async def listening(environment: Mapping[str, str], log: Path, command: Sequence[str]) -> AsyncIterator[HttpProcess]:
    """A server whose stderr is copied to a file; it says there where it listens. Killed if it does not end itself."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environment),
    )
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    copying = asyncio.create_task(_copy(process, log, address))
    try:
        url = await asyncio.wait_for(address, START_S)
        async with _session() as session:
            server = HttpProcess(process, url, session)
            yield server
        assert await server.stop() == server.exit_code
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await copying


async def _copy(process: asyncio.subprocess.Process, log: Path, address: asyncio.Future[str]) -> None:
    """Every line of stderr to the file; the one that tells the address to whoever waits for it."""
    assert process.stderr is not None
    with log.open("ab", buffering=0) as file:
        async for line in process.stderr:
            file.write(line)
            if not address.done() and b'"listening"' in line:
                address.set_result(json.loads(line)["url"])
    if not address.done():
        address.set_exception(AssertionError("the server ended without listening; its log has the reason"))


class Endings:
    """Shutdowns that go on while the next test runs: uvicorn sleeps for a fifth of a second in each."""

    def __init__(self) -> None:
        self._running: list[asyncio.Task[None]] = []

    def add(self, ending: Coroutine[None, None, None]) -> None:
        self._running.append(asyncio.create_task(ending))

    async def wait(self) -> None:
        await asyncio.gather(*self._running)


@asynccontextmanager
async def inside(
    settings: Mapping[str, str], log: Path, endings: Endings | None = None, limit: ConnectionLimit | None = None
) -> AsyncIterator[HttpHere]:
    """The server in the process of the test: what starts it is left out, the rest is the same.

    With `endings`, its shutdown is left to them; otherwise it is over when the context is left.
    """
    app = App(sources.load({"DOWSE_PORT": "0"}, settings).settings)
    stop = StopSignals()
    with ExitStack() as stack, _logging_to(log):
        listener = stack.enter_context(port_of(app.settings.host, app.settings.port))
        serving = asyncio.create_task(serve(app, listener, stop, limit=limit))
        try:
            async with _session() as session:
                yield HttpHere(listener.url + "/mcp", session, stop, serving)
        finally:
            if not stop.asked.is_set():
                stop()
            ending = _end(serving, stack.pop_all())
            if endings is None:
                await ending
            else:
                endings.add(ending)


async def _end(serving: asyncio.Task[None], listener: ExitStack) -> None:
    with listener:
        await asyncio.wait_for(serving, STOP_S)


@contextmanager
def _logging_to(file: Path) -> Iterator[None]:
    handler = logging.FileHandler(file, encoding="utf-8")
    handler.setFormatter(JsonLines(Redactor()))
    level = LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.setLevel(level)
        LOGGER.removeHandler(handler)
        handler.close()


def _session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60))
