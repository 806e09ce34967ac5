"""A trial of one provider: its request without the key, the raw answer, the results, and the fields not found."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, quote_plus, urlencode

from dowse.core.errors import ProviderError
from dowse.core.models import Category, Deadline, Hit, Query
from dowse.core.protocols import Spending
from dowse.net.clients import ConfiguredClient, Reply
from dowse.net.decode import ACCEPTED
from dowse.net.json_fields import parse_json
from dowse.providers.described import answer
from dowse.providers.table import Kit, make_reader, make_search
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.settings.described.files import read_shipped
from dowse.settings.described.model import AnswerShape, Description, JsonPath

MASKED_KEY = "{key}"
"""Placeholder of the key in requests that are shown or recorded."""
_SHORTEST_ANYWHERE = 4
"""A shorter key is masked in its own place only: elsewhere it would eat ordinary letters."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request, and the answer to it. `status` is 0 where there was none."""

    method: str
    address: str
    headers: Mapping[str, str]
    body: object = None
    status: int = 0
    answer: object = None
    """The parsed JSON, or the text of any other answer."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A field of a description: where it is looked for, and how many results have it."""

    name: str
    paths: tuple[str, ...]
    found: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One call of a provider: requests, answers and results."""

    provider: str
    operation: str
    requests: tuple[Sent, ...]
    hits: tuple[Hit, ...] = ()
    text: str = ""
    """The page, where one was read."""
    title: str = ""
    warnings: tuple[str, ...] = ()
    error: str = ""
    outcome: str = ""
    """The class of the failure, as attempts name it."""
    fields: tuple[Mapped, ...] = ()

    @property
    def unmapped(self) -> tuple[Mapped, ...]:
        """The fields that nothing was found for."""
        return tuple(each for each in self.fields if not each.found)


class Recorder(ConfiguredClient):
    """The configured client, which keeps each request and its answer."""

    kept: list[tuple[Sent, bytes | None]]

    def __init__(self, client: ConfiguredClient, user_agent: str) -> None:
        super().__init__(user_agent, proxy=client.proxy)
        self.kept = []

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        params: Mapping[str, str] | None = None,
        json: object | None = None,
        form: Mapping[str, str] | None = None,
        timeout_s: float,
        max_bytes: int = 5_000_000,
        is_enough: Callable[[bytes], bool] | None = None,
        codings: str = ACCEPTED,
    ) -> Reply:
        sent = Sent(method, _address(url, params), dict(headers), form if json is None else json)
        self.kept.append((sent, None))
        reply = await super().send(
            method, url, headers=headers, params=params, json=json, form=form, timeout_s=timeout_s,
            max_bytes=max_bytes, is_enough=is_enough, codings=codings,
        )  # fmt: skip
        self.kept[-1] = (replace(sent, status=reply.status), reply.body)
        return reply


def _address(url: str, params: Mapping[str, str] | None) -> str:
    if not params:
        return url
    return f"{url}{'&' if '?' in url else '?'}{urlencode(params, quote_via=quote)}"


class KeyMask:
    """Masks the key of a provider in requests and answers, in every spelling, and all other secrets."""

    def __init__(self, key: str, redactor: Redactor) -> None:
        encoded = base64.b64encode(key.encode()).decode("ascii")
        spellings = {key, quote(key, safe=""), quote(key), quote_plus(key), encoded} if key else set()
        self._spellings = sorted(spellings, key=len, reverse=True)
        self._is_short = len(key) < _SHORTEST_ANYWHERE
        self._redactor = redactor

    def request(self, sent: Sent) -> Sent:
        """A request as it may be shown."""
        headers = {name: self._replace(value) for name, value in sent.headers.items()}
        return replace(sent, address=self._replace(sent.address), headers=headers, body=self._map(sent.body))

    def answer(self, body: bytes | None) -> object:
        """An answer as it may be shown."""
        text = (body or b"").decode("utf-8", "replace")
        try:
            parsed = parse_json(text)
        except ValueError:
            parsed = text
        return self._redactor.fields(parsed) if self._is_short else self._map(parsed)

    def _map(self, value: object) -> object:
        if isinstance(value, str):
            return self._replace(value)
        if isinstance(value, list):
            return list(map(self._map, value))
        if isinstance(value, dict):
            return {self._replace(str(name)): self._map(item) for name, item in value.items()}
        return self._number(value)

    def _number(self, value: object) -> object:
        """A key of digits may come back as a number."""
        return MASKED_KEY if str(value) in self._spellings else value

    def _replace(self, text: str) -> str:
        for each in self._spellings:
            text = text.replace(each, MASKED_KEY)
        return self._redactor.text(text)


class TrialFlow:
    """Calls one provider as a search would, without a fallback, and tells what happened."""

    def __init__(self, kit: Kit, spending: Spending) -> None:
        self._recorder = Recorder(kit.client, kit.user_agent)
        self._kit = replace(kit, client=self._recorder)
        self._spending = spending

    async def search(self, name: str, query: Query) -> Trial:
        """One search; a failure of the provider is part of the trial."""
        trial = Trial(provider=name, operation="search", requests=())
        provider = make_search(name, self._kit)
        try:
            async with self._spending.charge(name, "search"):
                found = await provider.search(query, Deadline.after(self._kit.clock, provider.timeout_s))
            trial = replace(trial, hits=found.hits, warnings=found.warnings)
        except ProviderError as error:
            trial = replace(trial, error=f"{error}", outcome=error.code)
        return await self._complete(trial, query.category)

    async def read(self, name: str, url: str) -> Trial:
        """One page by its reader."""
        trial = Trial(provider=name, operation="read", requests=())
        reader = make_reader(name, self._kit)
        try:
            async with self._spending.charge(name, "read"):
                page = await reader.read(url, Deadline.after(self._kit.clock, reader.timeout_s))
            trial = replace(trial, text=page.markdown, title=page.title)
        except ProviderError as error:
            trial = replace(trial, error=f"{error}", outcome=error.code)
        return await self._complete(trial, Category.GENERAL)

    async def _complete(self, trial: Trial, category: Category) -> Trial:
        await self._recorder.close()
        settings = self._kit.settings
        mask = KeyMask(_key(settings, trial.provider), self._kit.redactor)
        requests = tuple(replace(mask.request(sent), answer=mask.answer(body)) for sent, body in self._recorder.kept)
        description = describe(settings, trial.provider).get(trial.operation)
        fields = tuple(map_fields(description, category, requests)) if description and requests else ()
        return replace(trial, requests=requests, fields=fields)


def describe(settings: Settings, name: str) -> Mapping[str, Description]:
    """The descriptions of a provider by kind; none of one with an adapter of its own."""
    spec = settings.specs.get(name)
    if spec is None or not spec.source:
        return {}
    return settings.own.descriptions.get(name) or read_shipped(spec.source)[name]


def show_path(path: JsonPath) -> str:
    """A path as a description writes it."""
    return ".".join(path).replace(".[]", "[]") or "."


def map_fields(description: Description, category: Category, requests: Sequence[Sent]) -> Iterator[Mapped]:
    """Each field of a description, with the number of results that have it."""
    shape, body = description.shape_of(category), requests[-1].answer
    listed = _list(description, shape, body, requests[0].answer)
    if listed is None:
        yield Mapped("results", (show_path(shape.results),), 0, 1)
        return
    yield Mapped("results", (show_path(shape.results),), len(listed), len(listed))
    for name, pick in shape.fields.items():
        found = sum(bool(answer.pick_text(pick, item)) for item in listed)
        yield Mapped(name, tuple(map(show_path, pick.paths)), found, len(listed))
    beside = {"answers": shape.answers, "suggestions": shape.suggestions}
    yield from (_map_beside(name, paths, body) for name, paths in beside.items() if paths)


def _map_beside(name: str, paths: Sequence[JsonPath], body: object) -> Mapped:
    """Texts beside the results: at how many of the paths there is something."""
    there = sum(any(answer.walk(body, path)) for path in paths)
    return Mapped(name, tuple(map(show_path, paths)), there, len(paths))


def _list(description: Description, shape: AnswerShape, body: object, first: object) -> Sequence[object] | None:
    """The results of an answer, the single page of a reader included; `None` if they are not there."""
    found = next(answer.walk(body, shape.results), None)
    if description.then:
        return _by_id(found, next(answer.walk(first, description.then.ids), None))
    if found is None:
        return [] if shape.is_optional else None
    return [found] if description.kind == "read" else found if isinstance(found, list) else None


def _by_id(found: object, ids: object) -> Sequence[object] | None:
    """The results of an object by id; each knows its own."""
    if not isinstance(found, dict) or not isinstance(ids, list):
        return None
    return [{"uid": each, **found[each]} for each in map(str, ids) if isinstance(found.get(each), dict)]


def _key(settings: Settings, name: str) -> str:
    key = settings.providers[name].api_key if name in settings.providers else None
    return key.get_secret_value() if key else ""
