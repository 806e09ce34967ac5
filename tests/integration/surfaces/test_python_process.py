"""The Python API in programs: cheap to import, silent at the end, usable in a running loop, interruptible."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from dowse.demo import DemoWeb
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.signals import as_from_a_terminal

QUERY = "harbour bridge"
# Every warning is an error, also those of the interpreter about what was left open.
PYTHON = (sys.executable, "-W", "error")
END_S = 60


async def run(program: str, environment: Mapping[str, str], home: Path) -> tuple[str, str, int]:
    """What a program prints to stdout and to stderr, and its exit code."""
    process = await asyncio.create_subprocess_exec(
        *PYTHON,
        "-c",
        program,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=home,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "DOWSE_BROWSER": "off", **environment},
    )
    out, err = await asyncio.wait_for(process.communicate(), END_S)
    return out.decode(), err.decode(), process.returncode or 0


@pytest.mark.promise("python-one-line")
async def test_one_line_prints_a_search_over_the_web_of_the_demo_and_ends_in_silence(tmp_path: Path) -> None:
    async with DemoWeb() as web:
        program = f"from dowse import Client; print(Client().search({QUERY!r}))"
        out, err, code = await run(program, web.environment(), tmp_path)
    assert (err, code) == ("", 0)
    assert out.startswith(
        f"{QUERY}: 3 results from serper\n\n1. Harbour bridge reopens three weeks early\n   http://127"
    )


async def test_importing_dowse_imports_nothing_else(tmp_path: Path) -> None:
    program = "import sys; known = set(sys.modules); import dowse; print(sorted(set(sys.modules) - known))"
    assert await run(program, {}, tmp_path) == ("['dowse']\n", "", 0)


async def test_the_synchronous_client_works_inside_of_a_running_loop(web: PocketWeb, tmp_path: Path) -> None:
    program = f"""
import asyncio
from dowse import Client

async def cell():
    with Client() as client:
        return client.search({QUERY!r}, fetch_content=False).engine

print(asyncio.run(cell()))
"""
    assert await run(program, web.environment("serper"), tmp_path) == ("serper\n", "", 0)


async def test_a_client_that_is_garbage_ends_its_thread_and_workers(web: PocketWeb, tmp_path: Path) -> None:
    program = """
import gc, threading
from dowse import Client

client = Client()
client.extract("<main><p>An otter weighs about nine kilograms, and swims well.</p></main>")
print([thread.name for thread in threading.enumerate() if thread.name == "dowse"])
del client
gc.collect()
print([thread.name for thread in threading.enumerate() if thread.name == "dowse"])
"""
    assert await run(program, web.environment("serper"), tmp_path) == ("['dowse']\n[]\n", "", 0)


async def test_an_asynchronous_client_is_silent_at_the_end(web: PocketWeb, tmp_path: Path) -> None:
    program = f"""
import asyncio
from dowse import AsyncClient

async def main():
    async with AsyncClient() as client:
        both = await asyncio.gather(client.search({QUERY!r}), client.extract("<p>Otters swim in cold rivers.</p>"))
        print(both[0].engine)

asyncio.run(main())
"""
    assert await run(program, web.environment("serper"), tmp_path) == ("serper\n", "", 0)


async def test_a_failing_provider_is_logged_only_where_the_program_logs(web: PocketWeb, tmp_path: Path) -> None:
    web.serper.fails("500")
    program = f"""
from dowse import Client
from dowse.errors import AllProvidersFailed

try:
    Client().search({QUERY!r})
except AllProvidersFailed as error:
    print(error.attempts[0].outcome)
"""
    environment = {**web.environment("serper"), "DOWSE_KEYLESS": "off"}
    assert await run(program, environment, tmp_path) == ("unavailable\n", "", 0)
    logging = "import logging; logging.basicConfig(format='%(name)s %(message)s')"
    out, err, code = await run(f"{logging}\n{program}", environment, tmp_path)
    assert (out, code) == ("unavailable\n", 0)
    assert set(err.splitlines()) == {"dowse attempt failed"}


async def test_without_file_descriptors_the_caller_is_told_and_does_not_hang(tmp_path: Path) -> None:
    program = """
import os, resource, threading
from dowse import Client
from dowse.surfaces.python import background

threading.excepthook = lambda _: None
client = Client()
last = os.dup(0)
os.close(last)
resource.setrlimit(resource.RLIMIT_NOFILE, (last, last))
try:
    client.rerank("otter", ["An otter."])
except RuntimeError as error:
    print(error)
"""
    # asyncio itself leaves a loop behind that it could not finish, and warns of it.
    out, _, code = await run(program, {"DOWSE_STATE": "memory:"}, tmp_path)
    assert (out, code) == ("the event loop of the client could not be started\n", 0)


async def test_a_fork_is_told_that_the_client_is_not_its_own(web: PocketWeb, tmp_path: Path) -> None:
    program = """
import os, warnings
from dowse import Client

client = Client()
client.rerank("otter", ["An otter."])
warnings.simplefilter("ignore", DeprecationWarning)  # of newer interpreters, about forks of threads
if child := os.fork():
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
else:
    try:
        client.rerank("otter", ["An otter."])
    except RuntimeError as error:
        os._exit(0 if "parent process" in str(error) else 1)
    os._exit(2)
"""
    assert await run(program, web.environment("serper"), tmp_path) == ("0\n", "", 0)


async def test_ctrl_c_ends_a_call_and_leaves_the_client_usable(web: PocketWeb, server: Server, tmp_path: Path) -> None:
    web.pages.fails("/never", "hang")
    program = f"""
from dowse import Client

client = Client()
try:
    client.read({web.page("/never")!r})
except KeyboardInterrupt:
    print(client.extract("<p>Otters swim in cold rivers, and sleep on their backs.</p>").status.value)
"""
    with as_from_a_terminal():
        process = await asyncio.create_subprocess_exec(
            *PYTHON,
            "-c",
            program,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=server.environment(web.environment("serper")),
            cwd=tmp_path,
        )
    await web.pages.arrived(1)
    process.send_signal(signal.SIGINT)
    out, err = await asyncio.wait_for(process.communicate(), END_S)
    assert (out.decode(), err.decode(), process.returncode) == ("ok\n", "", 0)
