"""What is known of instances outlives the process, is shared with others, and is not believed where it is damaged."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from dowse.providers.searxng.instance import KIND, Instance, name_of
from dowse.providers.searxng.table import InstanceRecords
from tests.fakes import FakeClock
from tests.unit.providers.searxng.given import a_cache

ELM = Instance(
    "https://elm.example",
    grade="A+",
    uptime=99.5,
    response_ms=412,
    last_checked=1_800_000_000.5,
    rate_limited_until=1_800_000_900.0,
    resting_until=1_800_000_060.0,
    consecutive_failures=3,
    is_out=True,
    unparsed=2,
    blocked_until=1_800_086_400.0,
    reason="its certificate is not good",
    json=False,
)
FIR = Instance("https://fir.example", grade="B")


async def test_everything_that_is_known_is_read_back(clock: FakeClock) -> None:
    cache = a_cache(clock)
    records = InstanceRecords("searxng_pool", cache)
    records.write(ELM)
    records.write(FIR)
    await records.finish()
    assert await InstanceRecords("searxng_pool", cache).read() == {ELM.url: ELM, FIR.url: FIR}
    assert await InstanceRecords("searxng", cache).read() == {}


async def test_processes_do_not_undo_what_the_others_wrote(clock: FakeClock) -> None:
    cache = a_cache(clock)
    one, other = InstanceRecords("searxng_pool", cache), InstanceRecords("searxng_pool", cache)
    one.write(ELM)
    await one.finish()
    other.write(FIR)
    await other.finish()
    one.write(replace(ELM, reason="again"))
    await one.finish()
    assert await other.read() == {ELM.url: replace(ELM, reason="again"), FIR.url: FIR}


async def test_many_changes_are_written_at_once(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, puts = a_cache(clock), list[bytes]()
    put = cache.put

    async def counting(kind: str, name: str, value: bytes, kept_s: float) -> None:
        puts.append(value)
        await put(kind, name, value, kept_s)

    monkeypatch.setattr(cache, "put", counting)
    records = InstanceRecords("searxng_pool", cache)
    for failures in range(100):
        records.write(replace(FIR, consecutive_failures=failures))
    await records.finish()
    assert len(puts) == 1
    assert (await records.read())[FIR.url].consecutive_failures == 99


async def test_what_changes_while_something_is_being_written_is_written_after_it(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, arrived, may_go = a_cache(clock), asyncio.Event(), asyncio.Event()
    put = cache.put

    async def slowly(kind: str, name: str, value: bytes, kept_s: float) -> None:
        arrived.set()
        await may_go.wait()
        await put(kind, name, value, kept_s)

    monkeypatch.setattr(cache, "put", slowly)
    records = InstanceRecords("searxng_pool", cache)
    records.write(ELM)
    await arrived.wait()
    records.write(FIR)
    await asyncio.sleep(0)
    may_go.set()
    await records.finish()
    assert await records.read() == {ELM.url: ELM, FIR.url: FIR}


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"not JSON",
        b"[]",
        b'{"instances": [1]}',
        b'{"instances": [{"url": 7}]}',
        b'{"instances": [{"grade": "A"}]}',
    ],
)
async def test_what_has_another_shape_is_not_believed(clock: FakeClock, damage: bytes) -> None:
    cache = a_cache(clock)
    await cache.put(KIND, "state of searxng_pool", damage, 1000)
    records = InstanceRecords("searxng_pool", cache)
    assert await records.read() == {}
    records.write(FIR)
    await records.finish()
    assert await records.read() == {FIR.url: FIR}


async def test_a_password_in_an_address_is_not_kept(clock: FakeClock) -> None:
    records = InstanceRecords("searxng", a_cache(clock))
    records.write(Instance("https://someone:a-password@elm.example/searx"))
    await records.finish()
    assert list(await records.read()) == ["https://elm.example/searx"]
    assert name_of("https://someone:a-password@elm.example/searx") == "https://elm.example/searx"


async def test_the_oldest_of_too_many_are_forgotten(clock: FakeClock) -> None:
    records = InstanceRecords("searxng_pool", a_cache(clock))
    for number in range(1100):
        records.write(Instance(f"https://i{number}.example", last_checked=float(number)))
    await records.finish()
    known = await records.read()
    assert len(known) == 1000
    assert "https://i99.example" not in known
