"""The level of real sockets, processes and Valkey: every test has a home of its own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path) -> None:
    """Commands keep what they know in the user's cache directory."""
