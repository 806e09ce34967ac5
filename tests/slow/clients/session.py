"""Runs a coding agent with the pocket web and a scripted model; meant for a network with nothing but loopback.

`python -m tests.slow.clients.session CALLS ANSWER COMMAND…` prints as JSON what the model was given. The ports are
fixed, so that the agent can be configured before.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from tests.doubles import PocketWeb
from tests.security.cage.namespace import LOOPBACK, run_inside
from tests.slow.clients.scripted_model import Call, ScriptedModel

ROOT = Path(__file__).resolve().parents[3]
WEB_PORT, MODEL_PORT = 8808, 8809
MODEL_URL = f"http://127.0.0.1:{MODEL_PORT}"
_PATIENCE_S = 90


@dataclass(frozen=True, slots=True)
class Session:
    """How the agent ended, what it printed, and the text of each tool result that its model was given."""

    code: int
    said: str
    received: list[str]


def run_session(
    command: Sequence[str],
    calls: Sequence[Call],
    environment: Mapping[str, str],
    folder: Path,
    answer: str = "done",
) -> Session:
    """Run an agent whose model makes these calls and then answers, in a network of its own."""
    settings = {**environment, "PYTHONPATH": str(ROOT)}
    ran = run_inside(
        *(__name__, json.dumps(calls), answer, *command),
        folder=str(folder),
        environment=settings,
        timeout_s=_PATIENCE_S + 30,
        network=LOOPBACK,
    )
    assert ran.returncode == 0, ran.stderr
    return Session(**json.loads(ran.stdout))


async def _run(calls: Sequence[Call], answer: str, command: Sequence[str]) -> Session:
    model = ScriptedModel(calls, answer)
    # The agent starts the server as it is installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    runner = web.AppRunner(model.app, access_log=None, shutdown_timeout=0.05)
    await runner.setup()
    async with PocketWeb(port=WEB_PORT):
        await web.TCPSite(runner, "127.0.0.1", MODEL_PORT).start()
        agent = await asyncio.create_subprocess_exec(
            *command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
        )
        said, _ = await asyncio.wait_for(agent.communicate(), _PATIENCE_S)
    await runner.cleanup()
    assert agent.returncode is not None
    return Session(agent.returncode, said.decode(errors="replace"), model.received)


if __name__ == "__main__":
    found = asyncio.run(_run(json.loads(sys.argv[1]), sys.argv[2], sys.argv[3:]))
    print(json.dumps({"code": found.code, "said": found.said, "received": found.received}))
