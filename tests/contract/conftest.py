"""What the provider tests share: a client, a provider made as the app makes it, and its double."""

from collections.abc import AsyncIterator

import pytest

from dowse.config import load
from dowse.interfaces import PageReader, SearchProvider
from dowse.models import Deadline
from dowse.net.clients import ConfiguredClient
from dowse.providers.table import PROVIDERS, READERS, Kit
from dowse.settings import Settings
from dowse.telemetry.redact import Redactor
from tests.doubles import PocketWeb, ReaderDouble
from tests.doubles.double import Double
from tests.fakes import FakeClock
from tests.fakes.listings import ListingsHere
from tests.fakes.memory import remembering

KEYED = ("serper", "exa", "tavily")
LISTS = {"serper": "organic", "exa": "results", "tavily": "results", "searxng": "results"}
DEADLINE = Deadline.after(FakeClock(), 30)


@pytest.fixture
async def client() -> AsyncIterator[ConfiguredClient]:
    client = ConfiguredClient("dowse/test")
    yield client
    await client.close()


def provider(web: PocketWeb, name: str, client: ConfiguredClient, **settings: str) -> SearchProvider:
    loaded = load({}, {**web.environment(name), **settings}).settings
    return PROVIDERS[name](_kit(loaded, client))


def reader(web: PocketWeb, name: str, client: ConfiguredClient, **settings: str) -> PageReader:
    loaded = load({}, {**web.environment(name), **settings}).settings
    return READERS[name](_kit(loaded, client))


def _kit(settings: Settings, client: ConfiguredClient) -> Kit:
    clock = FakeClock()
    return Kit(settings, client, clock, Redactor(settings.secrets()), ListingsHere(), remembering(clock).cache)


def reader_double(web: PocketWeb, name: str) -> ReaderDouble:
    (found,) = [each for each in web.readers if each.name == name]
    return found


def double(web: PocketWeb, name: str) -> Double:
    found = getattr(web, name)
    assert isinstance(found, Double)
    return found
