"""`dowse doctor` as a process, the way people run it: exit codes, streams, and an end at any moment."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests import forked
from tests.conftest import Server
from tests.doctor import Examined, examined
from tests.doubles import PROVIDERS, PocketWeb
from tests.signals import as_from_a_terminal
from tests.stdio import SERVE

DOCTOR = (*SERVE[:-1], "doctor")
"""A process of its own, to be interrupted; others are forked."""
END_S = 60.0


@asynccontextmanager
async def running(environment: Mapping[str, str], *command: str) -> AsyncIterator[asyncio.subprocess.Process]:
    with as_from_a_terminal():
        process = await asyncio.create_subprocess_exec(
            *command,
            env=dict(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def run(server: Server, settings: Mapping[str, str], *flags: str) -> tuple[int | None, str, str]:
    async with running(server.environment(settings), *forked.dowse("doctor", *flags)) as process:
        out, err = await asyncio.wait_for(process.communicate(), END_S)
        return process.returncode, out.decode(), err.decode()


async def examine(server: Server, settings: Mapping[str, str], *flags: str) -> Examined:
    return examined(*await run(server, settings, "--json", *flags))


@pytest.mark.parametrize(
    ("settings", "code", "last"),
    [
        ({"SERPER_API_KEY": "a-key-for-serper"}, 0, "nothing is wrong"),
        ({"SERPER_API_KEY": "a-key-for-serper", "DOWSE_OFFLINE": "1"}, 0, "1 warning"),
        ({}, 1, "1 problem"),
        ({"DOWSE_PORT": "many"}, 2, "2 problems"),
    ],
)
async def test_the_exit_code_tells_how_bad_it_is(
    server: Server, settings: dict[str, str], code: int, last: str
) -> None:
    ended, out, err = await run(server, settings)
    assert (ended, out.splitlines()[-1], err) == (code, last, "")


async def test_a_clean_machine_is_told_what_to_do_first(server: Server) -> None:
    found = await examine(server, {})
    assert [check["name"] for check in found.checks if check["state"] == "problem"] == ["search"]
    assert "SERPER_API_KEY or TAVILY_API_KEY" in found.one("search")["fix"]


async def test_a_probe_asks_all_providers_at_the_same_time_and_can_be_interrupted(
    server: Server, web: PocketWeb
) -> None:
    """None of them answers, and still all are asked; Ctrl+C hangs up on all and leaves no word."""
    for provider in PROVIDERS:
        getattr(web, provider).fails("hang")
    async with running(server.environment(web.environment(*PROVIDERS)), *DOCTOR, "--probe") as process:
        asked = [await asyncio.wait_for(getattr(web, provider).arrived(), END_S) for provider in PROVIDERS]
        process.send_signal(signal.SIGINT)
        out, err = await asyncio.wait_for(process.communicate(), END_S)
        for request in asked:
            await asyncio.wait_for(request.closed.wait(), END_S)
    assert (process.returncode, out, err) == (130, b"", b"")


async def test_a_searxng_with_json_off_gets_lines_that_are_ready_to_paste(server: Server, web: PocketWeb) -> None:
    web.searxng.json_off()
    code, out, _ = await run(server, web.environment("searxng"), "--probe")
    assert code == 1
    assert "\nsearch:\n  formats:\n    - html\n    - json\n" in out
    assert len(web.searxng.requests) == 1


async def test_nothing_heavy_is_loaded_unless_it_probes(server: Server, tmp_path: Path) -> None:
    """It is run where something is broken: the less it needs, the more it can tell."""
    script = tmp_path / "doctor.py"
    script.write_text(
        "import sys\nfrom dowse.surfaces.cli.main import main\nmain(sys.argv[1:])\n"
        "heavy = {'aiohttp', 'sqlite3', 'jwt', 'prometheus_client', 'uvicorn'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(script),
        "doctor",
        env=server.environment({"SERPER_API_KEY": "a-key-for-serper", "DOWSE_TOKENS": "alice:a-token-of-some-length"}),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await asyncio.wait_for(process.communicate(), END_S)
    assert err == b"[]\n"
