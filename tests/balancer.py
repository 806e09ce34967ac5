"""A real nginx with `deploy/nginx.conf`, in a process of its own."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.doubles import closed_port
from tests.realparts import require

CONFIGURATION = Path(__file__).resolve().parent.parent / "deploy" / "nginx.conf"
HOST = "127.0.0.1"
PATIENCE_S = 30.0
_READY = "start worker processes"
_REPLICAS = re.compile(r"server dowse:8000 resolve([^;]*);")
# Errors are of those it talks to. These are its own, or say that something of a call was written to a disk.
_COMPLAINT = re.compile(r"\[(?:warn|crit|alert|emerg)\]")


def configuration(replicas: Sequence[str], port: int, folder: Path) -> str:
    """The file as it is shipped, with replicas on this machine where Docker's name is, and a log that says more."""
    text = CONFIGURATION.read_text(encoding="utf-8")
    servers = " ".join(rf"server {origin.removeprefix('http://')}\1;" for origin in replicas)
    replacements = {
        _REPLICAS.pattern: servers,
        r"listen 8080;": f"listen {HOST}:{port};",
        r"error_log stderr warn;": "error_log stderr notice;",
        r" /tmp/": f" {folder}/",
    }
    for what, by in replacements.items():
        text, found = re.subn(what, by, text)
        assert found, f"{CONFIGURATION.name} has no {what}"
    return text


@asynccontextmanager
async def balancing(*replicas: str) -> AsyncIterator[str]:
    """The address of an nginx before these; it has to end well and without complaints."""
    require("nginx")
    with TemporaryDirectory(prefix="nginx-") as name:
        folder, port = Path(name), closed_port()
        file = folder / "nginx.conf"
        file.write_text(configuration(replicas, port, folder), encoding="utf-8")
        process = await _start(file)
        log = asyncio.create_task(_rest(process))
        try:
            yield f"http://{HOST}:{port}"
            process.send_signal(signal.SIGQUIT)
            assert await asyncio.wait_for(process.wait(), PATIENCE_S) == 0
        finally:
            if process.returncode is None:
                # Never killed: its workers would live on without it.
                process.terminate()
                await process.wait()
            said = await log
    assert [line for line in said if _COMPLAINT.search(line)] == []


async def _start(file: Path) -> asyncio.subprocess.Process:
    """Come back once it takes connections, which it says in its log."""
    process = await asyncio.create_subprocess_exec(
        *(shutil.which("nginx") or "nginx", "-c", str(file), "-g", "daemon off;"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    async with asyncio.timeout(PATIENCE_S):
        said = b""
        while line := await process.stderr.readline():
            said += line
            if _READY.encode() in line:
                return process
    raise AssertionError(f"nginx did not start: {said.decode(errors='replace')}")


async def _rest(process: asyncio.subprocess.Process) -> list[str]:
    """What it says from now on until its end."""
    assert process.stderr is not None
    return [line.decode(errors="replace") async for line in process.stderr]
