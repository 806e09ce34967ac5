"""Forked workers for servers and applications in the process of the tests: importing the fixture is enough."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dowse.worker import pool as worker_pool
from tests import forked


@pytest.fixture(scope="module", autouse=True)
def forked_workers() -> Iterator[None]:
    """A worker starts in a fifth of the time. What looks at its process, or fails it, needs one of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker_pool, "_COMMAND", forked.worker())
        yield
