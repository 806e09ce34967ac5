"""`dowse serve`: MCP on stdin and stdout for clients, an explanation for people; and the help of every command."""

import gc
import io
import json
import os
import re
import runpy
import sys
from typing import Any

import pytest

from dowse import __version__
from dowse.core.errors import ConfigError
from dowse.surfaces.cli.main import main
from tests.support.command_line import Terminal

Captured = pytest.CaptureFixture[str]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
MESSAGES: list[dict[str, Any]] = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]


class Conversation:
    """Standard streams of a client that says its lines and hangs up once it has both answers."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, terminal: bool = False) -> None:
        reading, self._writing = os.pipe()
        os.write(self._writing, b"".join(json.dumps(message).encode() + b"\n" for message in MESSAGES))
        conversation = self

        class Input(io.TextIOWrapper):
            def isatty(self) -> bool:
                return terminal

        class Output(io.BytesIO):
            def write(self, data: Any) -> int:
                count = super().write(data)
                conversation.heard(self.getvalue())
                return count

        self._input = Input(os.fdopen(reading, "rb"), encoding="utf-8")
        self._output = io.TextIOWrapper(Output(), encoding="utf-8", write_through=True)
        self.answers: list[dict[str, Any]] = []
        monkeypatch.setattr(sys, "stdin", self._input)
        monkeypatch.setattr(sys, "stdout", self._output)

    def heard(self, data: bytes) -> None:
        lines = data.split(b"\n")[:-1]
        if len(lines) == 2 and not self.answers:
            self.answers = [json.loads(line) for line in lines]
            os.close(self._writing)

    def close(self) -> None:
        self._input.close()


def serve_and_hear(monkeypatch: pytest.MonkeyPatch, arguments: list[str], *, terminal: bool = False) -> dict[int, Any]:
    conversation = Conversation(monkeypatch, terminal=terminal)
    assert main(["serve", *arguments]) == 0
    conversation.close()
    return {answer["id"]: answer["result"] for answer in conversation.answers}


@pytest.mark.parametrize("arguments", [[], ["--stdio"], ["--transport", "stdio"]])
def test_it_answers_until_the_client_hangs_up(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    heard = serve_and_hear(monkeypatch, arguments)
    assert heard[1]["serverInfo"] == {"name": "dowse", "title": "dowse", "version": __version__}
    assert [tool["name"] for tool in heard[2]["tools"]] == ["web_search", "get_content", "search_web"]


def test_the_contract_is_a_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = serve_and_hear(monkeypatch, ["--contract", "kindly"])
    assert heard[1]["serverInfo"]["name"] == "kindly-web-search"


@pytest.mark.promise("case-52")
def test_a_person_at_the_terminal_gets_an_explanation_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """Acceptance case 52."""
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert main(["serve"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    for hint in ("started by an MCP client", "dowse search", "MCP_ALLOW_TTY_STDIO=1"):
        assert hint in captured.err


@pytest.mark.promise("case-52")
def test_a_person_who_insists_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Acceptance case 52, the override."""
    monkeypatch.setenv("MCP_ALLOW_TTY_STDIO", "1")
    assert serve_and_hear(monkeypatch, [], terminal=True)[1]["serverInfo"]["name"] == "dowse"


@pytest.mark.parametrize(
    ("arguments", "server"),
    [([], "dowse.surfaces.mcp.server.serve_stdio"), (["--http"], "dowse.surfaces.http.serve.serve_http")],
)
def test_garbage_is_not_looked_for_before_it_serves_nor_later_in_what_was_there_by_then(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], server: str
) -> None:
    seen: list[bool] = []
    before = gc.get_freeze_count()
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr("dowse.app.App", lambda _settings: seen.append(gc.isenabled()))
    monkeypatch.setattr(server, lambda _app: seen.extend([gc.isenabled(), gc.get_freeze_count() > before]) or 0)
    assert main(["serve", *arguments]) == 0
    assert seen == [False, True, True]


def test_a_start_that_fails_leaves_garbage_collection_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_settings: object) -> None:
        raise ConfigError("no")

    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr("dowse.app.App", fail)
    assert main(["serve"]) == 2
    assert gc.isenabled()


def test_an_invalid_setting_stops_the_start_with_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("DOWSE_CONTRACT", "bing")
    assert main(["serve"]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (
        "",
        "dowse: DOWSE_CONTRACT is 'bing', but it takes one of dowse, kindly, jan, swissarmyhammer, answers.\n",
    )


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["serve", "--nonsense"], ["serve", "--stdio", "--transport=stdio"]]
)
def test_wrong_usage_is_exit_code_2_with_the_usage_on_stderr(capsys: Captured, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("usage: dowse")


FLAGS = {
    "search": [
        "query", "--num-results", "--no-content", "--category", "--language", "--safe-search", "--time-range",
        "--start-date", "--end-date", "--site", "--not-site", "--max-tokens", "--timeout", "--offline", "--json",
        "--config", "--log-level",
    ],
    "read": ["url", "--max-tokens", "--cursor", "--offline", "--json", "--config", "--log-level"],
    "answer": ["question", "--max-results", "--freshness-hours", "--region", "--no-summary", "--offline", "--json"],
    "serve": ["--contract", "--stdio", "--transport", "--config", "--log-level"],
    "token": [],
    "cache": [],
    "instances": [],
    "doctor": ["--probe", "--json", "--config", "--log-level"],
    "demo": [],
}  # fmt: skip


@pytest.mark.parametrize("name", FLAGS)
def test_the_help_of_a_command_explains_every_flag(capsys: Captured, name: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: dowse {name}")
    options = [line.split() for line in shown.splitlines() if re.match(r"  \S", line)]
    for flag in [*FLAGS[name], "--help"]:
        (line,) = [words for words in options if flag in (word.rstrip(",") for word in words[:3])]
        assert len(line) > 2, f"{flag} is explained"


def test_the_help_names_every_command_and_exit_code(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    for word in (*FLAGS, "exit codes:", "130  interrupted", "docs/configuration.md"):
        assert word in shown


def test_no_command_is_missing_from_this_file(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main(["nonsense"])
    assert f"(choose from {', '.join(map(repr, FLAGS))})" in capsys.readouterr().err


def test_the_version_is_printed(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"dowse {__version__}\n"


def test_the_package_runs_as_the_command(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(sys, "argv", ["dowse", "read", "not an address"])
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("dowse", run_name="__main__")
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("dowse: url must be a web address")


def test_a_host_that_is_no_name_is_one_sentence_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("DOWSE_TOKENS", "alice:a-token-of-some-length")
    assert main(["serve", "--http", "--host", "a..b", "--port", "0"]) == 2
    assert capsys.readouterr().err == (
        "dowse: Cannot listen on a..b port 0: not a valid host name. Choose another with --host and --port.\n"
    )


@pytest.mark.parametrize("flag", [["--port", "9001"], ["--port", "0"], ["--host", "127.0.0.1"]])
def test_an_address_without_http_is_a_mistake_that_is_told(capsys: Captured, flag: list[str]) -> None:
    assert main(["serve", *flag]) == 2
    assert capsys.readouterr().err == "dowse: --host and --port are for HTTP: add --http.\n"
