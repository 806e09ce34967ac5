"""Doubles of public SearXNG instances: several under one roof, each of which can be told how to behave."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Self

from aiohttp import web

from tests.doubles.double import Double
from tests.doubles.searxng import Searxng
from tests.doubles.seen import SeenRequest, watching

NAMES = ("alder", "birch", "cedar", "dogwood", "elm", "fir")
_ROOT = "/instances"


class PublicInstances(Double):
    """`["elm"]` is one of them. What is said to all of them goes first; `requests` are everybody's, as they came."""

    name = "instances"

    def __init__(self, key: str, origin: Callable[[], str]) -> None:
        super().__init__(key, origin)
        self._instances: dict[str, Searxng] = {}
        self.has(*NAMES)

    def has(self, *names: str) -> Self:
        """Be these instances and no others."""
        self._instances = {name: Searxng("", self._origin, base=f"{_ROOT}/{name}") for name in names}
        return self

    def __getitem__(self, name: str) -> Searxng:
        return self._instances[name]

    def address(self, name: str) -> str:
        """The base address, as the list of instances has it: with a slash at its end."""
        return f"{self._origin()}{self[name].base}/"

    def addresses(self) -> list[str]:
        return [self.address(name) for name in self._instances]

    def names_asked(self) -> list[str]:
        """Who was asked, once for each request."""
        return [_name(seen.path) for seen in self.requests]

    def works(self) -> Self:
        for instance in self._instances.values():
            instance.works()
        return super().works()

    def reset(self) -> None:
        super().reset()
        self.has(*NAMES)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        seen = await self._log.record(request)
        with watching(request, seen):
            await asyncio.sleep(self._delay_s)
            step, instance = self._script.take(), self._instances.get(_name(request.path))
            if step:
                return await step(request)
            return await instance.handle(request) if instance else self.answer(seen)

    def answer(self, seen: SeenRequest) -> web.Response:
        return self.error(404, f"There is no instance at {seen.path}.")

    def error(self, status: int, message: str) -> web.Response:
        return web.Response(text=message, status=status)


def _name(path: str) -> str:
    return path.removeprefix(f"{_ROOT}/").partition("/")[0]
