"""What tests over the whole pool share: members as the app makes them."""

from collections.abc import AsyncIterator

import pytest_asyncio

from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.guard import Guard
from dowse.providers.disclosure import Disclosure
from dowse.providers.table import Kit
from dowse.routing.limiter import SlidingWindows
from dowse.secrets.redact import Redactor
from dowse.settings.sources import load
from tests.contract.conftest import in_memory
from tests.doubles import PocketWeb
from tests.fakes import FakeClock
from tests.fakes.listings import ListingsHere
from tests.fakes.memory import remembering


@pytest_asyncio.fixture(loop_scope="module")
async def kit(web: PocketWeb, client: ConfiguredClient, clock: FakeClock) -> AsyncIterator[Kit]:
    settings = load({}, web.environment()).settings
    guard = Guard(settings.allow_private, clock=clock)
    pages = UntrustedClient(guard, "dowse/test", open_session=in_memory)
    redactor, cache = Redactor(settings.secrets()), remembering(clock).entries
    disclosure, limiter = Disclosure(), SlidingWindows(clock)
    yield Kit(settings, client, pages, ListingsHere(), cache, clock, redactor, disclosure, limiter, "dowse/test")
    await pages.close()
