"""Fixtures every level shares: the pocket web, and the real server with a real MCP client on it."""

from __future__ import annotations

import gc
import itertools
import logging
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

# As in the workers: on several cores numpy would spend more time on waiting than on what a page needs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from dowse.settings import SPECS, all_settings
from dowse.telemetry.log import LOGGER
from tests import forked
from tests.doubles import PocketWeb
from tests.fakes import FakeClock
from tests.http import SERVE, Endings, HttpHere, HttpProcess, inside, listening
from tests.stdio import BareServer, serving
from tests.valkey import patient_redis, valkey, valkey_url  # noqa: F401

# A machine that is busy with something else is no reason for a property to fail. `make test-slow` tries more examples,
# and others each time, but in CI: there a change is judged, not searched for what was always wrong.
hypothesis.settings.register_profile("quick", deadline=None, max_examples=25, derandomize=True)
hypothesis.settings.register_profile(
    "full", deadline=None, max_examples=200, derandomize=os.environ.get("CI") == "true"
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# What a process needs to start; everything else would make a test depend on the machine it runs on.
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")

MACHINE: Mapping[str, str] = dict(os.environ)
"""The environment before it is cleared, for tests of the real providers."""
# Names the corpora, and no setting of the product.
_EVAL_DATA = "DOWSE_EVAL_DATA"
_VARIABLES = frozenset(name for setting in all_settings() for name in setting.variables)
_OURS = ("DOWSE_", "KINDLY_", "FASTMCP_", "MCP_", "OTEL_", "XDG_", "NO_COLOR", "CHROME_", "BROWSER_")


def pytest_collection_finish() -> None:
    """All that was collected stays until the end: the collector need not look through it again and again."""
    gc.collect()
    gc.freeze()


def pytest_configure() -> None:
    """No setting of the machine reaches a test: no variable of ours, and no home."""
    ours = [name for name in os.environ if name in _VARIABLES or name.startswith(_OURS)]
    for name in [name for name in ours if name != _EVAL_DATA]:
        del os.environ[name]
    # A browser is for the tests that are about it: others would start one wherever a page is empty.
    os.environ["DOWSE_BROWSER"] = "off"
    # So is searching without a key: by mistake it would look for the real services.
    os.environ["DOWSE_KEYLESS"] = "off"
    # Nothing can be kept there: a test that keeps something asks for `tmp_path`.
    os.environ["HOME"] = os.devnull


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Logging belongs to the process: commands configure it, and the next test must not notice."""
    root = logging.getLogger()
    handlers, levels = root.handlers[:], (root.level, LOGGER.level)
    yield
    root.handlers[:] = handlers
    for logger, level in zip((root, LOGGER), levels, strict=True):
        # To set it makes every logger look up its level anew.
        if logger.level != level:
            logger.setLevel(level)


_numbers = itertools.count()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of the test's own, which is also its home and where it works.

    Without the links to the newest that pytest's own keeps beside them, which take a while for thousands of tests.
    """
    path = tmp_path_factory.getbasetemp() / f"test-{next(_numbers)}"
    path.mkdir()
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.chdir(path)
    return path


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def web() -> AsyncIterator[PocketWeb]:
    async with PocketWeb() as pocket_web:
        yield pocket_web


# Most tests ask the same thing again and again, and mean it.
FORGETFUL = {f"DOWSE_TTL_{kind}": "0" for kind in ("SEARCH", "NEWS", "PAGES", "FAILURES")}
# And without waiting for turns at those who take one call in a second: pacing has tests of its own.
UNPACED = {f"DOWSE_PACE_{name.upper()}": "off" for name, spec in SPECS.items() if spec.pace != "off"}
# Nor with a second provider when a busy machine makes the first one slow: hedged requests have tests of their own.
UNHEDGED = {"DOWSE_HEDGE": "off"}
# Tests are programs: they look into the structured output. The default has tests of its own.
TYPED = {"DOWSE_STRUCTURED": "on"}
REMEMBERING = {
    "DOWSE_TTL_SEARCH": "5m",
    "DOWSE_TTL_NEWS": "1m",
    "DOWSE_TTL_PAGES": "1h",
    "DOWSE_TTL_FAILURES": "30s",
}
"""What the settings are when nobody says anything."""


class Server:
    """Starts the real server as a subprocess and connects a real MCP client to it."""

    def __init__(self, home: Path, endings: Endings | None = None) -> None:
        self._home = home
        self._endings = endings
        self._log = home / "server.log"
        self._log.touch()

    @property
    def log(self) -> str:
        """Everything the servers of this test wrote to stderr."""
        return self._log.read_text(encoding="utf-8")

    def environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        own = {"HOME": str(self._home), "PYTHONWARNINGS": "error", "DOWSE_BROWSER": "off", "DOWSE_KEYLESS": "off"}
        return {**kept, **own, **TYPED, **FORGETFUL, **UNPACED, **UNHEDGED, **settings}

    @asynccontextmanager
    async def connect(
        self,
        settings: Mapping[str, str],
        *,
        command: Sequence[str] | None = None,
        mode: str = "auto",
        **options: Any,
    ) -> AsyncIterator[Client]:
        """A client in the given protocol era: `legacy`, `auto`, or a version."""
        program, *arguments = command or forked.dowse("serve")
        parameters = StdioServerParameters(command=program, args=arguments, env=self.environment(settings))
        with self._log.open("a", encoding="utf-8") as log:
            async with Client(stdio_client(parameters, errlog=log), mode=mode, **options) as client:
                yield client

    @asynccontextmanager
    async def bare(
        self, settings: Mapping[str, str], command: Sequence[str] | None = None
    ) -> AsyncIterator[BareServer]:
        """The server as a process, for what a polite client never does."""
        async with serving(self.environment(settings), self._log, command) as bare:
            yield bare

    @asynccontextmanager
    async def http(
        self, settings: Mapping[str, str], *flags: str, command: Sequence[str] | None = None
    ) -> AsyncIterator[HttpProcess]:
        """The server on HTTP, on a port of its own; told to stop in the end, and it has to end well."""
        whole = [*command, *flags] if command else forked.dowse(*SERVE, *flags)
        async with listening(self.environment(settings), self._log, whole) as server:
            yield server

    @asynccontextmanager
    async def here(self, settings: Mapping[str, str]) -> AsyncIterator[HttpHere]:
        """The same in this process, for tests that need many or change what it waits for."""
        async with inside(self.environment(settings), self._log, self._endings) as server:
            yield server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    yield Server(tmp_path)
