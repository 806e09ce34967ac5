"""Keys of described providers stay with their host: canaries, redirects, and three hundred mutated descriptions."""

from __future__ import annotations

import copy
import random
import tomllib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
import tomlkit
from aiohttp import web as web_server
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest
from aiohttp.tracing import Trace

from dowse.core.errors import ProviderError
from dowse.core.models import Category, Deadline, Query, TimeRange
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.guard import Guard
from dowse.net.wire import build_session
from dowse.providers.disclosure import Disclosure
from dowse.providers.table import Kit, make_reader, make_search
from dowse.routing.limiter import SlidingWindows
from dowse.secrets.redact import Redactor
from dowse.settings import SPECS, Settings
from dowse.settings.described.files import SHIPPED
from dowse.settings.sources import examine, load
from tests.doubles import memory
from tests.doubles.memory import MemoryConnector
from tests.doubles.recorded_api import recorded
from tests.fakes import FakeClock
from tests.fakes.listings import ListingsHere
from tests.fakes.memory import remembering

CANARY = "cAnary-9f31c0aa7d5b4e62"
MUTATIONS = 300
DESCRIBED = [spec for spec in SPECS.values() if spec.source and spec.key]
JUNK: list[Any] = [
    *(0, -1, 7, 10**30, 1.5, True, "", " ", "x", "a" * 3000, [], {}, ["x"], {"x": 1}, [[["x"]]], "\u202e", "../.."),
    *("https://evil.example/", "//evil.example/x", "http://127.0.0.1@evil.example/", "{query}", "${HOME}", "a[].b"),
    *("header", "query", "POST", "GET", "Authorization", "Host", "MINE_API_KEY", "SERPER_API_KEY", "read", "none"),
]  # fmt: skip
ANSWERS: list[object] = [{}, [], "text", 7, None, {"results": 1}, {"error": "no"}]


@dataclass
class Everywhere:
    """Every host there is: what each was sent, and the answers in turn."""

    seen: list[tuple[str, str]] = field(default_factory=list)
    """The origin of each request, and all that was in it."""
    answer: object = None
    redirect: str = ""

    async def handle(self, request: web_server.Request) -> web_server.StreamResponse:
        body = (await request.read()).decode("utf-8", "replace")
        self.seen.append((request.host, f"{request.path_qs}\n{dict(request.headers)}\n{body}"))
        if self.redirect:
            return web_server.Response(status=307, headers={"Location": self.redirect})
        return web_server.json_response(self.answer)

    def hosts_with(self, secret: str) -> set[str]:
        return {host for host, text in self.seen if secret in text}


@pytest.fixture
async def everywhere() -> AsyncIterator[tuple[Everywhere, ConfiguredClient]]:
    here = Everywhere()
    app = web_server.Application()
    app.router.add_route("*", "/{rest:.*}", here.handle)
    runner = web_server.AppRunner(app, access_log=None)
    await runner.setup()
    assert runner.server is not None
    port = memory.listen(runner.server)

    class Anywhere(MemoryConnector):
        """Every address leads to the same server, which sees the name that was dialled."""

        async def _create_connection(
            self,
            req: ClientRequest,
            traces: list[Trace],
            timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - the signature is aiohttp's
        ) -> ResponseHandler:
            target, req.url = req.url, req.url.with_scheme("http").with_host(memory.HOST).with_port(port)
            try:
                return await super()._create_connection(req, traces, timeout)
            finally:
                req.url = target

    client = ConfiguredClient("dowse/test", lambda: build_session(Anywhere()))
    yield here, client
    await client.close()
    memory.close(port)
    await runner.cleanup()


def kit(settings: Settings, client: ConfiguredClient) -> Kit:
    clock = FakeClock()
    pages = UntrustedClient(Guard((), clock=clock), "dowse/test", open_session=lambda: build_session(MemoryConnector()))
    redactor, cache = Redactor(settings.secrets()), remembering(clock).entries
    limiter = SlidingWindows(clock)
    return Kit(settings, client, pages, ListingsHere(), cache, clock, redactor, Disclosure(), limiter, "dowse/test")


async def use(settings: Settings, name: str, client: ConfiguredClient) -> None:
    """A search with every filter, a plain one, and a page; failures are typed."""
    spec, deadline = settings.specs[name], Deadline.after(FakeClock(), 30)
    filters: dict[str, Any] = {"language": "de", "country": "no", "safe_search": 1, "page": 2, "location": "Oslo"}
    filters |= {"time_range": TimeRange.WEEK, "include_domains": ("a.example",), "exclude_domains": ("b.example",)}
    for query in (Query("x"), Query("x", category=Category.NEWS, **filters), Query("x", start_date="2026-01-01")):
        if "search" in spec.operations:
            try:
                await make_search(name, kit(settings, client)).search(query, deadline)
            except ProviderError as error:
                assert CANARY not in str(error)
    if "read" in spec.operations:
        try:
            await make_reader(name, kit(settings, client)).read("https://a.example/page", deadline)
        except ProviderError as error:
            assert CANARY not in str(error)


@pytest.mark.promise("described-keys")
@pytest.mark.parametrize("spec", DESCRIBED, ids=lambda spec: spec.name)
async def test_a_key_goes_to_the_host_of_its_description_only(
    everywhere: tuple[Everywhere, ConfiguredClient], spec: Any
) -> None:
    here, client = everywhere
    settings = load({}, {spec.key: CANARY}).settings
    await use(settings, spec.name, client)
    assert here.seen
    assert here.hosts_with(CANARY) == {urlsplit(each.default).hostname for each in spec.endpoints.values()}


@pytest.mark.promise("described-keys")
async def test_a_key_follows_the_endpoint_that_the_operator_set(
    everywhere: tuple[Everywhere, ConfiguredClient],
) -> None:
    here, client = everywhere
    environ = {"BRAVE_API_KEY": CANARY, "BRAVE_SEARCH_ENDPOINT": "https://gateway.example/res/v1/web/search"}
    await use(load({}, environ).settings, "brave", client)
    assert here.hosts_with(CANARY) == {"gateway.example"}
    assert any("/res/v1/news/search" in text for _, text in here.seen), "categories stay beside it"


@pytest.mark.promise("described-keys")
@pytest.mark.parametrize("spec", DESCRIBED, ids=lambda spec: spec.name)
async def test_no_redirect_is_followed_with_a_key(everywhere: tuple[Everywhere, ConfiguredClient], spec: Any) -> None:
    here, client = everywhere
    here.redirect = "https://evil.example/steal"
    await use(load({}, {spec.key: CANARY}).settings, spec.name, client)
    assert "evil.example" not in {host for host, _ in here.seen}


async def test_a_changed_address_gets_its_own_key_and_never_the_shipped_one(
    everywhere: tuple[Everywhere, ConfiguredClient], tmp_path: Path
) -> None:
    here, client = everywhere
    path = tmp_path / "own.toml"
    path.write_text('[brave]\nurl = "https://mirror.example/web/search"\nauth = {env = "MIRROR_KEY"}\n')
    environ = {"DOWSE_PROVIDERS_FILE": str(path), "BRAVE_API_KEY": CANARY, "MIRROR_KEY": "own-key-of-the-mirror"}
    await use(load({}, environ).settings, "brave", client)
    assert here.hosts_with(CANARY) == set()
    assert here.hosts_with("own-key-of-the-mirror") == {"mirror.example"}


@pytest.mark.promise("described-mutations")
async def test_a_mutated_description_works_or_is_refused_with_line_and_key_and_its_key_stays_at_home(
    everywhere: tuple[Everywhere, ConfiguredClient], tmp_path: Path
) -> None:
    here, client = everywhere
    chance, path = random.Random(20261119), tmp_path / "own.toml"
    tables = list(shipped_tables())
    bodies = [*ANSWERS, *(pair.answer() for pairs in recorded().values() for pair in pairs)]
    accepted = refused = 0
    for number in range(MUTATIONS):
        table = copy.deepcopy(chance.choice(tables))
        for _ in range(chance.randint(1, 3)):
            mutate(table, chance)
        path.write_text(tomlkit.dumps({"mine": table}), encoding="utf-8")
        # Keys of others lie about in the environment as well.
        environ = {"DOWSE_PROVIDERS_FILE": str(path), "HOME": str(tmp_path), "SERPER_API_KEY": f"{CANARY}-serper"}
        environ |= {"MINE_API_KEY": CANARY, "BRAVE_API_KEY": f"{CANARY}-brave", "MINE_URL": "https://node.example"}
        found = examine({}, environ)
        if found.problems:
            refused += 1
            (problem,) = found.problems
            assert problem.startswith(f"{path}, line "), problem
            assert CANARY not in problem
            continue
        accepted += 1
        here.seen.clear()
        here.answer = chance.choice(bodies)
        for name in found.settings.own.specs:
            await use(found.settings, name, client)
        own = tomllib.loads(path.read_text(encoding="utf-8"))["mine"]
        home = {urlsplit(own.get("url", "")).hostname, "node.example"}
        assert {host.partition(":")[0] for host in here.hosts_with(CANARY)} <= home, number
        assert here.hosts_with(f"{CANARY}-") == set(), number
    assert accepted + refused == MUTATIONS
    assert min(accepted, refused) >= MUTATIONS // 10, (accepted, refused)


def shipped_tables() -> Iterator[dict[str, Any]]:
    for path in sorted(SHIPPED.glob("*.toml")):
        for table in tomllib.loads(path.read_text(encoding="utf-8")).values():
            yield {name: value for name, value in table.items() if name not in ("name", "allowance_of", "nicknames")}


def mutate(table: dict[str, Any], chance: random.Random) -> None:
    """Change one value at any depth: leave it out, replace it, move it, cut it, or add another."""
    places = list(walk(table))
    holder, key = chance.choice(places)
    value = holder[key]
    match chance.randrange(6):
        case 0:
            del holder[key]
        case 1:
            holder[key] = copy.deepcopy(chance.choice(JUNK))
        case 2:
            other, name = chance.choice(places)
            holder[key] = copy.deepcopy(other[name]) if name in other else 1
        case 3 if isinstance(value, str) and value:
            at = chance.randrange(len(value))
            holder[key] = value[:at] + chance.choice(["", "\u200b", ".", "[]", "@evil.example/", "x"]) + value[at + 1 :]
        case 4:
            holder[chance.choice(["url", "env", "name", "auth", "in", "colour", "extends", "own_server"])] = value
        case _ if isinstance(value, int) and not isinstance(value, bool):
            holder[key] = value * chance.choice([-1, 0, 2, 1000])
        case _:
            holder[key] = [value, value]


def walk(table: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    for key, value in table.items():
        yield table, key
        if isinstance(value, dict):
            yield from walk(value)
