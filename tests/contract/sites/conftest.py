"""What the loader tests share: a web and a worker for each module, loaders made as the app makes them, golden files.

Golden files are written with UPDATE_SNAPSHOTS=1; then read what has changed, with the eyes of who will be given it.
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from dowse.core import urls
from dowse.core.models import Clock, Deadline, Page, Text
from dowse.core.protocols import SiteLoader
from dowse.flows.read import ReadFlow
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.guard import Guard
from dowse.secrets.redact import Redactor
from dowse.settings.sources import load
from dowse.sites.site import LoaderKit
from dowse.sites.table import LazyLoader
from dowse.worker.pool import WorkerPool
from tests.contract.conftest import in_memory
from tests.doubles import PocketWeb
from tests.doubles.sites import SiteDouble
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.reading import reading
from tests.fakes.scripted import ScriptedFetcher

HERE = Path(__file__).parent
USER_AGENT = "dowse/test"
GENERAL = "# What the general reader read\n\nThe page as anybody sees it."

# An image or a link to where nothing of ours leads; with a backslash before the bracket it is neither.
LOADED = re.compile(r"(?<!\\)\]\(https://t\.example")

Golden = Callable[[str, str], None]
Recorded = Callable[[str], str]


class SlowRequests(FakeClock):
    """A clock by which every request to a site takes so long, and nothing else takes any time."""

    def __init__(self, site: SiteDouble, seconds: float) -> None:
        super().__init__()
        self._site = site
        self._seconds = seconds

    def now(self) -> float:
        return super().now() + self._seconds * len(self._site.requests)


@dataclass(frozen=True)
class Bench:
    """Makes loaders that talk to the pocket web, and has them read."""

    web: PocketWeb
    pool: WorkerPool
    client: ConfiguredClient
    pages: UntrustedClient

    def kit(self, **environ: str) -> LoaderKit:
        settings = load({}, {**self.web.environment(), **environ}).settings
        return LoaderKit(settings, self.client, self.pages, self.pool, Redactor(settings.secrets()))

    def loader(self, name: str, **environ: str) -> SiteLoader:
        return LazyLoader(name, self.kit(**environ))

    def accepts(self, name: str, url: str) -> bool:
        parsed = urls.parse(url)
        return parsed is not None and self.loader(name).accepts(parsed)

    async def read(
        self, name: str, url: str, *, seconds: float = 30.0, clock: Clock | None = None, **environ: str
    ) -> Text:
        """What a loader makes of one of its pages; one it does not accept is a mistake of the test."""
        assert self.accepts(name, url), url
        return await self.loader(name, **environ).read(url, Deadline.after(clock or FakeClock(), seconds))

    def flow(self, name: str, url: str, **environ: str) -> ReadFlow:
        """The real chain: the loader first, then a general reader to whom the page says `GENERAL`."""
        fetcher = ScriptedFetcher({url: GENERAL})
        return reading(fetcher, clock=FakeClock(), observer=RecordingObserver(), loaders=[self.loader(name, **environ)])

    async def page(self, name: str, url: str, **environ: str) -> Page:
        """The page as the real chain reads it."""
        return await self.flow(name, url, **environ).read(url, Deadline.after(FakeClock(), 30))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_bench() -> AsyncIterator[Bench]:
    pool = WorkerPool(size=1)
    async with PocketWeb(in_memory=True) as web:
        client = ConfiguredClient(USER_AGENT, in_memory)
        guard = Guard(load({}, web.environment()).settings.allow_private)
        pages = UntrustedClient(guard, USER_AGENT, open_session=in_memory)
        yield Bench(web, pool, client, pages)
        await pages.close()
        await client.close()
    await pool.close()


@pytest.fixture
def bench(shared_bench: Bench) -> Bench:
    """A bench on which nothing lies about from the last test."""
    shared_bench.web.reset()
    return shared_bench


@pytest.fixture
def web(bench: Bench) -> PocketWeb:
    return bench.web


@pytest.fixture
def golden() -> Golden:
    """Compares a text with `golden/NAME.md`."""

    def compare(name: str, text: str) -> None:
        path = HERE / "golden" / f"{name}.md"
        if os.environ.get("UPDATE_SNAPSHOTS") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        assert text + "\n" == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture
def recorded() -> Recorded:
    """Gives the text of `recorded/NAME`, an answer in the shape of the real API."""
    return lambda name: (HERE / "recorded" / name).read_text(encoding="utf-8")
