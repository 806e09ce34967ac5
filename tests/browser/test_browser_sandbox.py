"""Chromium's own sandbox: on for a user, impossible for root."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from dowse.core.runtime import SystemClock
from dowse.fetch.browser.launch import Launcher
from dowse.fetch.browser.pool import BrowserPool
from tests import realparts
from tests.browser.answering import answering, title
from tests.processes import chromiums

ROOT = Path(__file__).parent.parent.parent
NOBODY = 65534


@pytest.fixture(autouse=True)
def chromium() -> None:
    realparts.require("chromium")


def interpreter_for(user: int) -> str:
    """A Python of our version that this user may execute: ours may lie in the home of root."""
    code = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    for each in (sys.executable, shutil.which("python3", path="/usr/bin:/usr/local/bin")):
        try:
            if each and subprocess.run([each, "-c", code], user=user, cwd="/").returncode == 0:
                return each
        except PermissionError:
            continue
    return realparts.missing("no Python of this version can be executed by another user")


@pytest.mark.promise("case-54")
def test_a_page_of_a_user_is_read_inside_the_sandbox() -> None:
    """Acceptance case 54: the sandbox is on wherever it can be."""
    user = NOBODY if os.geteuid() == 0 else os.geteuid()
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), sysconfig.get_path("purelib")])
    run = subprocess.run(
        [interpreter_for(user), "-m", "tests.browser.sandboxed"],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        user=user,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    # 2: a filter decides which calls of the system are left to it.
    assert set(told.pop("seccomp")) == {"2"}
    assert told == {"title": "read", "left": []}


@pytest.mark.promise("case-54")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to do without")
async def test_root_reads_without_it(caplog: pytest.LogCaptureFixture) -> None:
    """Acceptance case 54: as root the flag is added, whatever the settings say, and the log tells."""
    clock = SystemClock()
    pool = BrowserPool(Launcher(clock, sandbox="on"), clock)
    async with answering() as proxy, pool.tab(proxy, 60) as tab:
        assert await title(tab.session) == "read"
        assert any("--no-sandbox" in process.command for process in chromiums())
    await pool.close()
    assert "browser runs without its sandbox" in [record.getMessage() for record in caplog.records]
