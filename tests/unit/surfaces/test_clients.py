"""What each MCP client is given: valid in its language, and the same command everywhere."""

import json
import shlex
import tomllib
from typing import Any

from dowse.surfaces.clients import FURTHER, MAIN, Client, LaunchCommand, Remote
from tests.support.tables import each_row

LAUNCH = LaunchCommand(
    "uvx", ("--from", "git+https://host/r epo", "dowse", "serve"), {"SERPER_API_KEY": 'k"1', "UV_X": "1"}
)
ENTRY = {"command": LAUNCH.command, "args": list(LAUNCH.args), "env": LAUNCH.env}
ALL = {client.title: client for client in (*MAIN, *FURTHER)}


def parsed(title: str) -> Any:
    client = ALL[title]
    text = client.render(LAUNCH)
    return tomllib.loads(text) if client.language == "toml" else json.loads(text)


@each_row("client", ALL.values())
def test_every_entry_starts_the_server_with_its_key(client: Client) -> None:
    text = client.render(LAUNCH)
    for word in ("dowse", "uvx", "serve", "SERPER_API_KEY"):
        assert word in text
    assert client.where


@each_row("title", ["Gemini CLI", "Cursor", "Claude Desktop", "Windsurf", "JetBrains AI Assistant", "LM Studio"])
def test_most_clients_share_one_shape(title: str) -> None:
    assert parsed(title) == {"mcpServers": {"dowse": ENTRY}}


def test_codex_has_time_for_the_first_start() -> None:
    assert parsed("Codex") == {"mcp_servers": {"dowse": {**ENTRY, "startup_timeout_sec": 60}}}


def test_vs_code_asks_for_the_key_instead_of_storing_it() -> None:
    assert parsed("VS Code / Copilot") == {
        "inputs": [{"type": "promptString", "id": "SERPER_API_KEY", "description": "SERPER_API_KEY", "password": True}],
        "servers": {
            "dowse": {**ENTRY, "type": "stdio", "env": {"SERPER_API_KEY": "${input:SERPER_API_KEY}", "UV_X": "1"}}
        },
    }


def test_opencode_and_zed_have_their_own_words() -> None:
    command = [LAUNCH.command, *LAUNCH.args]
    assert parsed("opencode") == {
        "mcp": {"dowse": {"type": "local", "command": command, "environment": LAUNCH.env, "enabled": True}}
    }
    assert parsed("Zed") == {"context_servers": {"dowse": ENTRY}}


def test_claude_code_is_one_command_that_survives_a_shell() -> None:
    words = shlex.split(ALL["Claude Code"].render(LAUNCH))
    assert words == [
        "claude", "mcp", "add", "dowse", "-e", 'SERPER_API_KEY=k"1', "-e", "UV_X=1", "--", LAUNCH.command, *LAUNCH.args,
    ]  # fmt: skip


def test_goose_is_yaml() -> None:
    assert ALL["Goose"].render(LAUNCH).splitlines() == [
        "extensions:",
        "  dowse:",
        "    enabled: true",
        "    type: stdio",
        "    name: dowse",
        "    cmd: uvx",
        f"    args: {json.dumps(list(LAUNCH.args))}",
        f"    envs: {json.dumps(LAUNCH.env)}",
        "    timeout: 300",
    ]


def test_no_default_holds_a_real_key_or_an_address() -> None:
    launch = LaunchCommand()
    assert launch.env["SERPER_API_KEY"] == "your-key"
    assert "<repo>" in " ".join(launch.args)


REMOTE = Remote("http://127.0.0.1:8000/mcp", "tok-123", "TEAM_TOKEN")
AUTHORIZATION = {"Authorization": "Bearer tok-123"}
CONNECTED: dict[str, object] = {
    "Codex": {"mcp_servers": {"dowse": {"url": REMOTE.url, "bearer_token_env_var": "TEAM_TOKEN"}}},
    "Gemini CLI": {"mcpServers": {"dowse": {"type": "http", "url": REMOTE.url, "headers": AUTHORIZATION}}},
    "Cursor": {"mcpServers": {"dowse": {"url": REMOTE.url, "headers": AUTHORIZATION}}},
    "LM Studio": {"mcpServers": {"dowse": {"url": REMOTE.url, "headers": AUTHORIZATION}}},
    "Windsurf": {"mcpServers": {"dowse": {"serverUrl": REMOTE.url, "headers": AUTHORIZATION}}},
    "Zed": {"context_servers": {"dowse": {"url": REMOTE.url, "headers": AUTHORIZATION}}},
    "opencode": {"mcp": {"dowse": {"type": "remote", "url": REMOTE.url, "headers": AUTHORIZATION, "enabled": True}}},
    "VS Code / Copilot": {
        "inputs": [{"type": "promptString", "id": "TEAM_TOKEN", "description": "TEAM_TOKEN", "password": True}],
        "servers": {
            "dowse": {
                "type": "http",
                "url": REMOTE.url,
                "headers": {"Authorization": "Bearer ${input:TEAM_TOKEN}"},
            }
        },
    },
}


@each_row("title", CONNECTED)
def test_a_server_over_http_is_entered_with_its_token(title: str) -> None:
    client = ALL[title]
    assert client.connect
    text = client.connect(REMOTE)
    assert (tomllib.loads(text) if client.language == "toml" else json.loads(text)) == CONNECTED[title]


def test_claude_code_adds_a_server_over_http_by_one_command() -> None:
    connect = ALL["Claude Code"].connect
    assert connect
    assert shlex.split(connect(REMOTE)) == [
        *("claude", "mcp", "add", "--transport", "http", "dowse", REMOTE.url),
        *("--header", "Authorization: Bearer tok-123"),
    ]


def test_lists_of_words_stay_on_one_line() -> None:
    assert '"args": ["--from", "git+<repo>", "dowse", "serve"],' in ALL["Cursor"].render(LaunchCommand())
