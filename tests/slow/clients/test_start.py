"""The first minutes of a newcomer: a clone, an empty home, and the lines of the documentation, pasted as they are."""

from __future__ import annotations

import asyncio
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from dowse import __version__
from tests import realparts
from tests.clients.packaging import MACHINE, ROOT, UV, uv
from tests.doubles import PocketWeb
from tests.security.cage.namespace import unavailable
from tests.slow.clients import agents
from tests.slow.clients.session import WEB_PORT, run_session
from tests.test_docs import README, THREE_LINES, fenced

COMMANDS = ["dowse", "kindly-web-search", "kindly-web-search-mcp-server", "mcp-web-search"]
ANSWER = "Python 3.15 imports a module when it is first needed, if the import says `lazy`."
SEARCH = ("web_search", {"query": "python 3.15 release highlights", "num_results": 1})
# The rest of the machine is kept: how it reaches a registry, and through which proxy.
_LEFT_OUT = ("DOWSE_", "SERPER_", "EXA_", "TAVILY_", "SEARXNG_", "XDG_", "MAKE", "MFLAGS", "VENV", "VIRTUAL_ENV")


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A clone, a home with nothing in it, and a shell without any Python environment of ours."""

    clone: Path
    home: Path
    environment: dict[str, str]

    def paste(self, lines: str, **settings: str) -> str:
        """Run lines one after the other as a shell does, and return all that is printed."""
        run = subprocess.run(
            ["bash", "-ec", lines],
            cwd=self.clone,
            env={**self.environment, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, run.stdout
        return run.stdout

    @property
    def commands(self) -> list[str]:
        return sorted(path.name for path in (self.home / ".local/bin").glob("*"))


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    agents.require(agents.CLAUDE)
    uv("pip", "compile", "--quiet", "pyproject.toml")  # skips where there is no registry
    place = tmp_path_factory.mktemp("newcomer")
    home, clone, tools = place / "home", place / "dowse", place / "tools"
    home.mkdir()
    tools.mkdir()
    (tools / "claude").symlink_to(agents.CLAUDE)
    subprocess.run(["git", "clone", "--quiet", ROOT.as_uri(), clone], check=True)
    environment = {name: value for name, value in MACHINE.items() if not name.startswith(_LEFT_OUT)}
    path = [folder for folder in MACHINE["PATH"].split(os.pathsep) if Path(folder) != UV.parent]
    # Packages are downloaded once on this machine, not once in every home.
    cache = MACHINE.get("UV_CACHE_DIR") or subprocess.check_output([UV, "cache", "dir"], env=MACHINE, text=True).strip()
    environment |= {"HOME": str(home), "PATH": os.pathsep.join([str(tools), *path]), "UV_CACHE_DIR": cache}
    return Newcomer(clone, home, environment)


async def test_the_30_second_block_of_the_readme_works_when_pasted(newcomer: Newcomer, web: PocketWeb) -> None:
    block = fenced(README, "sh")[0]
    assert block.startswith("make install\n")
    printed = await asyncio.to_thread(newcomer.paste, block, **web.environment(), DOWSE_BROWSER="off")
    assert f"dowse {__version__} is installed: {newcomer.home}/.local/bin/dowse\n" in printed
    assert f'\n  export PATH="{newcomer.home}/.local/bin:$PATH"\n' in printed
    assert "tavily_keyless" in printed
    assert "Python 3.15: what changes for your code" in printed


def test_three_pasted_lines_lead_from_a_clone_to_a_search_in_claude_code(newcomer: Newcomer) -> None:
    """The transcript in docs/clients.md is what they print."""
    if reason := unavailable():
        realparts.missing(reason)
    install, add, ask = THREE_LINES.splitlines()
    printed = [newcomer.paste(install), newcomer.paste(add)]
    settings = {**agents.environment(newcomer.home), **newcomer.environment, "DOWSE_BROWSER": "off"}
    settings |= PocketWeb(port=WEB_PORT).environment()
    command = ["bash", "-c", f'cd "$0" && {ask}', str(newcomer.clone)]
    session = run_session(command, [SEARCH], settings, newcomer.home, answer=ANSWER)
    assert session.code == 0, session.said
    (received,) = session.received
    assert "found by tavily_keyless" in received
    assert "<<< untrusted page 1 " in received
    printed.append(session.said)
    shown = "".join(f"$ {line}\n{said}" for line, said in zip((install, add, ask), printed, strict=True))
    shown = shown.replace(str(newcomer.home), "/home/you").replace(f"dowse {__version__}", "dowse 0.1.0")
    assert shown in fenced(ROOT / "docs" / "clients.md", "console")


def test_the_installed_command_needs_no_clone_and_is_uninstalled_with_everything_else(newcomer: Newcomer) -> None:
    newcomer.paste("make install")
    assert newcomer.commands == COMMANDS
    moved = newcomer.clone.rename(newcomer.clone.with_name("moved"))
    here = Newcomer(newcomer.home, newcomer.home, newcomer.environment)
    assert here.paste('for name in .local/bin/*; do "$name" --version; done') == f"dowse {__version__}\n" * 4
    moved.rename(newcomer.clone)
    newcomer.paste("make uninstall")
    assert newcomer.commands == []
    assert not (newcomer.home / ".local/share/dowse").exists()


def test_the_program_of_another_maker_is_not_overwritten(newcomer: Newcomer, tmp_path: Path) -> None:
    other = tmp_path / "bin" / "mcp-web-search"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    elsewhere = {"HOME": str(tmp_path), "XDG_BIN_HOME": str(other.parent), "XDG_DATA_HOME": str(tmp_path / "data")}
    with pytest.raises(AssertionError, match=f"{other} is another program"):
        newcomer.paste("make install", **elsewhere)
    newcomer.paste("make uninstall", **elsewhere)
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]
    assert list(other.parent.iterdir()) == [other]
