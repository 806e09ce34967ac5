"""Bytes that were extracted before are not extracted again: the text of the cached page is reused."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from dowse.cache.entries import PageLifetimes
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Deadline, Facts, Page, Status, Text
from dowse.flows import readers
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Key
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.memory import remembering
from tests.fakes.reading import reading
from tests.fakes.scripted import PlainExtractor

ROOM_BYTES = 20_000_000
URL = "https://site.example/page"
BODY = Body(URL, b"# Otters\n\nThey swim.", "text/html", "utf-8")
HOURS = PageLifetimes(fresh_s=3600, failure_s=0, stale_s=86_400)
NEVER = PageLifetimes(0, 0, 0)


class Counting(PlainExtractor):
    def __init__(self) -> None:
        self.bodies: list[Body] = []
        self.given_s: list[float] = []
        self.gives: Text | Exception | None = None

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        self.bodies.append(body)
        self.given_s.append(timeout_s)
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives or await super().extract(body, timeout_s=timeout_s)


class Site:
    """Sends a body without validators, so that only its bytes tell whether it has changed."""

    name = "direct"

    def __init__(self) -> None:
        self.body = BODY

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
        return self.body


class Bench:
    """A page that is read, and read again when its cached text is too old to be served."""

    def __init__(self, lifetimes: PageLifetimes = HOURS, store: type[MemoryStore] = MemoryStore) -> None:
        self.clock, self.site, self.extractor = FakeClock(), Site(), Counting()
        self.store = store(self.clock, ROOM_BYTES)
        self.cache = remembering(self.clock, store=self.store)
        self.switch(lifetimes)

    def switch(self, lifetimes: PageLifetimes) -> None:
        self.reader = reading(
            self.site,
            clock=self.clock,
            observer=RecordingObserver(),
            extractor=self.extractor,
            memory=self.cache,
            lifetimes=lifetimes,
        )

    async def read(self, body: Body = BODY) -> Page:
        """The page once everything is stored; it is too old to be served after this."""
        self.site.body = body
        page = await self.reader.read(URL, Deadline.after(self.clock, 50))
        while tasks := {*self.cache._flights._tasks.values(), *self.cache._background.tasks}:
            await asyncio.wait(tasks)
        self.clock.advance(10_000)
        return page

    async def entries(self) -> dict[str, int]:
        return dict((await self.store.usage()).entries)


async def test_the_same_bytes_are_converted_once() -> None:
    bench = Bench()
    first = await bench.read()
    again = await bench.read()
    assert (first.title, again.title, again.text) == ("Otters", "Otters", first.text)
    assert len(bench.extractor.bodies) == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(BODY, data=b"# Otters\n\nThey sleep."),
        replace(BODY, media_type="text/plain"),
        replace(BODY, charset="iso-8859-1"),
        replace(BODY, url="https://site.example/other"),
        replace(BODY, media_type="text/htm", charset="lutf-8"),
    ],
)
async def test_whatever_the_text_depends_on_makes_it_another(other: Body) -> None:
    bench = Bench()
    await bench.read()
    await bench.read(other)
    assert bench.extractor.bodies == [BODY, other]


@pytest.mark.parametrize(("name", "value"), [("__version__", "0.0.1"), ("EXTRACTION", 1)])
async def test_another_version_converts_anew(monkeypatch: pytest.MonkeyPatch, name: str, value: object) -> None:
    bench = Bench()
    await bench.read()
    monkeypatch.setattr(readers, name, value)
    await bench.read()
    assert len(bench.extractor.bodies) == 2


async def test_what_is_known_about_a_page_is_kept_with_its_text() -> None:
    bench, facts = Bench(), Facts("article", "ana", "2026-03-02", "high", is_whole=True, hidden_words=3)
    bench.extractor.gives = Text("Otters swim.", facts=facts)
    await bench.read()
    bench.extractor.gives = None
    page = await bench.read()
    assert (page.text, page.facts) == ("Otters swim.", facts)


async def test_a_text_is_kept_for_its_time() -> None:
    bench = Bench()
    await bench.read()
    bench.clock.advance(76_400)
    await bench.read()
    assert len(bench.extractor.bodies) == 2


async def test_nothing_is_looked_up_where_that_is_switched_off() -> None:
    bench = Bench()
    await bench.read()
    bench.switch(NEVER)
    await bench.read()
    assert len(bench.extractor.bodies) == 2


async def test_a_page_that_asks_for_no_copies_leaves_none() -> None:
    bench = Bench()
    for _ in range(2):
        await bench.read(replace(BODY, may_be_kept=False))
    assert len(bench.extractor.bodies) == 2
    assert not await bench.entries()


@pytest.mark.parametrize("text", [Text("half a pair: \ud83d"), Text("for one reader", may_be_kept=False)])
async def test_a_text_that_cannot_or_may_not_be_kept_is_only_handed_on(text: Text) -> None:
    bench = Bench()
    bench.extractor.gives = text
    assert (await bench.read()).text == text.markdown
    assert not await bench.entries()


async def test_a_failure_is_not_kept() -> None:
    bench = Bench()
    bench.extractor.gives = PageUnreadable(Status.ERROR, "could not be converted")
    assert (await bench.read()).status is Status.ERROR
    bench.extractor.gives = None
    assert (await bench.read()).title == "Otters"


async def test_texts_that_are_too_long_to_keep_are_converted_each_time() -> None:
    bench = Bench()
    for _ in range(2):
        await bench.read(replace(BODY, data=b"x" * 4_000_001))
    assert len(bench.extractor.bodies) == 2
    assert not await bench.entries()


async def test_a_large_page_is_kept() -> None:
    bench, large = Bench(), replace(BODY, data=b"# Otters\n" + b"They swim. " * 50_000)
    texts = [(await bench.read(large)).text for _ in range(2)]
    assert texts[0] == texts[1]
    assert len(bench.extractor.bodies) == 1


@pytest.mark.parametrize("forged", [b"", b"{}", b'{"answer": 1}', b"[]", b'{"provider": "direct", "answer": {}}'])
async def test_a_kept_entry_of_another_shape_is_not_believed(monkeypatch: pytest.MonkeyPatch, forged: bytes) -> None:
    bench = Bench()
    with monkeypatch.context() as patched:
        patched.setattr("dowse.cache.entries.Codec.encode", lambda _codec, _value: forged)
        await bench.read()
    assert (await bench.read()).title == "Otters"
    assert len(bench.extractor.bodies) == 2


class Held(MemoryStore):
    """A store that writes when a test lets it."""

    may_go: asyncio.Event

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        await self.may_go.wait()
        await super().put(key, value, kept_s)


async def test_an_answer_does_not_wait_until_it_is_kept() -> None:
    Held.may_go = asyncio.Event()
    bench = Bench(store=Held)
    page = await bench.reader.read(URL, Deadline.after(bench.clock, 50))
    assert page.title == "Otters"
    assert not await bench.entries()
    Held.may_go.set()
    await bench.cache.close()
    assert await bench.entries() == {"page": 1}


async def test_the_extractor_gets_the_time_that_is_left() -> None:
    bench = Bench()
    page = await bench.reader.read(URL, Deadline.after(bench.clock, 5))
    assert page.title == "Otters"
    assert 4 < bench.extractor.given_s[0] <= 5
