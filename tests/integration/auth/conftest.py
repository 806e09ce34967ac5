"""An identity provider, the keys it publishes, and what was logged."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import pytest

from dowse.auth.jwt import Jwks
from dowse.net.clients import ConfiguredClient
from tests.fakes import FakeClock
from tests.fakes.issuer import Issuer, issuing


@pytest.fixture
async def issuer() -> AsyncIterator[Issuer]:
    async with issuing() as running:
        yield running


@pytest.fixture
async def jwks(issuer: Issuer, clock: FakeClock) -> AsyncIterator[Jwks]:
    client = ConfiguredClient("dowse/test")
    yield Jwks(issuer.url, client, clock)
    await client.close()


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "dowse")
    return caplog
