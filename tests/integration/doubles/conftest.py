"""A running pocket web and a plain client for it."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.doubles import PocketWeb


@pytest.fixture
async def pocket() -> AsyncIterator[PocketWeb]:
    async with PocketWeb() as web:
        yield web


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as session:
        yield session
