"""The command line in this process: its parsers, its streams, and a pocket web in a thread.

Commands bring their own event loop, hence the thread.
"""

import argparse
import asyncio
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import pytest

from dowse.surfaces.cli.main import main
from tests.doctor import Examined, examined
from tests.doubles import PocketWeb

Point = Callable[..., PocketWeb]
Examine = Callable[..., Examined]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
MESSAGES: list[dict[str, Any]] = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]


class Terminal(io.TextIOWrapper):
    """A stream with a person at it."""

    def __init__(self, written: bytes = b"") -> None:
        super().__init__(io.BytesIO(written), encoding="utf-8", write_through=True)

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> str:
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode()


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


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the direct subcommands by their names."""
    return {
        name: command
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, command in action.choices.items()
    }


def walk(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser and all the ones of its subcommands."""
    yield parser
    for command in subcommands(parser).values():
        yield from walk(command)


def plain_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Flags and arguments of a parser, without subcommands."""
    return [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]


@pytest.fixture(autouse=True)
def no_terminal_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MCP_ALLOW_TTY_STDIO", "NO_COLOR", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    # Help is wrapped at the terminal's width, which is nobody's business here.
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def pocket() -> Iterator[PocketWeb]:
    """A running pocket web for tests that are not asynchronous themselves."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    web = PocketWeb()
    asyncio.run_coroutine_threadsafe(web.__aenter__(), loop).result(60)
    yield web
    asyncio.run_coroutine_threadsafe(web.__aexit__(None, None, None), loop).result(60)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(60)
    loop.close()


@pytest.fixture
def point(pocket: PocketWeb, monkeypatch: pytest.MonkeyPatch) -> Point:
    """Points the environment of this process at the pocket web, with keys for the named providers."""

    def set_environment(*providers: str) -> PocketWeb:
        for name, value in pocket.environment(*providers).items():
            monkeypatch.setenv(name, value)
        return pocket

    return set_environment


@pytest.fixture
def examine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Examine:
    """Runs `dowse doctor` with these variables, as JSON."""

    def run(*flags: str, **variables: str) -> Examined:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        code = main(["doctor", "--json", *flags])
        return examined(code, *capsys.readouterr())

    return run
