"""The double of every described API: serves recorded pairs, and refuses what the real one would not take."""

from __future__ import annotations

import copy
import functools
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.doubles.double import Double
from tests.doubles.seen import SeenRequest

RECORDED = Path(__file__).with_name("recorded")
_RANGE = re.compile(r"int (\d+)\.\.(\d+)")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One recorded pair of an API, with what the vendor's documentation says of its parameters."""

    name: str
    pair: Mapping[str, Any]

    @property
    def path(self) -> str:
        return str(self.pair["request"]["path"])

    @property
    def kind(self) -> str:
        return "read" if self.name == "read" else "search"

    @property
    def sent(self) -> Mapping[str, Any]:
        """The parameters of the recorded request."""
        sent: Mapping[str, Any] = self.pair["request"]["sent"]
        return sent

    @property
    def hits(self) -> list[tuple[str, str, str, str]]:
        """Title, address, snippet and date of each result."""
        return [(title, url, snippet, date) for title, url, snippet, date in self.pair["hits"]]

    def answer(self, items: object = None) -> Any:
        """The recorded answer, or one with these in its list."""
        body = copy.deepcopy(self.pair["response"])
        return body if items is None else _put(body, str(self.pair["list"]), items)

    def items(self) -> list[Any]:
        found = self.pair["response"]
        for step in _steps(str(self.pair["list"])):
            found = found[int(step)] if isinstance(found, list) else found[step]
        return list(found)


@functools.cache
def recorded() -> Mapping[str, tuple[Exchange, ...]]:
    """The exchanges of each described provider, from all files."""
    files = [read_pairs(path) for path in sorted(RECORDED.glob("*.json"))]
    return {name: pairs for file in files for name, pairs in file.items()}


def read_pairs(path: Path) -> dict[str, tuple[Exchange, ...]]:
    """The exchanges of one file by provider."""
    file = json.loads(path.read_text(encoding="utf-8"))
    return {name: tuple(Exchange(*pair) for pair in pairs.items()) for name, pairs in file.items()}


def key_of(provider: str) -> str:
    """A key that opens nothing, and looks like one."""
    return f"{provider}-{hashlib.sha256(provider.encode()).hexdigest()[:32]}"


class RecordedApi(Double):
    """All exchanges of one provider. Every request must be one that the vendor documents."""

    name = ""

    def __init__(self, name: str, origin: Callable[[], str], pairs: tuple[Exchange, ...] = ()) -> None:
        super().__init__(key_of(name), origin)
        self.provider = name
        self.exchanges = pairs or recorded()[name]
        self.refusals: list[str] = []

    @property
    def path(self) -> str:
        return f"/{self.provider}"

    def endpoint(self, kind: str) -> str:
        """The path of an operation below this double."""
        first = next(each for each in self.exchanges if each.kind == kind)
        return f"{self.path}{first.path}"

    def works(self) -> RecordedApi:
        self.refusals.clear()
        return super().works()

    def says(self, words: str) -> RecordedApi:
        """Answer with a sentence and HTTP 200, as some APIs do."""

        async def step(_request: web.Request) -> web.StreamResponse:
            return web.Response(text=words)

        self._script.add(step, None)
        return self

    def exchange(self, name: str) -> Exchange:
        return next(each for each in self.exchanges if each.name == name)

    def answer(self, seen: SeenRequest) -> web.Response:
        here = [each for each in self.exchanges if seen.path == f"{self.path}{each.path}"]
        if not here:
            return self._refuse(404, "Not found")
        same = [each for each in here if each.pair["request"]["method"] == seen.method]
        if not same:
            return self._refuse(405, "Method not allowed")
        sent = dict(seen.params) if seen.method == "GET" else dict(seen.json or {})
        chosen = _choose(same, sent)
        if not self._is_authorized(chosen, seen):
            return self._refuse(401, "The key was not recognised.")
        wrong = self._problem(chosen, seen, sent)
        return self._refuse(400, wrong) if wrong else web.json_response(_shorten(chosen, sent))

    def error(self, status: int, message: str) -> web.Response:
        shape = json.dumps(self.exchanges[0].pair["error"])
        text = shape.replace('"{status}"', str(status)).replace('"{message}"', json.dumps(message))
        return web.Response(text=text.replace("{message}", message), status=status, content_type="application/json")

    def _refuse(self, status: int, message: str) -> web.Response:
        self.refusals.append(message)
        return self.error(status, message)

    def _is_authorized(self, chosen: Exchange, seen: SeenRequest) -> bool:
        """The key in its place, and nowhere else."""
        auth = chosen.pair["request"]["auth"]
        if auth is None:
            return self.key not in str(seen)
        place = seen.headers if auth["in"] == "header" else seen.params
        value = place.get(auth["name"])
        if value is None and chosen.pair.get("key_optional"):
            return self.key not in str(seen)
        everything = f"{seen.headers}{seen.params}{seen.body!r}"
        is_alone = everything.count(self.key) <= 1
        return is_alone and value == str(auth["value"]).replace("{key}", self.key)

    def _problem(self, chosen: Exchange, seen: SeenRequest, sent: Mapping[str, Any]) -> str:
        """What the real API would object to, in one sentence."""
        request, accepts = chosen.pair["request"], chosen.pair["accepts"]
        if seen.method == "POST" and not seen.headers.get("content-type", "").startswith("application/json"):
            return "The body is not JSON"
        lacking = [name for name, value in request["headers"].items() if seen.headers.get(name) != value]
        if lacking:
            return f"Header '{lacking[0]}' is required"
        flat = dict(_flatten(sent))
        auth = request["auth"]
        if auth and auth["in"] == "query":
            flat.pop(auth["name"], None)
        missing = [name for name in chosen.pair["required"] if name not in flat]
        if missing:
            return f"Field '{missing[0]}' is required"
        unknown = [name for name in flat if name not in accepts]
        if unknown:
            return f"Field '{unknown[0]}' is not known"
        invalid = [name for name, value in flat.items() if not _is_valid(value, accepts[name], seen.method)]
        return f"Field '{invalid[0]}' has an invalid value" if invalid else ""


def _choose(exchanges: list[Exchange], sent: Mapping[str, Any]) -> Exchange:
    """The exchange whose distinguishing parameters were sent, else the one without any."""
    fitting = [each for each in exchanges if each.pair["when"].items() <= sent.items()]
    return max(fitting, key=lambda each: len(each.pair["when"]))


def _shorten(chosen: Exchange, sent: Mapping[str, Any]) -> Any:
    """As many results as were asked for."""
    name = chosen.pair["count"]
    wanted = dict(_flatten(sent)).get(name) if name else None
    return chosen.answer() if wanted is None else chosen.answer(chosen.items()[: int(wanted)])


def _flatten(sent: Mapping[str, Any], above: str = "") -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for name, value in sent.items():
        flat += _flatten(value, f"{above}{name}.") if isinstance(value, dict) else [(f"{above}{name}", value)]
    return flat


def _is_valid(value: object, takes: str | list[str], method: str) -> bool:
    if isinstance(takes, list):
        return isinstance(value, list) and bool(value) and all(_is_valid(item, takes[0], method) for item in value)
    if span := _RANGE.fullmatch(takes):
        is_whole = type(value) is int or (method == "GET" and str(value).isdecimal())
        return is_whole and int(span[1]) <= int(str(value)) <= int(span[2])
    if takes == "true|false":
        return isinstance(value, bool) or (method == "GET" and value in ("true", "false"))
    return isinstance(value, str) and re.fullmatch(takes, value, re.DOTALL) is not None


def _steps(path: str) -> list[str]:
    return [] if path == "." else path.split(".")


def _put(body: Any, path: str, items: object) -> Any:
    steps = _steps(path)
    if not steps:
        return items
    place = body
    for step in steps[:-1]:
        place = place[int(step)] if isinstance(place, list) else place[step]
    place[steps[-1]] = items
    return body
