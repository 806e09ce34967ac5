"""A temporary directory of its own for each test, short enough for the profiles of browsers, and a silent asyncio."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dowse.telemetry.log import LOGGER


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing fails without somebody who hears of it; asyncio would say so, at the latest when it is forgotten."""
    yield
    gc.collect()
    # The next collection looks only at what its test has made.
    gc.freeze()
    records = [*caplog.get_records("call"), *caplog.get_records("teardown")]
    assert [record.getMessage() for record in records if record.name == "asyncio"] == []


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="t-") as directory:
        monkeypatch.setattr(tempfile, "tempdir", directory)
        yield Path(directory)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level("DEBUG", LOGGER.name):
        yield caplog
