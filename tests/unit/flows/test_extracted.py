"""Texts by the bytes they were made from."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

import dowse.flows.extracted
from dowse.cache.entries import CacheEntries
from dowse.core.digests import Source
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Facts, Status, Text
from dowse.core.protocols import Extractor
from dowse.flows.extracted import RememberingExtractor
from dowse.stores.fail_soft import FailSoftStore, Outage
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Key
from tests.fakes import FakeClock
from tests.fakes.scripted import PlainExtractor

HOUR_S = 3600.0
ROOM_BYTES = 10_000_000
BODY = Body("https://site.example/page", b"# Otters\n\nThey swim.", "text/html", "utf-8")


class Counting(PlainExtractor):
    def __init__(self) -> None:
        self.bodies: list[Body] = []

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        self.bodies.append(body)
        return await super().extract(body, timeout_s=timeout_s)


@pytest.fixture
def behind() -> Counting:
    return Counting()


@pytest.fixture
def store(clock: FakeClock) -> MemoryStore:
    return MemoryStore(clock, ROOM_BYTES)


@pytest.fixture
async def extractor(behind: Counting, store: MemoryStore, clock: FakeClock) -> AsyncIterator[RememberingExtractor]:
    remembering = RememberingExtractor(behind, CacheEntries(FailSoftStore(store, Outage(clock)), clock), HOUR_S)
    yield remembering
    await remembering.close()


async def extracted(extractor: RememberingExtractor, body: Body = BODY) -> Text:
    """Once everything is kept."""
    text = await extractor.extract(body, timeout_s=5)
    await extractor.close()
    return text


async def test_the_same_bytes_are_converted_once(extractor: RememberingExtractor, behind: Counting) -> None:
    as_seam: Extractor = extractor
    first = await as_seam.extract(BODY, timeout_s=5)
    await extractor.close()

    assert first.title == "Otters"
    assert await as_seam.extract(BODY, timeout_s=5) == first
    assert len(behind.bodies) == 1


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
async def test_whatever_the_text_depends_on_makes_it_another(
    extractor: RememberingExtractor, behind: Counting, other: Body
) -> None:
    await extracted(extractor)
    await extracted(extractor, other)

    assert behind.bodies == [BODY, other]


@pytest.mark.parametrize(("name", "value"), [("__version__", "0.0.1"), ("EXTRACTION", 1)])
async def test_another_version_converts_anew(
    extractor: RememberingExtractor, behind: Counting, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    await extracted(extractor)
    monkeypatch.setattr(dowse.flows.extracted, name, value)
    await extracted(extractor)

    assert len(behind.bodies) == 2


async def test_what_is_known_about_a_page_is_kept_with_its_text(
    extractor: RememberingExtractor, behind: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = Text("Otters swim.", facts=Facts("article", "ana", "2026-03-02", "high", is_whole=True, hidden_words=3))

    async def gives(body: Body, *, timeout_s: float) -> Text:
        return text

    with monkeypatch.context() as patched:
        patched.setattr(behind, "extract", gives)
        await extracted(extractor)

    assert await extracted(extractor) == text


async def test_a_text_is_kept_for_its_time(extractor: RememberingExtractor, behind: Counting, clock: FakeClock) -> None:
    await extracted(extractor)
    clock.advance(HOUR_S + 1)
    await extracted(extractor)

    assert len(behind.bodies) == 2


async def test_nothing_is_looked_up_where_that_is_switched_off(
    extractor: RememberingExtractor, behind: Counting, store: MemoryStore, clock: FakeClock
) -> None:
    await extracted(extractor)
    switched_off = RememberingExtractor(behind, CacheEntries(FailSoftStore(store, Outage(clock)), clock), 0.0)
    await extracted(switched_off)

    assert len(behind.bodies) == 2


async def test_a_page_that_asks_for_no_copies_leaves_none(
    extractor: RememberingExtractor, behind: Counting, store: MemoryStore
) -> None:
    for _ in range(2):
        await extracted(extractor, replace(BODY, may_be_kept=False))

    assert len(behind.bodies) == 2
    assert not (await store.usage()).entries


@pytest.mark.parametrize("text", [Text("half a pair: \ud83d"), Text("for one reader", may_be_kept=False)])
async def test_a_text_that_cannot_or_may_not_be_kept_is_only_handed_on(
    extractor: RememberingExtractor,
    behind: Counting,
    store: MemoryStore,
    monkeypatch: pytest.MonkeyPatch,
    text: Text,
) -> None:
    async def gives(body: Body, *, timeout_s: float) -> Text:
        return text

    monkeypatch.setattr(behind, "extract", gives)

    assert await extracted(extractor) == text
    assert not (await store.usage()).entries


async def test_a_failure_is_not_kept(
    extractor: RememberingExtractor, behind: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(body: Body, *, timeout_s: float) -> Text:
        raise PageUnreadable(Status.ERROR, "could not be converted")

    with monkeypatch.context() as patched:
        patched.setattr(behind, "extract", fails)
        with pytest.raises(PageUnreadable):
            await extracted(extractor)

    assert (await extracted(extractor)).title == "Otters"


async def test_very_long_texts_are_converted_each_time(
    extractor: RememberingExtractor, behind: Counting, store: MemoryStore
) -> None:
    """To write one down would hold up everybody else."""
    await extracted(extractor, replace(BODY, data=b"x" * 1_000_001))

    assert not (await store.usage()).entries


async def test_a_large_page_is_kept(extractor: RememberingExtractor, behind: Counting) -> None:
    large = replace(BODY, data=b"# Otters\n" + b"They swim. " * 50_000)
    texts = [await extracted(extractor, large) for _ in range(2)]

    assert texts[0] == texts[1]
    assert len(behind.bodies) == 1


@pytest.mark.parametrize("forged", [b"", b"{}", b'{"markdown": 1}', b"[]", b'{"markdown": "x", "is_cut": "no"}'])
async def test_a_kept_entry_of_another_shape_is_not_believed(
    extractor: RememberingExtractor, behind: Counting, monkeypatch: pytest.MonkeyPatch, forged: bytes
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("dowse.cache.entries.Codec.encode", lambda _codec, _value: forged)
        await extracted(extractor)

    assert (await extracted(extractor)).title == "Otters"
    assert len(behind.bodies) == 2


async def test_an_answer_does_not_wait_until_it_is_kept(clock: FakeClock) -> None:
    class Held(MemoryStore):
        may_go = asyncio.Event()

        async def put(self, key: Key, value: bytes, kept_s: float) -> None:
            await self.may_go.wait()
            await super().put(key, value, kept_s)

    store = Held(clock, ROOM_BYTES)
    extractor = RememberingExtractor(PlainExtractor(), CacheEntries(FailSoftStore(store, Outage(clock)), clock), HOUR_S)
    assert (await extractor.extract(BODY, timeout_s=5)).title == "Otters"
    assert not (await store.usage()).entries

    store.may_go.set()
    await extractor.close()
    assert (await store.usage()).entries == {"extract": 1}


async def test_the_extractor_behind_it_gets_the_time_that_is_left(
    extractor: RememberingExtractor, behind: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []

    async def listens(body: Body, *, timeout_s: float) -> Text:
        given.append(timeout_s)
        return Text("x")

    monkeypatch.setattr(behind, "extract", listens)
    await extracted(extractor)

    assert 4 < given[0] < 5


async def test_pieces_and_passages_pass_through(extractor: RememberingExtractor, behind: Counting) -> None:
    pieces = ["<p>Otters</p>", "<b>swim</b>"]
    url = "https://site.example/"

    assert await extractor.render(pieces, url=url, timeout_s=5) == await behind.render(pieces, url=url, timeout_s=5)
    page = [Source("Otters swim")]
    assert await extractor.digest("swim", page, 10, timeout_s=5) == await behind.digest("swim", page, 10, timeout_s=5)
