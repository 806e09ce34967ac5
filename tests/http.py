"""The HTTP server as a process, with real MCP clients and with requests that no polite client sends."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

HTTP = (sys.executable, "-m", "dowse", "serve", "--http", "--port", "0")
MODERN, LEGACY = "2026-07-28", "2025-11-25"
START_S = STOP_S = 30.0


class HttpServer:
    """One running server: its address, its process, and ways to talk to it."""

    def __init__(self, process: asyncio.subprocess.Process, url: str, session: aiohttp.ClientSession) -> None:
        self.process = process
        self.url = url
        self.origin = url.removesuffix("/mcp")
        self.session = session

    @asynccontextmanager
    async def client(self, mode: str = "auto", token: str = "", **options: Any) -> AsyncIterator[Client]:
        """The SDK's client in the given protocol era, with a bearer token if there is one."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with AsyncExitStack() as stack:
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
            transport = streamable_http_client(self.url, http_client=http)
            yield await stack.enter_async_context(Client(transport, mode=mode, **options))

    def post(
        self, tool: str, arguments: Mapping[str, object], *, version: str = LEGACY, path: str = "/mcp", **options: Any
    ) -> aiohttp.client._RequestContextManager:
        """A bare tool call, to be entered with `async with`; `headers` add to those a client sends."""
        message = call(tool, arguments, version=version)
        headers = {**call_headers(tool, version), **options.pop("headers", {})}
        return self.session.post(self.origin + path, json=message, headers=headers, **options)

    async def stop(self) -> int:
        """Tell the process to stop and wait for it; returns its exit code."""
        if self.process.returncode is None:
            self.process.terminate()
        return await asyncio.wait_for(self.process.wait(), STOP_S)


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
async def listening(environment: Mapping[str, str], log: Path, command: Sequence[str]) -> AsyncIterator[HttpServer]:
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
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as session:
            server = HttpServer(process, url, session)
            yield server
        assert await server.stop() == 0
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
