"""One pocket web for the tests of a module, which find it as new: import both fixtures and share the module's loop."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.doubles import PocketWeb


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def module_web() -> AsyncIterator[PocketWeb]:
    async with PocketWeb() as pocket_web:
        yield pocket_web


@pytest.fixture
def web(module_web: PocketWeb) -> PocketWeb:
    """The module's pocket web without any script, page or request of an earlier test."""
    module_web.reset()
    return module_web
