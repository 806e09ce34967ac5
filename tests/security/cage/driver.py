"""Runs inside the namespace: dowse reads the attack pages, a bare Chromium opens them too. Prints what was seen.

The arguments are the means to try. Without any, all of them are tried, and pages that lead to other schemes or want too
much.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from dowse.net.sockets import listen
from tests.security.cage import targets
from tests.security.cage.audit import OwnSockets, Wire, strangers
from tests.security.cage.bare import bare_chromium, shown_in_the_open, touched_in_the_open
from tests.security.cage.means import MEANS, RESOURCES, SCRIPTS, WITHOUT_CONTROL
from tests.security.cage.processes import Seen, started_processes
from tests.security.cage.product import Product, Read, product
from tests.security.cage.site import Attack, Site, address, stays, touch
from tests.security.cage.world import NAMES, PAGE, SECOND, World
from tests.support.authority import Authority

# Pages that end by themselves, so many at a time, and those that stay open beside them.
_AT_ONCE, _MOST_STAYING = 8, 16
# Only what does not happen takes so long.
_BOUND_S = 90.0
_REBINDING = "rebind.example"

Outcomes = dict[str, dict[str, str]]


class Run:
    """One world, one browser in its cage, and what became of each page."""

    def __init__(self, names: Sequence[str], world: World, site: Site) -> None:
        self.report: dict[str, Any] = {}
        self._names = names or [*MEANS]
        self._is_whole = not names
        self._world = world
        self._site = site
        self._own = OwnSockets()
        self._may_leave = False

    async def caged(self, browser: Product) -> None:
        """The attacks, while nothing private is opened."""
        read = browser.reader()
        forbidden = (*(f"{origin}/" for origin in (*targets.INSIDE, *targets.SPELLINGS)), *targets.SCHEMES)
        with self._watched("caged") as wire:
            self.report["attacks"] = await self._outcomes(read, dict(targets.attacks(self._names)))
            self.report["touched in the cage"] = [name for name in self._names if self._is_touched(SECOND, name, wire)]
            self.report["finished"] = self._finished()
            self.report["asked for"] = await self._outcomes(read, {url: url for url in forbidden})
            self.report["rebinding"] = await self._rebinding(read)
            self.report["processes"] = await self._processes(read)
            if self._is_whole:
                self.report["schemes"] = await self._outcomes(read, dict(targets.scheme_attacks()))
                for name in ("many requests", "many bytes"):
                    self.report[name] = await self._greedy(read, name)

    async def opened(self, browser: Product) -> None:
        """What is done with a list of the operator's, and what others try to do with it."""
        read = browser.reader(*targets.LIST)
        with self._watched("opened"), listen("127.0.0.1", targets.OWN_PORT):
            attacks = dict(targets.attacks_on_the_list(self._names))
            self.report["attacks on the list"] = await self._outcomes(read, attacks)
            self.report["finished on the list"] = self._finished()
            self.report["uses of the list"] = await self._outcomes(read, dict(targets.uses_of_the_list()))

    async def in_the_open(self) -> None:
        """The same attacks in a Chromium that nothing holds."""
        names = [name for name in self._names if name not in WITHOUT_CONTROL]
        with self._watched("in the open") as wire:
            async with bare_chromium() as connection:

                async def wait_touched(name: str) -> bool:
                    touched = partial(self._is_touched, "127.0.0.1", name, wire)
                    return await self._world.news.until(touched, _BOUND_S)

                self.report["touched in the open"] = await touched_in_the_open(connection, names, wait_touched)
                if self._is_whole:
                    self.report["shown in the open"] = await shown_in_the_open(connection, targets.SCHEMES)

    def may_leave(self, attack: Attack) -> bool:
        """Whether a page has finished its tries.

        One that cannot tell stays open while all others are read, and until it has touched the public host it should.
        """
        if attack.tells_its_end:
            return attack.is_over
        has_public = any(target.startswith(targets.OUTSIDE) for target in attack.targets)
        wanted = [name for name in attack.names if has_public and (name in RESOURCES or name in SCRIPTS)]
        return self._may_leave and all(self._world.was_touched(SECOND, name) for name in wanted)

    def _finished(self) -> list[str]:
        """The means whose pages stayed open until their tries were over."""
        return sorted({name for attack in self._site.attacks if attack.is_finished for name in attack.names})

    async def _outcomes(self, read: Read, urls: dict[str, str]) -> Outcomes:
        """What became of the pages, some at a time; those with the same address are one page."""
        slots = asyncio.Semaphore(_AT_ONCE)
        addresses = dict.fromkeys(urls.values())

        async def one(url: str) -> dict[str, str]:
            async with slots:
                return asdict(await read(url))

        self._may_leave = False
        before = len(self._site.attacks)
        staying = {url: asyncio.ensure_future(read(url)) for url in addresses if stays(url)}
        await self._world.news.until(lambda: len(self._site.attacks) >= before + len(staying), _BOUND_S)
        ending = [url for url in addresses if url not in staying]
        outcomes = dict(zip(ending, await asyncio.gather(*map(one, ending)), strict=True))
        self._let_go()
        outcomes |= {url: asdict(await reading) for url, reading in staying.items()}
        return {name: outcomes[url] for name, url in urls.items()}

    def _let_go(self) -> None:
        self._may_leave = True
        self._world.news.tell()

    @contextmanager
    def _watched(self, stage: str) -> Iterator[Wire]:
        """Report who was touched, whom this process has dialled, and whom somebody else has."""
        self._world.forget()
        self._site.attacks.clear()
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
        self._may_leave = False
        before = len(self._site.attacks)
        reading = asyncio.ensure_future(read(address("img", touch("img", targets.OUTSIDE))))
        seen: set[Seen] = set()
        while not reading.done():
            is_open = len(self._site.attacks) > before
            seen |= started_processes()
            if is_open:
                self._let_go()
            await asyncio.sleep(0.1)
        return [asdict(process) for process in seen]

    async def _greedy(self, read: Read, name: str) -> dict[str, Any]:
        """How much a page gets that wants too much, over plain HTTP and inside tunnels."""
        got = {}
        for scheme in ("http", "https"):
            self._site.forget()
            outcome = await read(f"{scheme}://page.example/greedy/{name}")
            got[scheme] = {**asdict(outcome), "requests": self._site.served.total(), "bytes": self._site.bytes}
        return got


async def main(names: Sequence[str]) -> None:
    async def keep(attack: Attack) -> bool:
        return await world.news.until(lambda: run.may_leave(attack), _BOUND_S)

    async def look_up(host: str, port: int) -> list[str]:
        if host == _REBINDING:
            # Once it has answered, it says that it is somebody else.
            return ["127.0.0.1" if site.served[_REBINDING] else PAGE]
        return NAMES.get(host, [])

    site = Site(keep)
    with tempfile.TemporaryDirectory() as folder:
        certificate = Authority(Path(folder)).server("page.example")
        async with World(site, certificate) as world:
            run = Run(names, world, site)
            async with product(look_up, Path(folder), max_pages=_AT_ONCE + _MOST_STAYING) as browser:
                await run.caged(browser)
                await run.opened(browser)
            await run.in_the_open()
    print(json.dumps(run.report))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
