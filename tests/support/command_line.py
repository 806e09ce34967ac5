"""The command line in this process: a pocket web in a thread, because commands bring their own event loop."""

import asyncio
import io
from collections.abc import Callable, Iterator
from threading import Thread

import pytest

from dowse.surfaces.cli.main import main
from tests.doctor import Examined, examined
from tests.doubles import PocketWeb

Point = Callable[..., PocketWeb]
Examine = Callable[..., Examined]


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
