"""The drop-in command over HTTP: flags behind the `--` and the variables of old configurations decide where."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

import pytest

from tests import forked
from tests.conftest import Server
from tests.doubles import PocketWeb, closed_port

WRAPPER = Path(sys.executable).with_name("kindly-web-search-mcp-server")
WORDS = ("start-mcp-server", "--context", "codex")


def start(*flags: str) -> tuple[str, ...]:
    """The command in a process that was forked for it."""
    return forked.script(WRAPPER, *WORDS, "--", *flags)


@pytest.mark.promise("case-51")
@pytest.mark.parametrize("flag", ["--http", "--streamable-http"])
async def test_forwarded_flags_serve_kindly_over_http(server: Server, web: PocketWeb, flag: str) -> None:
    """Acceptance case 51; one of them is a process of its own, as clients start it."""
    port = str(closed_port())
    flags = (flag, "--port", port)
    command = (str(WRAPPER), *WORDS, "--", *flags) if flag == "--http" else start(*flags)
    async with server.http(web.environment("serper"), command=command) as http:
        assert http.url == f"http://127.0.0.1:{port}/mcp"
        for mode in ("legacy", "2026-07-28"):
            async with http.client(mode) as client:
                found = await client.call_tool("web_search", {"query": "python release", "num_results": 1})
            assert not found.is_error
            assert found.structured_content is None
            assert '"page_content": "# ' in found.content[0].text


async def test_host_and_port_come_from_the_variables_of_old_configurations(server: Server) -> None:
    port = str(closed_port())
    old = {"FASTMCP_HOST": "127.0.0.2", "FASTMCP_PORT": port}
    async with server.http(old, command=start("--http")) as http:
        assert http.url == f"http://127.0.0.2:{port}/mcp"


async def test_a_flag_wins_over_the_variable(server: Server) -> None:
    port = str(closed_port())
    async with server.http({"FASTMCP_PORT": "1"}, command=start("--http", "--port", port)) as http:
        assert http.url.endswith(f":{port}/mcp")


async def test_a_port_that_is_taken_is_one_sentence_and_exit_code_2(server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        process = await asyncio.create_subprocess_exec(
            *start("--http", "--port", port),
            stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=server.environment({}),
        )
        _, said = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 2
    assert said.decode() == (
        f"dowse: Cannot listen on 127.0.0.1 port {port}: address already in use. "
        "Choose another with --host and --port.\n"
    )
