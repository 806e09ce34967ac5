"""The lines of docs/scaling.md, pasted one after the other, with Docker replaced by processes of this machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from tests import realparts
from tests.conftest import Server
from tests.http import call, call_headers
from tests.security.cage.namespace import LOOPBACK, unavailable
from tests.test_docs import ROOT, fenced

PAGE = ROOT / "docs" / "scaling.md"
# Nothing outside is reached, and all that was started ends with the first process.
ALONE = ("unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c")
COPIED = ("compose.yaml", "Dockerfile", ".env.example")
ASKED = json.dumps(call("get_content", {"url": "ftp://example.org/"}))


def ask(token: str) -> str:
    """A call through the balancer, which prints its answer."""
    headers = {**call_headers("get_content"), "Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    given = " ".join(f'-H "{name}: {value}"' for name, value in headers.items())
    return f"curl --silent --show-error {given} -d '{ASKED}' http://127.0.0.1:8000/mcp"


def test_the_lines_about_compose_work_when_they_are_pasted(tmp_path: Path, server: Server) -> None:
    realparts.require("nginx")
    if reason := unavailable():
        realparts.missing(reason)
    for name in COPIED:
        shutil.copy(ROOT / name, tmp_path / name)
    state = tmp_path / "state"
    tools = tmp_path / "tools"
    for folder in (state, tools):
        folder.mkdir()
    docker = tools / "docker"
    # What it starts goes on without it, about which Python would warn.
    python = f"PYTHONPATH={ROOT} exec {sys.executable} -W ignore::ResourceWarning"
    docker.write_text(f'#!/bin/sh\n{python} -m tests.slow.clients.docker_double "$@"\n')
    docker.chmod(0o755)
    pasted = [block for block in fenced(PAGE, "sh") if "docker" in block]
    assert len(pasted) == 3
    lines = "\n".join([*pasted, "docker compose ps --quiet dowse", ask("$token"), "echo", ask("another")])
    environment = server.environment({"DOCKER_DOUBLE": str(state)})
    environment["PATH"] = f"{tools}:{environment['PATH']}"
    ran = subprocess.run(
        [*ALONE, f'{LOOPBACK} && bash -ec "$0"', lines],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    ready, *printed = [line for line in ran.stdout.splitlines() if line]
    assert ready == "ready"
    # As many as before the new version, and none of the old ones.
    assert [line for line in printed if line.startswith("id-")][-5:] == [f"id-{port}" for port in range(8106, 8111)]
    admitted, refused = map(json.loads, printed[-2:])
    assert "result" in admitted
    assert set(refused) == {"error"}
