"""Doubles of the APIs behind well-known sites: recorded answers by path, and the errors of the real thing otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from aiohttp import web

from tests.doubles.double import Double
from tests.doubles.seen import SeenRequest


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the API answered once, and with which parameters it has to be asked to say so again."""

    body: bytes
    content_type: str
    params: Mapping[str, str]
    status: int
    headers: Mapping[str, str]

    def fits(self, seen: SeenRequest) -> bool:
        return all(seen.params.get(name) == value for name, value in self.params.items())


class SiteDouble(Double):
    """A double that knows the paths a test gives it; `checks` refuses what the real API would."""

    name: ClassVar[str]
    variable: ClassVar[str]
    """The setting that points to it."""

    def __init__(self, key: str, origin: Callable[[], str]) -> None:
        super().__init__(key, origin)
        self._recorded: dict[str, list[Recorded]] = {}

    @property
    def path(self) -> str:
        """Where the API is; recorded paths are below it."""
        return f"/{self.name}"

    @property
    def endpoint(self) -> str:
        """What the setting says, without the origin."""
        return self.path

    def has(
        self,
        path: str,
        body: str | bytes,
        *,
        params: Mapping[str, str] | None = None,
        content_type: str = "application/json",
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Self:
        """Answer with this at a path, if the request has these parameters; what came last goes first."""
        data = body.encode() if isinstance(body, str) else body
        recorded = Recorded(data, content_type, params or {}, status, headers or {})
        self._recorded.setdefault(self.path + path, []).insert(0, recorded)
        return self

    def reset(self) -> None:
        super().reset()
        self._recorded.clear()

    def answer(self, seen: SeenRequest) -> web.Response:
        refusal = self.checks(seen)
        if refusal is not None:
            return refusal
        for recorded in self._recorded.get(seen.path, []):
            if recorded.fits(seen):
                return web.Response(
                    body=recorded.body,
                    status=recorded.status,
                    headers={"Content-Type": recorded.content_type, **recorded.headers},
                )
        return self.missing(seen)

    def checks(self, seen: SeenRequest) -> web.Response | None:
        """The error that the real API gives to a request like this one; none for a good one."""
        if not seen.headers.get("user-agent"):
            return self.error(403, "A user agent is required")
        return None

    def missing(self, _seen: SeenRequest) -> web.Response:
        """What the real API says of a thing that does not exist."""
        return self.error(404, "Not Found")

    def error(self, status: int, message: str) -> web.Response:
        return web.json_response({"message": message}, status=status)
