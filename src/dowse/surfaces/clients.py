"""Configurations of MCP clients: one table, used by the demo and by the docs."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

# `git@host:team/dowse.git`, as scp has it.
_SCP = re.compile(r"(?P<host>[^/:]+):/*(?P<path>.+)")
_LIST_OF_WORDS = re.compile(r"\[\n\s+([^\[\]{}]+)\n\s+\]")


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """Command line with which a client starts the installed server."""

    command: str = "dowse"
    args: tuple[str, ...] = ("serve",)
    env: dict[str, str] = field(default_factory=lambda: {"SERPER_API_KEY": "your-key"})


@dataclass(frozen=True, slots=True)
class Remote:
    """A server that runs already, and the variable in which a client finds its token, where it can."""

    url: str = "https://search.example.org/mcp"
    token: str = "your-token"
    variable: str = "SEARCH_TOKEN"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@dataclass(frozen=True, slots=True)
class KnownClient:
    """A client: where its configuration lives, in which language, and how an entry looks.

    `connect` is the entry for a server over HTTP, for clients that are known to take a token.
    """

    title: str
    where: str
    language: str
    render: Callable[[LaunchCommand], str]
    connect: Callable[[Remote], str] | None = None


def _entry(launch: LaunchCommand, **extra: object) -> dict[str, object]:
    return {**extra, "command": launch.command, "args": list(launch.args), "env": launch.env}


def _json(value: object) -> str:
    """Indented, but a list of words stays on its line, as people write it."""

    def on_one_line(found: re.Match[str]) -> str:
        return f"[{' '.join(map(str.strip, found[1].splitlines()))}]"

    return _LIST_OF_WORDS.sub(on_one_line, json.dumps(value, indent=2))


def _servers(launch: LaunchCommand) -> str:
    return _json({"mcpServers": {"dowse": _entry(launch)}})


def _codex(launch: LaunchCommand) -> str:
    env = ", ".join(f"{name} = {json.dumps(value)}" for name, value in launch.env.items())
    lines = [
        "[mcp_servers.dowse]",
        f"command = {json.dumps(launch.command)}",
        f"args = {json.dumps(list(launch.args))}",
        f"env = {{ {env} }}",
    ]
    return "\n".join(lines)


def _claude_code(launch: LaunchCommand) -> str:
    env = [part for name, value in launch.env.items() for part in ("-e", f"{name}={value}")]
    return shlex.join(["claude", "mcp", "add", "-s", "user", "dowse", *env, "--", launch.command, *launch.args])


def _vs_code(launch: LaunchCommand) -> str:
    keys = [name for name in launch.env if name.endswith("_KEY")]
    inputs = [{"type": "promptString", "id": name, "description": name, "password": True} for name in keys]
    env = {name: f"${{input:{name}}}" if name in keys else value for name, value in launch.env.items()}
    asked = LaunchCommand(launch.command, launch.args, env)
    return _json({"inputs": inputs, "servers": {"dowse": _entry(asked, type="stdio")}})


def _opencode(launch: LaunchCommand) -> str:
    command = [launch.command, *launch.args]
    entry = {"type": "local", "command": command, "environment": launch.env, "enabled": True}
    return _json({"mcp": {"dowse": entry}})


def _remote_servers(remote: Remote) -> str:
    return _json({"mcpServers": {"dowse": {"url": remote.url, "headers": remote.headers}}})


def _remote_codex(remote: Remote) -> str:
    lines = ["[mcp_servers.dowse]", f"url = {json.dumps(remote.url)}"]
    return "\n".join([*lines, f"bearer_token_env_var = {json.dumps(remote.variable)}"])


def _remote_claude_code(remote: Remote) -> str:
    header = f"Authorization: {remote.headers['Authorization']}"
    added = ["claude", "mcp", "add", "-s", "user", "--transport", "http", "dowse", remote.url]
    return shlex.join([*added, "--header", header])


def _remote_gemini(remote: Remote) -> str:
    entry = {"type": "http", "url": remote.url, "headers": remote.headers}
    return _json({"mcpServers": {"dowse": entry}})


def _remote_vs_code(remote: Remote) -> str:
    asked = {"type": "promptString", "id": remote.variable, "description": remote.variable, "password": True}
    headers = {"Authorization": f"Bearer ${{input:{remote.variable}}}"}
    return _json({"inputs": [asked], "servers": {"dowse": {"type": "http", "url": remote.url, "headers": headers}}})


def _remote_opencode(remote: Remote) -> str:
    entry = {"type": "remote", "url": remote.url, "headers": remote.headers, "enabled": True}
    return _json({"mcp": {"dowse": entry}})


def _remote_windsurf(remote: Remote) -> str:
    return _json({"mcpServers": {"dowse": {"serverUrl": remote.url, "headers": remote.headers}}})


def _remote_zed(remote: Remote) -> str:
    return _json({"context_servers": {"dowse": {"url": remote.url, "headers": remote.headers}}})


def _zed(launch: LaunchCommand) -> str:
    return _json({"context_servers": {"dowse": _entry(launch)}})


def _goose(launch: LaunchCommand) -> str:
    lines = ["extensions:", "  dowse:", "    enabled: true", "    type: stdio", "    name: dowse"]
    lines += [f"    cmd: {launch.command}", f"    args: {json.dumps(list(launch.args))}"]
    return "\n".join([*lines, f"    envs: {json.dumps(launch.env)}", "    timeout: 300"])


MAIN = (
    KnownClient("Codex", "~/.codex/config.toml", "toml", _codex, _remote_codex),
    KnownClient("Claude Code", "a shell", "sh", _claude_code, _remote_claude_code),
    KnownClient("Gemini CLI", "~/.gemini/settings.json", "json", _servers, _remote_gemini),
    KnownClient("Cursor", "~/.cursor/mcp.json", "json", _servers, _remote_servers),
    KnownClient("Claude Desktop", "claude_desktop_config.json", "json", _servers),
    KnownClient("VS Code / Copilot", ".vscode/mcp.json", "json", _vs_code, _remote_vs_code),
)
FURTHER = (
    KnownClient("opencode", "opencode.json", "json", _opencode, _remote_opencode),
    KnownClient("Windsurf", "~/.codeium/windsurf/mcp_config.json", "json", _servers, _remote_windsurf),
    KnownClient("Zed", "settings.json", "json", _zed, _remote_zed),
    KnownClient("JetBrains AI Assistant", "Settings | Tools | AI Assistant | Model Context Protocol", "json", _servers),
    KnownClient("LM Studio", "mcp.json", "json", _servers, _remote_servers),
    KnownClient("Goose", "~/.config/goose/config.yaml", "yaml", _goose),
)


@dataclass(frozen=True, slots=True)
class Installation:
    """Origin of this copy of dowse: whether it runs from a clone, and the address for `uv tool install`, if known."""

    is_clone: bool
    source: str


def read_installation(record: str) -> Installation:
    """Find the origin in an installer's `direct_url.json` (PEP 610), and for a folder in its git configuration."""
    found = json.loads(record)
    url, folder = found.get("url", ""), found.get("dir_info")
    if folder is not None:
        origin = _clone_origin(Path(unquote(urlsplit(url).path)))
        return Installation(is_clone=folder.get("editable", False), source=_source(origin))
    return Installation(is_clone=False, source=_source(url) if "vcs_info" in found else "")


def _clone_origin(folder: Path) -> str:
    """Address that a clone came from; empty if it has no remote `origin`, or there is no git."""
    # With the directory named, git does not take the origin of a repository around it.
    command = ["git", "--git-dir", str(folder / ".git"), "config", "--get", "remote.origin.url"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _source(origin: str) -> str:
    """Address in the form that pip and uv take, without a password; empty for a relative path."""
    if origin.startswith("/"):
        return f"git+{Path(origin).as_uri()}"
    if "://" not in origin:
        found = _SCP.fullmatch(origin)
        return f"git+ssh://{found['host']}/{found['path']}" if found else ""
    parts = urlsplit(origin)
    user, at, host = parts.netloc.rpartition("@")
    # In https, the user may be a token as well.
    kept = f"{user.partition(':')[0]}{at}" if parts.scheme == "ssh" else ""
    return "git+" + urlunsplit(parts._replace(netloc=kept + host, query="", fragment=""))
