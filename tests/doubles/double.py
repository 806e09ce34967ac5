"""A double of an API: records what it is asked, answers as the real one would, misbehaves on request."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Self

from aiohttp import web

from tests.doubles.checks import Check, problem
from tests.doubles.limit import Limit
from tests.doubles.misbehaviour import ELSEWHERE, STATUSES, Trouble, misbehave
from tests.doubles.script import Script
from tests.doubles.seen import RequestLog, SeenRequest, watching


class Double(ABC):
    """What every double can be told to do; subclasses know the API."""

    name: ClassVar[str]
    operation: ClassVar[str] = "search"
    base_path: ClassVar[str] = ""
    """The endpoint of an API whose settings name the address above its operations."""

    def __init__(self, key: str, origin: Callable[[], str]) -> None:
        self.key = key
        self._origin = origin
        self._log = RequestLog()
        self._script = Script()
        self._delay_s = 0.0
        self._release: asyncio.Event | None = None
        self._limit: Limit | None = None

    @property
    def path(self) -> str:
        """Where the API is."""
        return f"/{self.name}/{self.operation}"

    @property
    def paths(self) -> tuple[str, ...]:
        """The same for an API in several places."""
        return (self.path,)

    @property
    def requests(self) -> list[SeenRequest]:
        return self._log.requests

    async def arrived(self, count: int = 1) -> SeenRequest:
        """Wait for the `count`-th request since the last reset."""
        return await self._log.arrived(count)

    def fails(
        self,
        name: str,
        *,
        times: int | None = None,
        retry_after: int | str | None = None,
        redirect_to: str = ELSEWHERE,
    ) -> Self:
        """Misbehave as `name` says, for `times` requests or until told otherwise."""
        self._script.add(misbehave(name, Trouble(self.error, retry_after, redirect_to)), times)
        return self

    def replies(
        self, *, json: object, status: int = 200, headers: Mapping[str, str] | None = None, times: int | None = None
    ) -> Self:
        """Answer with exactly this, whatever the request."""

        async def step(_request: web.Request) -> web.StreamResponse:
            return web.json_response(json, status=status, headers=headers)

        self._script.add(step, times)
        return self

    def delays(self, seconds: float) -> Self:
        """Wait this long before every answer."""
        self._delay_s = seconds
        return self

    def waits_for(self, release: asyncio.Event) -> Self:
        """Keep every answer back until the event is set."""
        self._release = release
        return self

    def takes(self, calls: int, period_s: float) -> Limit:
        """Refuse with 429 whatever comes faster; the limit knows how often it had to."""
        self._limit = Limit(calls, period_s)
        return self._limit

    def works(self) -> Self:
        """Forget everything scripted; the requests seen so far stay."""
        self._script.clear()
        self._delay_s = 0.0
        self._release = None
        self._limit = None
        return self

    def reset(self) -> None:
        self.works()
        self.requests.clear()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """The route: record, then misbehave or answer."""
        seen = await self._log.record(request)
        with watching(request, seen):
            if self._limit and self._limit.refuses():
                return self.error(429, STATUSES[429])
            await asyncio.sleep(self._delay_s)
            if self._release:
                await self._release.wait()
            step = self._script.take()
            return await step(request) if step else self.answer(seen)

    @abstractmethod
    def answer(self, seen: SeenRequest) -> web.Response:
        """The honest answer to a request, or the error the real API would give."""

    @abstractmethod
    def error(self, status: int, message: str) -> web.Response:
        """An error in the shape of this API."""

    def checked(
        self, seen: SeenRequest, fields: Mapping[str, Check], *, required: str
    ) -> dict[str, object] | web.Response:
        """The body of a JSON request to the API, or the error for one the real one would not take."""
        if seen.path not in self.paths:
            return self.error(404, "Not found")
        if seen.method != "POST":
            return self.error(405, "Method not allowed")
        if seen.json is None or not seen.headers.get("content-type", "").startswith("application/json"):
            return self.error(400, "The body is not a JSON object")
        wrong = problem(seen.json, fields, required)
        return self.error(400, wrong) if wrong else seen.json
