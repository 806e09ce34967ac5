"""Runs inside the namespace: dowse reads every attack page, a bare Chromium opens them too. Prints what was seen."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from dowse.net.listener import listening
from tests.security.cage import targets
from tests.security.cage.audit import OwnSockets, Wire, strangers
from tests.security.cage.bare import bare_chromium, shown_in_the_open, touched_in_the_open
from tests.security.cage.means import MEANS, WITHOUT_CONTROL
from tests.security.cage.processes import Seen, started_processes
from tests.security.cage.product import Product, Read, product
from tests.security.cage.site import Site, address, touch
from tests.security.cage.world import NAMES, PAGE, SECOND, World
from tests.security.test_tls import Authority

_AT_ONCE = 8
# How long attacks may take: behind the page that dowse reads, and in a browser that lets them do what they want.
_CAGED_S, _OPEN_S = 2.0, 12.0
_REBINDING = "rebind.example"


class Run:
    """One world, one browser in its cage, and what became of each page."""

    def __init__(self, world: World, site: Site, browser: Product) -> None:
        self.report: dict[str, Any] = {}
        self._world = world
        self._site = site
        self._browser = browser
        self._own = OwnSockets()

    async def caged(self) -> None:
        """The attacks, while nothing private is opened."""
        read = self._browser.reader()
        forbidden = (*(f"{origin}/" for origin in (*targets.INSIDE, *targets.SPELLINGS)), *targets.SCHEMES)
        with self._watched("caged") as wire:
            self.report["attacks"] = await _outcomes(read, dict(targets.attacks()))
            self.report["touched in the cage"] = [name for name in MEANS if self._is_touched(SECOND, name, wire)]
            self.report["asked for"] = await _outcomes(read, {url: url for url in forbidden})
            self.report["schemes"] = await _outcomes(read, dict(targets.scheme_attacks()))
            self.report["rebinding"] = await self._rebinding(read)
            self.report["processes"] = await self._processes(read)
            for name in ("many requests", "many bytes"):
                self.report[name] = await self._greedy(read, name)

    async def opened(self) -> None:
        """What is done with a list of the operator's, and what others try to do with it."""
        read = self._browser.reader(*targets.LIST)
        with self._watched("opened"), listening("127.0.0.1", targets.OWN_PORT):
            self.report["attacks on the list"] = await _outcomes(read, dict(targets.attacks_on_the_list()))
            self.report["uses of the list"] = await _outcomes(read, dict(targets.uses_of_the_list()))

    async def in_the_open(self) -> None:
        """The same attacks in a Chromium that nothing holds."""
        names = [name for name in MEANS if name not in WITHOUT_CONTROL]
        with self._watched("in the open") as wire:
            async with bare_chromium() as connection:

                async def wait_touched(name: str) -> bool:
                    touched = partial(self._is_touched, "127.0.0.1", name, wire)
                    return await self._world.news.until(touched, _OPEN_S)

                self.report["touched in the open"] = await touched_in_the_open(connection, names, wait_touched)
                self.report["shown in the open"] = await shown_in_the_open(connection, targets.SCHEMES)

    @contextmanager
    def _watched(self, stage: str) -> Iterator[Wire]:
        """Report who was touched, whom this process has dialled, and whom somebody else has."""
        self._world.forget()
        self._own.dials.clear()
        with Wire(self._own, self._world.news.tell) as wire:
            yield wire
        self.report[stage] = {
            "touches": [[touch.address, touch.port, touch.means] for touch in self._world.touches],
            "dialled by dowse": sorted(set(self._own.dials)),
            "dialled by the browser": strangers(wire.packets, self._own),
            "packets missed": wire.lost,
        }

    def _is_touched(self, place: str, name: str, wire: Wire) -> bool:
        watched = MEANS[name].wire
        if watched is None:
            return self._world.was_touched(place, name)
        seen = [packet for packet in wire.packets if (packet.protocol, packet.port) == watched]
        # A question to a name server is for whom it asks about.
        return any(packet.address == place or b"look-up" in packet.payload for packet in seen)

    async def _rebinding(self, read: Read) -> list[dict[str, str]]:
        """A page that asks its own host once more, and is then read a second time."""
        url = address("xhr", touch("xhr", f"http://{_REBINDING}"), host=_REBINDING)
        return [asdict(await read(url)) for _ in range(2)]

    async def _processes(self, read: Read) -> list[dict[str, Any]]:
        """What can be seen of the browser while a page is open in it."""
        reading = asyncio.ensure_future(read(address("img", touch("img", targets.OUTSIDE))))
        seen: set[Seen] = set()
        while not reading.done():
            await asyncio.sleep(0.1)
            seen |= started_processes()
        return [asdict(process) for process in seen]

    async def _greedy(self, read: Read, name: str) -> dict[str, Any]:
        """How much a page gets that wants too much, over plain HTTP and inside tunnels."""
        got = {}
        for scheme in ("http", "https"):
            self._site.forget()
            outcome = await read(f"{scheme}://page.example/greedy/{name}")
            got[scheme] = {**asdict(outcome), "requests": self._site.served.total(), "bytes": self._site.bytes}
        return got


async def _outcomes(read: Read, urls: dict[str, str]) -> dict[str, dict[str, str]]:
    """What became of the pages, some at a time; those with the same address are one page."""
    slots = asyncio.Semaphore(_AT_ONCE)
    addresses = dict.fromkeys(urls.values())

    async def one(url: str) -> dict[str, str]:
        async with slots:
            return asdict(await read(url))

    outcomes = dict(zip(addresses, await asyncio.gather(*map(one, addresses)), strict=True))
    return {name: outcomes[url] for name, url in urls.items()}


async def main() -> None:
    async def keep(names: Sequence[str]) -> bool:
        return await world.news.until(lambda: all(world.was_touched(SECOND, name) for name in names), _CAGED_S)

    site = Site(keep)

    async def names(host: str, port: int) -> list[str]:
        if host == _REBINDING:
            # Once it has answered, it says that it is somebody else.
            return ["127.0.0.1" if site.served[_REBINDING] else PAGE]
        return NAMES.get(host, [])

    with tempfile.TemporaryDirectory() as folder:
        certificate = Authority(Path(folder)).server("page.example")
        async with World(site, certificate) as world:
            async with product(names, Path(folder), max_pages=_AT_ONCE) as browser:
                run = Run(world, site, browser)
                await run.caged()
                await run.opened()
            await run.in_the_open()
    print(json.dumps(run.report))


if __name__ == "__main__":
    asyncio.run(main())
