"""Stdout of the stdio server is the wire: one stray byte and the client loses the connection."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests import forked
from tests.conftest import Server
from tests.doubles import MISBEHAVIOURS, PATHS, PocketWeb
from tests.stdio import SERVE, BareServer, Message, serving
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("stdout")

QUICK = {"SERPER_TIMEOUT": "1s", "DOWSE_LOG_LEVEL": "debug"}
BAD_ARGUMENTS: list[dict[str, object]] = [
    {},
    {"query": ""},
    {"query": "x", "num_results": 0},
    {"query": "x", "num_results": "many"},
    {"query": ["x"]},
    {"query": "x\ny\r\nz\u2028w", "unknown": {"nested": True}, "offline_mode": True},
]
GARBAGE = (
    b"not json\n",
    b"\xff\xfe\n",
    b"\n",
    b"{}\n",
    b"[]\n",
    b'{"jsonrpc": "2.0"}\n',
    b'{"jsonrpc": "2.0", "id": 9}\n',
)


@pytest.fixture
async def bare(server: Server, web: PocketWeb, tmp_path: Path) -> AsyncIterator[BareServer]:
    environment = server.environment(web.environment("serper", "tavily") | QUICK)
    async with serving(environment, tmp_path / "log", SERVE) as running:
        yield running


async def test_every_line_of_stdout_is_a_message_whatever_is_called(bare: BareServer, web: PocketWeb) -> None:
    answers = [
        *[await bare.call("web_search", **arguments) for arguments in BAD_ARGUMENTS],
        *[await _search_in_trouble(bare, web, trouble) for trouble in sorted(MISBEHAVIOURS)],
        *[await bare.call("get_content", url=web.page(path)) for path in sorted(PATHS)],
        await bare.call("get_content", url="http://169.254.169.254/"),
        await bare.call("no_such_tool"),
        await bare.ask("no/such/method"),
        await bare.ask("tools/list"),
    ]
    for line in GARBAGE:
        await bare.send_bytes(line)
    answers.append(await bare.ask("ping"))

    written = await bare.end()

    assert len(answers) > 50
    assert {kind(answer) for answer in answers} == {"result", "failed result", "error"}
    assert written.endswith(b"\n")
    messages = [json.loads(line) for line in written.splitlines()]
    assert [message for message in messages if not is_message(message)] == []
    assert all(answer in messages for answer in answers)


async def _search_in_trouble(bare: BareServer, web: PocketWeb, trouble: str) -> Message:
    """One search while Serper misbehaves, after one that succeeds: so its breaker never opens."""
    web.serper.works()
    await bare.call("web_search", query="python", fetch_content=False)
    web.serper.fails(trouble)
    return await bare.call("web_search", query="python", num_results=1, fetch_content=False)


def kind(answer: Message) -> str:
    if "error" in answer:
        return "error"
    return "failed result" if answer["result"].get("isError") else "result"


def is_message(value: object) -> bool:
    """A request or notification has a method; an answer has a number and either a result or an error."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return False
    return "method" in value or ("id" in value and ("result" in value) != ("error" in value))


SERVER_THAT = """
import os
import subprocess
import sys

from dowse.flows.search import SearchFlow
from dowse.surfaces.cli.main import main

search = SearchFlow.search


async def noisy(self, *args, **kwargs):
    {makes_noise}
    return await search(self, *args, **kwargs)


SearchFlow.search = noisy
raise SystemExit(main(["serve"]))
"""
# What a library could do while it serves a call.
NOISES = {
    "prints": "print('noise', flush=True)",
    "prints without a flush": "print('noise')",
    "writes to the original stdout": "sys.__stdout__.write('noise'), sys.__stdout__.flush()",
    "writes to the descriptor": "os.write(1, b'noise')",
    "starts a child that prints": "subprocess.run([sys.executable, '-c', 'print(\"noise\")'], check=True)",
}


@pytest.mark.parametrize("noise", NOISES)
async def test_a_library_that_writes_to_stdout_during_a_call_is_heard_on_stderr(
    server: Server, web: PocketWeb, tmp_path: Path, noise: str
) -> None:
    script, log = tmp_path / "noisy.py", tmp_path / "log"
    script.write_text(SERVER_THAT.format(makes_noise=NOISES[noise]))
    environment = server.environment(web.environment("serper"))
    async with serving(environment, log, forked.script(script)) as bare:
        answers = [await bare.call("web_search", query="python", num_results=1) for _ in range(2)]
        written = await bare.end()

    assert [kind(answer) for answer in answers] == ["result", "result"]
    assert all(is_message(json.loads(line)) for line in written.splitlines() if b"noise" not in line)
    assert (written.count(b"noise"), log.read_text().count("noise")) == (0, 2)


@each_row(
    "value",
    [[], "text", {"jsonrpc": "2.0"}, {"id": 1, "result": {}}, {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}],
)
def test_what_is_no_message_is_told_from_one(value: object) -> None:
    assert not is_message(value)
