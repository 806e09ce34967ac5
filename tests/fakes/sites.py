"""Sites as texts by address, behind the client of untrusted URLs: nothing is dialled."""

from __future__ import annotations

from collections.abc import Mapping

from dowse.core.models import Deadline
from dowse.core.protocols import Robots
from dowse.flows.map_site import MapFlow, MapRequest, SiteMap
from dowse.net.clients import Fetched, UntrustedClient
from dowse.net.guard import Guard
from dowse.settings.sources import load
from tests.fakes.clock import FakeClock
from tests.fakes.scripted import ScriptedFetcher

SITE = "https://example.org"
Files = Mapping[str, str | bytes | Exception]


class ScriptedClient(UntrustedClient):
    """A file is its text or a failure; what is not listed is missing. Remembers what it was asked."""

    def __init__(self, files: Files) -> None:
        super().__init__(Guard(), "dowse/test")
        self.asked: list[str] = []
        self._files = files

    async def get(self, url: str, **_options: object) -> Fetched:
        self.asked.append(url)
        file = self._files.get(url)
        if isinstance(file, Exception):
            raise file
        if file is None:
            return Fetched(url, 404, {}, b"")
        return Fetched(url, 200, {}, file.encode() if isinstance(file, str) else file)


class Rules:
    """A robots.txt that allows all addresses, or none."""

    def __init__(self, *, allows: bool = True) -> None:
        self._allows = allows

    async def allows(self, url: str) -> bool:
        return self._allows

    def is_resolved(self, url: str) -> bool:
        return True


class Cartographer:
    """A map flow over the start page and the files of a site."""

    def __init__(self, start: str | Exception = "", files: Files | None = None, **environ: str) -> None:
        self.clock = FakeClock()
        self.fetcher = ScriptedFetcher({f"{SITE}/": start})
        self.client = ScriptedClient(files or {})
        self.environ = environ

    def flow(self, robots: Robots | None = None) -> MapFlow:
        return MapFlow(self.client, self.fetcher, robots or Rules(), load({}, self.environ).settings)

    async def map(
        self, url: str = f"{SITE}/", *, robots: Robots | None = None, within_s: float = 30, **options: object
    ) -> SiteMap:
        request = MapRequest(url, **options)  # type: ignore[arg-type]  # the options of the request, by name
        return await self.flow(robots).map(request, Deadline.after(self.clock, within_s))


def urlset(*addresses: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{each}</loc></url>" for each in addresses) + "</urlset>"


def index(*addresses: str) -> str:
    entries = "".join(f"<sitemap><loc>{each}</loc></sitemap>" for each in addresses)
    return f"<sitemapindex>{entries}</sitemapindex>"
