"""Bad lines to providers, pages and the store: every outcome has a name, and the next provider or reader answers.

That no call is late is in `tests/slow`.
"""

from __future__ import annotations

import asyncio
import gzip
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import pytest

from dowse.app import App
from dowse.core.runtime import no_progress
from dowse.settings import SEARCHERS
from dowse.settings.sources import load
from tests.doubles import PocketWeb
from tests.fakes import RecordingObserver
from tests.faultproxy import (
    HOST,
    Ending,
    Fault,
    FaultProxy,
    bandwidth,
    corrupt,
    half_headers,
    latency,
    limit,
    reset,
    slicing,
    slow_close,
    timeout,
    wrong_length,
)
from tests.processes import descriptors
from tests.support.eventually import eventually
from tests.support.workers import forked_workers  # noqa: F401
from tests.valkey import Valkey

T = TypeVar("T")

# Only for lines on which no answer comes: all others may take their time on a busy machine.
SILENCE = "500ms"
SOON_S = 60.0
FORGETFUL = {"DOWSE_STATE": "memory:"}
TYPED = {"DOWSE_STRUCTURED": "on"}

# Everything arrives in the end, though not as it should.
HARMLESS: dict[str, tuple[Fault, ...]] = {
    "latency": (latency(0.03, jitter_s=0.02),),
    "bandwidth": (bandwidth(200_000),),
    "slicing": (slicing(1000, 0.002),),
    "slow close": (slow_close(5),),
    "slow in every way": (latency(0.03), slicing(2000, 0.002), slow_close(5)),
}
TIMEOUTS: dict[str, tuple[Fault, ...]] = {
    "no answer": (timeout(),),
    "no more after a while": (timeout(300),),
    "half headers, then silence": (half_headers(),),
    "a length that is never reached": (wrong_length(50),),
}
BROKEN: dict[str, tuple[Fault, ...]] = {
    "reset": (reset(),),
    "reset after a while": (reset(300),),
    "closed too early": (limit(300),),
    "half headers, then the end": (half_headers(Ending.CLOSE),),
    "a length that is exceeded": (wrong_length(-50),),
    "nonsense from the first byte": (corrupt(every=5, spares_heads=False),),
    "slow, and then reset": (latency(0.05), slicing(100, 0.002), reset(250)),
}
DAMAGED: dict[str, tuple[Fault, ...]] = {"a damaged body": (corrupt(every=10),)}
FAULTS = HARMLESS | TIMEOUTS | BROKEN | DAMAGED
OUTCOMES = {
    **dict.fromkeys(HARMLESS, "ok"),
    **dict.fromkeys(TIMEOUTS, "timeout"),
    **dict.fromkeys(BROKEN, "network_error"),
    **dict.fromkeys(DAMAGED, "bad_answer"),
    "down": "network_error",
}


@pytest.fixture(autouse=True)
async def nothing_is_left() -> AsyncIterator[None]:
    """No task and no descriptor survives a test, however its connections ended."""
    tasks, files = asyncio.all_tasks(), len(descriptors())
    yield
    own = asyncio.current_task()
    # What was told to end may need a moment for it.
    await eventually(lambda: asyncio.all_tasks() - {own} <= tasks and len(descriptors()) <= files, SOON_S)


@dataclass(frozen=True, slots=True)
class Told:
    """What a call came to."""

    structured: Mapping[str, Any]
    seconds: float

    @property
    def attempts(self) -> list[tuple[str, str]]:
        return [(attempt["provider"], attempt["outcome"]) for attempt in self.structured["attempts"]]


async def ask(app: App, name: str, arguments: Mapping[str, object]) -> Told:
    """A call that has to be answered; a page that could not be read is an error with its status."""
    tool = app.contract.tool(name)
    assert tool
    started = time.monotonic()
    answer = await asyncio.wait_for(app.dispatcher.call(tool, arguments, no_progress), SOON_S)
    seconds = time.monotonic() - started
    assert answer.structured, answer.text
    assert answer.is_error == (answer.structured.get("status", "ok") not in ("ok", "truncated")), answer.text
    return Told(answer.structured, seconds)


@asynccontextmanager
async def bad_lines(port: int) -> AsyncIterator[dict[str, FaultProxy]]:
    """A line with every fault to the same server, and one to nobody."""
    async with AsyncExitStack() as stack:
        lines = {name: await stack.enter_async_context(FaultProxy(port)) for name in OUTCOMES}
        for name, faults in FAULTS.items():
            lines[name].answers = faults
        await lines["down"].down()
        yield lines


async def on_each(
    lines: Mapping[str, FaultProxy], case: Callable[[FaultProxy, str], Coroutine[None, None, T]]
) -> dict[str, T]:
    """The same on every line, all at once."""
    told = await asyncio.gather(*(case(proxy, name) for name, proxy in lines.items()))
    return dict(zip(lines, told, strict=True))


@dataclass(frozen=True, slots=True)
class Provider:
    """One kind of provider: how it is reached, and which one comes after it."""

    then: str
    variable: str
    path: str
    keys: tuple[str, ...] = ()
    settings: Mapping[str, str] | None = None
    tool: str = "web_search"

    def environment(self, name: str, web: PocketWeb, through: FaultProxy, timeout: str = "") -> dict[str, str]:
        own = {self.variable: f"http://{HOST}:{through.port}{self.path}"}
        if timeout:
            own[f"{name.upper()}_TIMEOUT"] = timeout
        if name in SEARCHERS:
            own["DOWSE_SEARCH_ORDER"] = f"{name},{self.then}"
        return {**web.environment(*self.keys), **FORGETFUL, **own, **(self.settings or {})}


PROVIDERS = {
    "serper": Provider("tavily", "SERPER_SEARCH_ENDPOINT", "/serper/search", ("serper", "tavily")),
    "tavily": Provider("serper", "TAVILY_SEARCH_ENDPOINT", "/tavily/search", ("serper", "tavily")),
    "exa": Provider("serper", "EXA_SEARCH_ENDPOINT", "/exa/search", ("serper", "exa")),
    "searxng": Provider("serper", "SEARXNG_URL", "/searxng", ("serper", "searxng")),
    "exa_mcp": Provider(
        "parallel_mcp",
        "EXA_MCP_URL",
        "/exa_mcp/mcp",
        settings={"DOWSE_KEYLESS": "on", "DOWSE_KEYLESS_ORDER": "exa_mcp,parallel_mcp"},
    ),
    "openai": Provider("serper", "OPENAI_BASE_URL", "/openai/v1", ("openai", "serper"), tool="search_web"),
}


FOUND = {"title": "Python release", "url": "https://site.example/", "snippet": "Python 3.15 is out."}


async def search(provider: Provider, environment: Mapping[str, str]) -> Told:
    """A search by an application of its own."""
    # What follows a model is a search with its pages, for which the others have nothing to do.
    further = {"fetch_content": False} if provider.tool == "web_search" else {}
    async with App(load({}, {**TYPED, **environment}).settings) as app:
        return await ask(app, provider.tool, {"query": "python release", **further})


@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_bad_line_to_a_provider_has_a_name_and_the_next_one_answers(name: str, web: PocketWeb) -> None:
    provider = PROVIDERS[name]

    async def case(proxy: FaultProxy, fault: str) -> Told:
        timeout = SILENCE if fault in TIMEOUTS else ""
        return await search(provider, provider.environment(name, web, proxy, timeout))

    web.serper.finds([FOUND])
    async with bad_lines(web.port) as lines:
        told = await on_each(lines, case)
    expected = {
        fault: [(name, outcome)] + ([] if outcome == "ok" else [(provider.then, "ok")])
        for fault, outcome in OUTCOMES.items()
    }
    assert {fault: each.attempts for fault, each in told.items()} == expected


@pytest.mark.parametrize("name", ["serper", "exa_mcp"])
async def test_questions_that_do_not_get_through_are_no_different(name: str, web: PocketWeb) -> None:
    provider = PROVIDERS[name]

    async def case(fault: Fault, within: str = "") -> list[tuple[str, str]]:
        async with FaultProxy(web.port) as proxy:
            proxy.questions = (fault,)
            return (await search(provider, provider.environment(name, web, proxy, within))).attempts

    fine, lost, torn = await asyncio.gather(case(slicing(50, 0.002)), case(timeout(100), SILENCE), case(reset(100)))
    assert fine == [(name, "ok")]
    assert lost == [(name, "timeout"), (provider.then, "ok")]
    assert torn == [(name, "network_error"), (provider.then, "ok")]


PARAGRAPH = "<p>The otter swims in the river all winter long and looks for fish under the ice.</p>"
LAST = "The last otter sleeps."
PAGE = f"<title>Otters</title><article><h1>Otters</h1>{PARAGRAPH * 40}<p>{LAST}</p></article>".encode()


@pytest.mark.parametrize("path", ["/plain", "/packed"])
async def test_a_page_is_shown_whole_or_not_at_all(path: str, web: PocketWeb) -> None:
    """A little damage within plain text has no mark of its own. Much of it is no text any more, and packed, it does
    not open."""
    web.pages.serves("/plain", PAGE)
    web.pages.serves("/packed", gzip.compress(PAGE), headers={"Content-Encoding": "gzip"})
    async with bad_lines(web.port) as lines:
        ports = [web.port, *(proxy.port for proxy in lines.values())]
        settings = {**web.environment(), **FORGETFUL}
        settings["DOWSE_ALLOW_PRIVATE"] = ",".join(f"{HOST}:{port}" for port in ports)
        short_timeout = {**settings, "DOWSE_CONTENT_FETCH_TIMEOUT": SILENCE}
        async with (
            App(load({}, {**TYPED, **settings}).settings) as app,
            App(load({}, {**TYPED, **short_timeout}).settings) as short_app,
        ):

            async def case(proxy: FaultProxy, fault: str) -> Told:
                reader = short_app if fault in TIMEOUTS else app
                return await ask(reader, "get_content", {"url": f"http://{HOST}:{proxy.port}{path}"})

            told = await on_each(lines, case)
    statuses = {fault: each.structured["status"] for fault, each in told.items()}
    pages = {"ok": "ok", "timeout": "timeout", "network_error": "error", "bad_answer": "error"}
    expected = {fault: pages[outcome] for fault, outcome in OUTCOMES.items()}
    assert statuses == expected
    for fault, each in told.items():
        is_whole = LAST in each.structured["page_content"]
        assert is_whole == (fault in HARMLESS), fault


@pytest.mark.parametrize(
    ("reader", "variable", "path", "order"),
    [
        ("pypi", "PYPI_URL", "/pypi", "direct-first"),
        ("serper", "SERPER_SCRAPE_ENDPOINT", "/serper/scrape", "scrape-first"),
    ],
)
async def test_a_reader_with_a_bad_line_leaves_the_page_to_the_next_one(
    reader: str, variable: str, path: str, order: str, web: PocketWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(*_arguments: object, **_options: object) -> NoReturn:
        raise OSError("nothing is looked up here")

    # After the loader the site itself is read, and it is not in this machine.
    monkeypatch.setattr("dowse.net.sockets.socket.getaddrinfo", nowhere)
    following = [("direct", "error")] if reader == "pypi" else [("pypi", "ok")]

    async def case(proxy: FaultProxy, fault: str) -> Told:
        own = {variable: f"http://{HOST}:{proxy.port}{path}", "DOWSE_READ_ORDER": order}
        if fault in TIMEOUTS:
            # A loader of a site has its part of the time that the call has.
            own |= {"SERPER_TIMEOUT": SILENCE} if reader == "serper" else {"DOWSE_DEADLINE_S": "3s"}
        async with App(load({}, {**TYPED, **web.environment("serper"), **FORGETFUL, **own}).settings) as app:
            return await ask(app, "get_content", {"url": "https://pypi.org/project/lantern/"})

    async with bad_lines(web.port) as lines:
        told = await on_each(lines, case)
    expected = {
        fault: [(reader, outcome)] + ([] if outcome == "ok" else following) for fault, outcome in OUTCOMES.items()
    }
    assert {fault: each.attempts for fault, each in told.items()} == expected


async def test_a_bad_line_to_the_store_never_fails_a_search(web: PocketWeb, valkey: Valkey) -> None:
    """Nor does it change one: what was kept and is damaged is not shown."""
    valkey.ask("FLUSHALL")
    web.serper.finds(["/articles/python-315", "/docs/retrying"])

    observers: dict[str, RecordingObserver] = defaultdict(RecordingObserver)

    async def case(proxy: FaultProxy, fault: str) -> list[Told]:
        own = {"DOWSE_STATE": f"redis://{HOST}:{proxy.port}/0", "DOWSE_TTL_SEARCH": "5m"}
        async with App(load({}, {**TYPED, **web.environment("serper"), **own}).settings) as app:
            app.observer.add(observers[fault])
            asked = {"query": f"python release {fault}", "fetch_content": False}
            return [await ask(app, "web_search", asked) for _ in range(3)]

    async with bad_lines(valkey.port) as lines:
        # First those that the store's own patience must suffice for.
        told = await on_each({fault: lines[fault] for fault in HARMLESS}, case)
        told |= await on_each({fault: lines[fault] for fault in OUTCOMES if fault not in HARMLESS}, case)
    titles = {tuple(item["title"] for item in each.structured["results"]) for three in told.values() for each in three}
    assert len(titles) == 1
    for fault in HARMLESS:
        assert [each.structured["cache"] for each in told[fault]] == ["miss", "hit", "hit"], fault
        assert observers[fault].store == [], fault
    for fault in ("down", "reset", "no answer"):
        assert observers[fault].store == ["down"], fault
    # An outage is told to the operator, not to callers.
    assert not any(each.structured["warnings"] for three in told.values() for each in three)


async def test_a_store_that_comes_and_goes_costs_no_search(web: PocketWeb, valkey: Valkey) -> None:
    async with FaultProxy(valkey.port) as proxy:
        settings = {**web.environment("serper"), "DOWSE_STATE": f"redis://{HOST}:{proxy.port}/0"}
        async with App(load({}, {**TYPED, **settings}).settings) as app:
            for name in ("latency", "reset", "no more after a while", "a damaged body", "slicing"):
                proxy.answers = FAULTS[name]
                await ask(app, "web_search", {"query": f"python {name}", "fetch_content": False})
                await proxy.down()
                await ask(app, "web_search", {"query": f"python after {name}", "fetch_content": False})
                await proxy.up()
