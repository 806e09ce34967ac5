"""What the provider tests share: a pocket web in memory, a client, a provider made as the app makes it, its double."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import ClientSession

from dowse.core.models import Deadline
from dowse.core.protocols import PageReader, SearchProvider
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.guard import Guard
from dowse.net.wire import build_session
from dowse.providers.disclosure import Disclosure
from dowse.providers.table import Kit, make_reader, make_search
from dowse.routing.limiter import SlidingWindows
from dowse.secrets.redact import Redactor
from dowse.settings import SEARCHERS, SPECS, Settings
from dowse.settings.sources import load
from tests.doubles import PocketWeb, ReaderDouble
from tests.doubles.memory import MemoryConnector
from tests.doubles.searching import SearchDouble
from tests.fakes import FakeClock
from tests.fakes.listings import ListingsHere
from tests.fakes.memory import remembering

HERE = Path(__file__).parent
KEYED = tuple(name for name in SEARCHERS if SPECS[name].key and not SPECS[name].source)
DEADLINE = Deadline.after(FakeClock(), 30)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a module share an event loop, because they share a pocket web."""
    for item in items:
        if pytest_asyncio.is_async_test(item) and HERE in item.path.parents:
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_web() -> AsyncIterator[PocketWeb]:
    async with PocketWeb(in_memory=True) as web:
        yield web


@pytest.fixture
def web(shared_web: PocketWeb) -> PocketWeb:
    shared_web.reset()
    return shared_web


@pytest_asyncio.fixture(loop_scope="module")
async def client() -> AsyncIterator[ConfiguredClient]:
    client = ConfiguredClient("dowse/test", in_memory)
    yield client
    await client.close()


def in_memory() -> ClientSession:
    """The session of a client that reaches doubles in memory only."""
    return build_session(MemoryConnector())


def provider(web: PocketWeb, name: str, client: ConfiguredClient, **settings: str) -> SearchProvider:
    loaded = load({}, {**web.environment(name), **settings}).settings
    return make_search(name, _kit(loaded, client))


def reader(web: PocketWeb, name: str, client: ConfiguredClient, **settings: str) -> PageReader:
    loaded = load({}, {**web.environment(name), **settings}).settings
    return make_reader(name, _kit(loaded, client))


def _kit(settings: Settings, client: ConfiguredClient) -> Kit:
    clock = FakeClock()
    pages = UntrustedClient(Guard((), clock=clock), "dowse/test", open_session=in_memory)
    redactor, cache = Redactor(settings.secrets()), remembering(clock).entries
    limiter = SlidingWindows(clock)
    return Kit(settings, client, pages, ListingsHere(), cache, clock, redactor, Disclosure(), limiter, "dowse/test")


def reader_double(web: PocketWeb, name: str) -> ReaderDouble:
    (found,) = [each for each in web.readers if each.name == name]
    return found


def double(web: PocketWeb, name: str) -> SearchDouble:
    found = getattr(web, name)
    assert isinstance(found, SearchDouble)
    return found
