"""What flow tests share in a module: the event loop, the pocket web, and the wait for servers to end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.conftest import Server
from tests.http import Endings
from tests.support.module_web import module_web, web  # noqa: F401
from tests.support.workers import forked_workers  # noqa: F401

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a module share a loop, because they share a web and servers."""
    for item in items:
        if pytest_asyncio.is_async_test(item) and HERE in item.path.parents:
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def endings() -> AsyncIterator[Endings]:
    running = Endings()
    yield running
    await running.wait()


@pytest.fixture
def server(tmp_path: Path, endings: Endings) -> Server:
    """Servers of one test; what it started in this process ends while the next test runs."""
    return Server(tmp_path, endings)


@pytest.fixture(scope="module")
def module_server(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """Servers that the tests of a module share."""
    return Server(tmp_path_factory.mktemp("server"))
