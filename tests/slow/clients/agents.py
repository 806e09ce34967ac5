"""Coding agents of other makers, which `npm ci` installs in this folder: their commands, settings and entries."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dowse.surfaces.clients import MAIN, LaunchCommand
from tests.clients.inspector import NODE
from tests.realparts import missing
from tests.slow.clients.session import MODEL_URL

PACKAGES = Path(__file__).with_name("node_modules")
PROMPT = "Search the web, then read the page."
_ENTRIES = {client.title: client.render for client in MAIN}
_MACHINE = f"{sys.platform}-{ {'x86_64': 'x64', 'aarch64': 'arm64'}.get(platform.machine(), platform.machine()) }"
# The package's own command is a copy of this file, made by a script that is not run here.
CLAUDE = PACKAGES / f"@anthropic-ai/claude-code-{_MACHINE}/claude"
CODEX = PACKAGES / "@openai/codex/bin/codex.js"
GEMINI = PACKAGES / "@google/gemini-cli/bundle/gemini.js"

_CODEX_MODEL = f"""\
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
[model_providers.scripted]
name = "scripted"
base_url = "{MODEL_URL}/v1"
wire_api = "responses"
env_key = "MODEL_KEY"
"""
_GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
}


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent: its program, and how a home is prepared for it, which returns the command to run."""

    program: Path
    prepare: Callable[[Path, LaunchCommand], list[str]]


def environment(home: Path) -> dict[str, str]:
    """Variables for all agents: the scripted model instead of theirs, and nothing to report home."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "PATH": f"{NODE.parent}:{os.environ['PATH']}",
        "HOME": str(home),
        "ANTHROPIC_BASE_URL": MODEL_URL,
        "ANTHROPIC_API_KEY": "no-key",
        # Otherwise the tools of servers are not offered before the model has looked for them.
        "ENABLE_TOOL_SEARCH": "false",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "MODEL_KEY": "no-key",
        "GOOGLE_GEMINI_BASE_URL": MODEL_URL,
        "GEMINI_API_KEY": "no-key",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def require(agent: Path) -> None:
    """Go on only if the program is there."""
    if not agent.exists() or not NODE.exists():
        missing("The coding agents are missing; `make test-slow` installs them (npm ci in tests/slow/clients).")


def _claude_code(home: Path, launch: LaunchCommand) -> list[str]:
    command = _ENTRIES["Claude Code"](launch).replace("claude", str(CLAUDE), 1)
    subprocess.run(command, shell=True, check=True, env=environment(home), cwd=home, capture_output=True, timeout=60)
    return [str(CLAUDE), "-p", PROMPT, "--allowedTools", "mcp__dowse"]


def _codex(home: Path, launch: LaunchCommand) -> list[str]:
    entry = _ENTRIES["Codex"](launch) + '\nrequired = true\ndefault_tools_approval_mode = "approve"\n'
    _write(home / ".codex/config.toml", _CODEX_MODEL + entry)
    return [str(NODE), str(CODEX), "exec", "--skip-git-repo-check", PROMPT]


def _gemini_cli(home: Path, launch: LaunchCommand) -> list[str]:
    entry: Mapping[str, object] = json.loads(_ENTRIES["Gemini CLI"](launch))
    _write(home / ".gemini/settings.json", json.dumps({**_GEMINI_SETTINGS, **entry}))
    return [str(NODE), str(GEMINI), "--yolo", "--model", "gemini-2.5-flash", "--prompt", PROMPT]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")


AGENTS = {
    "Claude Code": Agent(CLAUDE, _claude_code),
    "Codex": Agent(CODEX, _codex),
    "Gemini CLI": Agent(GEMINI, _gemini_cli),
}
