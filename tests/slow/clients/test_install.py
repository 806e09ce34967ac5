"""The product as a stranger gets it: a wheel in a fresh environment, with locked and with the newest dependencies."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dowse import __version__
from tests.clients.packaging import MACHINE, ROOT, UV, uv
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.stdio import BareServer, serving

SCRIPTS = ["dowse", "kindly-web-search-mcp-server", "kindly-web-search", "mcp-web-search"]
DROP_INS = [
    ("kindly-web-search-mcp-server", "start-mcp-server", "--context", "codex"),
    ("kindly-web-search",),
    ("mcp-web-search", "--stdio"),
]
MOST_DISTRIBUTIONS = 60
MOST_BYTES = 150_000_000
# Runs the files of the scripts one after the other, in one process, since it is its start that takes time.
SAY = """
import contextlib, io, json, runpy, sys

def said(script, flag):
    sys.argv = [script, flag]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            runpy.run_path(script, run_name="__main__")
            code = None
        except SystemExit as end:
            code = end.code
    return code, errors.getvalue(), out.getvalue()

print(json.dumps([[said(script, flag) for flag in ("--version", "--help")] for script in sys.argv[1:]]))
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment with the wheel in it."""

    place: Path

    @property
    def python(self) -> Path:
        return self.place / "bin" / "python"

    def command(self, name: str, *arguments: str) -> list[str]:
        return [str(self.place / "bin" / name), *arguments]

    @property
    def packages(self) -> Path:
        (found,) = self.place.glob("lib/python3.*/site-packages")
        return found


DEPENDENCIES = {
    "locked": ("--constraint", str(ROOT / "requirements" / "run.txt")),
    "newest": ("--upgrade", "--resolution", "highest"),
}


@pytest.fixture(scope="module", params=DEPENDENCIES)
def installed(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    made = Installed(tmp_path_factory.mktemp("installed") / request.param)
    uv("venv", "--quiet", "--python", sys.executable, made.place)
    uv("pip", "install", "--quiet", "--python", made.python, *DEPENDENCIES[request.param], wheel)
    return made


async def greeted(bare: BareServer) -> tuple[str, str]:
    """Its name and version, of a server that lists its tools and ends well."""
    tools = (await bare.ask("tools/list"))["result"]["tools"]
    await bare.end()
    assert [tool["name"] for tool in tools][:2] == ["web_search", "get_content"]
    assert bare.process.returncode == 0
    info = json.loads(bare.lines[0])["result"]["serverInfo"]
    return info["name"], info["version"]


@pytest.mark.promise("case-59")
@pytest.mark.parametrize("command", DROP_INS, ids=lambda command: command[0])
async def test_a_fresh_install_answers_initialize_and_lists_its_tools_in_place_of(
    installed: Installed, server: Server, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Acceptance case 59 with the newest dependencies; the locked ones must do as well."""
    async with serving(server.environment({}), tmp_path / "log", installed.command(*command)) as bare:
        assert await greeted(bare) == ("kindly-web-search", __version__)


@pytest.mark.promise("case-59")
async def test_a_fresh_install_answers_initialize_searches_reads_and_lists_its_tools(
    installed: Installed, server: Server, web: PocketWeb, tmp_path: Path
) -> None:
    """Acceptance case 59, for the server under its own name."""
    environment = server.environment(web.environment("serper"))
    async with serving(environment, tmp_path / "log", installed.command("dowse", "serve")) as bare:
        answer = await bare.call("web_search", query="python 3.15 release", num_results=1)
        assert await greeted(bare) == ("dowse", __version__)
    (found,) = answer["result"]["structuredContent"]["results"]
    assert (found["status"], "## Imports that wait until they are needed" in found["page_content"]) == ("ok", True)


@pytest.fixture(scope="module")
def sayings(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """How each script ends and what it says, asked for its version and for help."""
    files = [file for script in SCRIPTS for file in installed.command(script)]
    environment = Server(tmp_path_factory.mktemp("home")).environment({})
    command = [str(installed.python), "-c", SAY, *files]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    return dict(zip(SCRIPTS, json.loads(run.stdout), strict=True))


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_console_script_tells_its_version_and_helps(sayings: dict[str, Any], script: str) -> None:
    version, usage = sayings[script]
    assert version == [0, "", f"dowse {__version__}\n"]
    assert usage[:2] == [0, ""]
    assert usage[2].startswith("usage: ")


def test_the_demo_works_in_an_empty_directory_with_an_empty_home(installed: Installed, tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    command = installed.command("dowse", "demo")
    run = subprocess.run(command, env=environment, cwd=here, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert "attempt: serper -> unavailable" in run.stdout
    assert "engine: tavily" in run.stdout
    assert "[mcp_servers.dowse]" in run.stdout
    assert list(here.iterdir()) == []


def test_the_install_stays_small(installed: Installed) -> None:
    distributions = json.loads(uv("pip", "list", "--quiet", "--format", "json", "--python", installed.python))
    files = [path for path in installed.packages.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert len(distributions) <= MOST_DISTRIBUTIONS, distributions
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES


@pytest.mark.promise("case-50")
async def test_uvx_from_a_clone_starts_the_drop_in_server(tmp_path: Path) -> None:
    """Acceptance case 50. The machine's own home, because uv keeps its cache there."""
    await asyncio.to_thread(uv, "pip", "compile", "--quiet", "pyproject.toml")  # skips where there is no registry
    settings = ("DOWSE_", "SERPER_", "EXA_", "TAVILY_", "SEARXNG_", "KINDLY_", "LOG_LEVEL")
    environment = {name: value for name, value in MACHINE.items() if not name.startswith(settings)}
    # dowse itself is built anew: uv would otherwise take a build it has made of an older state of this clone.
    command = [str(UV.with_name("uvx")), "--quiet", "--python", sys.executable, "--reinstall-package", "dowse"]
    command += ["--from", str(ROOT), "kindly-web-search-mcp-server", "start-mcp-server", "--context", "codex"]
    async with serving(environment, tmp_path / "log", command) as bare:
        listed = await bare.ask("tools/list")
    assert json.loads(bare.lines[0])["result"]["serverInfo"]["name"] == "kindly-web-search"
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["web_search", "get_content"]
