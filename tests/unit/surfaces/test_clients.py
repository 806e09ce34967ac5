"""What each MCP client is given: valid in its language, and the same command everywhere."""

import json
import shlex
import tomllib
from typing import Any

from dowse.surfaces.clients import FURTHER, MAIN, Installation, KnownClient, LaunchCommand, Remote, read_installation
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
def test_every_entry_starts_the_server_with_its_key(client: KnownClient) -> None:
    text = client.render(LAUNCH)
    for word in ("dowse", "uvx", "serve", "SERPER_API_KEY"):
        assert word in text
    assert client.where


@each_row("title", ["Gemini CLI", "Cursor", "Claude Desktop", "Windsurf", "JetBrains AI Assistant", "LM Studio"])
def test_most_clients_share_one_shape(title: str) -> None:
    assert parsed(title) == {"mcpServers": {"dowse": ENTRY}}


def test_codex_has_a_table_of_its_own() -> None:
    assert parsed("Codex") == {"mcp_servers": {"dowse": ENTRY}}


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


def test_claude_code_is_one_command_for_every_project_that_survives_a_shell() -> None:
    words = shlex.split(ALL["Claude Code"].render(LAUNCH))
    assert words == [
        *("claude", "mcp", "add", "-s", "user", "dowse", "-e", 'SERPER_API_KEY=k"1', "-e", "UV_X=1"),
        *("--", LAUNCH.command, *LAUNCH.args),
    ]


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


def test_the_default_is_the_installed_command_without_a_real_key() -> None:
    assert LaunchCommand() == LaunchCommand("dowse", ("serve",), {"SERPER_API_KEY": "your-key"})


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
        *("claude", "mcp", "add", "-s", "user", "--transport", "http", "dowse", REMOTE.url),
        *("--header", "Authorization: Bearer tok-123"),
    ]


def test_lists_of_words_stay_on_one_line() -> None:
    assert '"args": ["--from", "git+https://host/r epo", "dowse", "serve"],' in ALL["Cursor"].render(LAUNCH)


INSTALLED_FROM = [
    ("https://host/team/dowse.git", "git+https://host/team/dowse.git"),
    ("https://ana:secret-1@host:8443/dowse?private_token=secret-2", "git+https://host:8443/dowse"),
    ("https://secret-3@host/dowse", "git+https://host/dowse"),
    ("ssh://git:secret-4@host/dowse.git", "git+ssh://git@host/dowse.git"),
    ("git@host:team/dowse.git", "git+ssh://git@host/team/dowse.git"),
    ("/srv/my dowse.git", "git+file:///srv/my%20dowse.git"),
    ("file:///srv/dowse.git", "git+file:///srv/dowse.git"),
    ("../dowse", ""),
    ("./team:x/dowse", ""),
    ("", ""),
]


@each_row("origin,source", INSTALLED_FROM)
def test_the_source_is_an_address_that_uv_takes_without_any_secret(origin: str, source: str) -> None:
    record = json.dumps({"url": origin, "vcs_info": {"vcs": "git", "commit_id": "0" * 40}})
    assert read_installation(record) == Installation(is_clone=False, source=source)


@each_row("record", [{}, {"url": "file:///tmp/dowse-0.1.0.whl", "archive_info": {}}])
def test_a_wheel_has_no_source(record: dict[str, object]) -> None:
    assert read_installation(json.dumps(record)) == Installation(is_clone=False, source="")
