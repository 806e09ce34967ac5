"""The drop-in commands: the wrapper parses what others' configurations say, and changes nothing around it."""

import os
import sys

import pytest

from dowse import __version__
from dowse.surfaces.cli import kindly
from tests.support.command_line import Conversation, Terminal

Captured = pytest.CaptureFixture[str]


@pytest.mark.promise("case-50")
@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--context", "codex"],
        ["--context", "whatever", "--", "--stdio"],
        ["--context=whatever", "--stdio"],
        ["--", "--transport", "stdio", "--log-level", "error"],
    ],
)
def test_the_wrapper_serves_kindly_and_leaves_the_environment_as_it_was(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    """Acceptance case 50: unknown contexts accepted; context restored in-process."""
    before = dict(os.environ)
    conversation = Conversation(monkeypatch)
    assert kindly.main(["start-mcp-server", *arguments]) == 0
    conversation.close()
    assert dict(os.environ) == before
    hello, listed = conversation.answers
    assert hello["result"]["serverInfo"] == {"name": "kindly-web-search", "title": "dowse", "version": __version__}
    assert [sorted(tool) for tool in listed["result"]["tools"]] == [
        ["annotations", "description", "inputSchema", "name", "title"]
    ] * 2


def test_the_aliases_serve_kindly_too(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = Conversation(monkeypatch)
    assert kindly.serve_main([]) == 0
    conversation.close()
    assert conversation.answers[0]["result"]["serverInfo"]["name"] == "kindly-web-search"


def test_a_drop_in_stays_one_whatever_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOWSE_CONTRACT", "dowse")
    conversation = Conversation(monkeypatch)
    assert kindly.serve_main([]) == 0
    conversation.close()
    assert conversation.answers[0]["result"]["serverInfo"]["name"] == "kindly-web-search"


def test_host_and_port_of_an_old_configuration_are_accepted_on_stdio(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = Conversation(monkeypatch)
    assert kindly.main(["start-mcp-server", "--context", "codex", "--", "--host", "127.0.0.1", "--port", "8000"]) == 0
    conversation.close()
    assert conversation.answers[0]["result"]["serverInfo"]["name"] == "kindly-web-search"


@pytest.mark.parametrize("start", [kindly.main, kindly.serve_main])
def test_the_version_is_printed(capsys: Captured, start: object) -> None:
    with pytest.raises(SystemExit) as caught:
        start(["--version"])  # type: ignore[operator]
    assert (caught.value.code, capsys.readouterr().out) == (0, f"dowse {__version__}\n")


@pytest.mark.parametrize("arguments", [[], ["stop-mcp-server"], ["start-mcp-server", "--nonsense"]])
def test_wrong_usage_is_exit_code_2(capsys: Captured, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        kindly.main(arguments)
    assert caught.value.code == 2
    assert "usage: kindly-web-search" in capsys.readouterr().err


def test_the_help_of_the_wrapper_lists_the_servers_flags(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        kindly.main(["start-mcp-server", "--help"])
    shown = capsys.readouterr().out
    for flag in ("--stdio", "--transport", "--config", "--log-level"):
        assert flag in shown


@pytest.mark.promise("case-52")
def test_at_a_terminal_it_explains_itself(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    """Acceptance case 52."""
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert kindly.main(["start-mcp-server"]) == 2
    assert "MCP_ALLOW_TTY_STDIO=1" in capsys.readouterr().err


def test_an_invalid_setting_is_one_line_and_exit_code_2(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("KINDLY_WEB_SEARCH_MAX_CONCURRENCY", "lots")
    assert kindly.main(["start-mcp-server"]) == 2
    assert capsys.readouterr().err == (
        "dowse: KINDLY_WEB_SEARCH_MAX_CONCURRENCY is 'lots', but it takes a whole number from 1 to 64.\n"
    )


def test_interrupting_is_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Terminal):
        def isatty(self) -> bool:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert kindly.serve_main([]) == 130


@pytest.mark.parametrize("flags", [["--sse"], ["--", "--sse", "--port", "8000"], ["--transport", "sse"]])
def test_the_withdrawn_sse_transport_is_refused_with_what_took_its_place(capsys: Captured, flags: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        kindly.main(["start-mcp-server", "--context", "codex", *flags])
    assert caught.value.code == 2
    assert "http" in capsys.readouterr().err.splitlines()[-1]
