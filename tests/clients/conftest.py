"""Fixtures that the quick and the slow tests of clients share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.inspector import INSPECTOR, NODE, Inspector
from tests.clients.packaging import build_wheel
from tests.realparts import missing


@pytest.fixture
def inspector(tmp_path: Path) -> Inspector:
    if not INSPECTOR.exists() or not NODE.exists():
        missing("The MCP Inspector is missing; `make test` installs it (npm ci in tests/clients with the venv's Node).")
    return Inspector(tmp_path)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))
