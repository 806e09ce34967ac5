"""The list is fetched once a day, kept, used for a week when no new one can be had, and missed with a clear word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web as http

from dowse.cache.entries import CacheEntries
from dowse.core.errors import NoInstance
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.searxng.directory import FixedDirectory, SearxSpace
from dowse.providers.searxng.instance import KIND
from dowse.secrets.redact import Redactor
from tests.doubles.searx_space import SearxSpaceList, listed
from tests.fakes import FakeClock
from tests.unit.providers.searxng.given import ALDER, BIRCH, CEDAR, PROVIDER, a_cache

DAY_S = 86_400.0
Make = Callable[..., SearxSpace]


@pytest.fixture
async def space() -> AsyncIterator[SearxSpaceList]:
    """searx.space on loopback, with two instances on its list."""
    app, double = http.Application(), SearxSpaceList("", lambda: "")
    app.router.add_route("*", "/{rest:.*}", double.handle)
    runner = http.AppRunner(app, shutdown_timeout=0.05, handler_cancellation=True)
    await runner.setup()
    await http.TCPSite(runner, "127.0.0.1", 0).start()
    double._origin = lambda: f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield double.lists(f"{ALDER}/").lists(f"{BIRCH}/", listed("C"))
    await runner.cleanup()


@pytest.fixture
def cache(clock: FakeClock) -> CacheEntries:
    return a_cache(clock)


@pytest.fixture
async def make(space: SearxSpaceList, cache: CacheEntries, clock: FakeClock) -> AsyncIterator[Make]:
    """Makes directories that ask it: as many processes with one store."""
    client, made = ConfiguredClient("dowse/test"), list[SearxSpace]()

    def build(path: str = "/searx-space/instances.json", **options: Any) -> SearxSpace:
        api = Api(PROVIDER, client, 5.0, "", Redactor())
        made.append(SearxSpace(PROVIDER, api, space._origin() + path, cache, clock, **options))
        return made[-1]

    yield build
    for directory in made:
        await directory.close()
    await client.close()


def usable(edition: Any) -> list[str]:
    return [each.url for each in edition.entries.usable]


async def test_the_list_is_fetched_once_and_judged(make: Make, space: SearxSpaceList) -> None:
    directory = make()
    edition = await directory.edition()
    assert usable(edition) == [ALDER]
    assert [each.reason for each in edition.entries.excluded] == ["its grade is below B"]
    assert await directory.edition() is edition
    assert [seen.headers["user-agent"] for seen in space.requests] == ["dowse/test"]
    assert directory.warnings() == ()


async def test_another_process_takes_it_from_the_store(make: Make, space: SearxSpaceList, clock: FakeClock) -> None:
    await make().edition()
    clock.advance(DAY_S - 60)
    assert usable(await make().edition()) == [ALDER]
    assert len(space.requests) == 1


async def test_after_a_day_it_is_fetched_again(make: Make, space: SearxSpaceList, clock: FakeClock) -> None:
    directory = make()
    await directory.edition()
    space.lists(f"{CEDAR}/")
    clock.advance(DAY_S)
    assert usable(await directory.edition()) == [ALDER, CEDAR]


async def test_a_newer_one_of_another_process_is_taken_instead(
    make: Make, space: SearxSpaceList, clock: FakeClock
) -> None:
    one, other = make(), make()
    await one.edition()
    space.lists(f"{CEDAR}/")
    clock.advance(DAY_S - 60)
    await other.fetch()
    clock.advance(120)
    assert usable(await one.edition()) == [ALDER, CEDAR]
    assert len(space.requests) == 2


async def test_who_does_not_wait_gets_the_old_one_while_it_is_renewed(
    make: Make, space: SearxSpaceList, clock: FakeClock
) -> None:
    directory = make(waits=False)
    old = await directory.edition()
    clock.advance(DAY_S)
    assert await directory.edition() is old
    assert await directory.edition() is old
    new = await directory.fetch()
    assert (await directory.edition(), len(space.requests)) == (new, 2)


async def test_many_who_ask_at_once_cause_one_request(make: Make, space: SearxSpaceList) -> None:
    directory = make()
    editions = await asyncio.gather(*(directory.edition() for _ in range(20)))
    assert len({id(edition) for edition in editions}) == len(space.requests) == 1


async def test_who_gives_up_does_not_end_the_request_of_the_others(make: Make, space: SearxSpaceList) -> None:
    directory = make()
    first, second = asyncio.ensure_future(directory.edition()), asyncio.ensure_future(directory.edition())
    await space.arrived()
    first.cancel()
    assert usable(await second) == [ALDER]


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ("500", "searx.space is unavailable: HTTP 500"),
        ("reset", "searx.space could not be reached: the answer broke off or was malformed"),
        ("html", "searx.space sent an answer that could not be parsed: the answer is not a list of instances"),
    ],
)
async def test_no_list_at_all_is_an_outcome_of_its_own(
    make: Make, space: SearxSpaceList, trouble: str, said: str
) -> None:
    space.fails(trouble)
    with pytest.raises(NoInstance) as caught:
        await make().edition()
    assert str(caught.value) == (
        "searxng_pool had no instance that could answer: the list of public instances could not be fetched: "
        f"{said}; set SEARXNG_URL to an instance of your own"
    )
    assert caught.value.retry_after_s == 60


async def test_a_list_that_could_not_be_had_is_left_alone_for_a_minute(
    make: Make, space: SearxSpaceList, clock: FakeClock
) -> None:
    directory = make()
    space.fails("500")
    for _ in range(3):
        with pytest.raises(NoInstance):
            await directory.edition()
    assert len(space.requests) == 1
    space.works()
    clock.advance(60)
    assert usable(await directory.edition()) == [ALDER]


@pytest.mark.parametrize("waits", [True, False])
async def test_an_old_list_is_used_for_a_week_and_says_so(
    make: Make, space: SearxSpaceList, clock: FakeClock, waits: bool
) -> None:
    directory = make(waits=waits)
    old = await directory.edition()
    space.fails("500")
    clock.advance(3 * DAY_S)
    assert await directory.edition() is old
    await asyncio.gather(directory.fetch(), return_exceptions=True)
    assert directory.warnings() == (
        "the list of public instances is 3 days old, because a new one could not be fetched: "
        "searx.space is unavailable: HTTP 500",
    )
    clock.advance(4 * DAY_S)
    with pytest.raises(NoInstance):
        await directory.edition()


async def test_an_old_list_outlives_a_restart(make: Make, space: SearxSpaceList, clock: FakeClock) -> None:
    await make().edition()
    space.fails("500")
    clock.advance(6 * DAY_S)
    after = make()
    assert usable(await after.edition()) == [ALDER]
    assert after.warnings()[0].startswith("the list of public instances is 6 days old")
    clock.advance(DAY_S)
    with pytest.raises(NoInstance):
        await make().edition()


async def test_a_refresh_that_fails_takes_nothing_away(make: Make, space: SearxSpaceList) -> None:
    directory = make()
    old = await directory.edition()
    space.fails("500")
    with pytest.raises(NoInstance):
        await directory.fetch()
    assert await directory.edition() is old
    assert directory.warnings() == ()


async def test_offline_nothing_is_asked_and_an_old_list_serves(
    make: Make, space: SearxSpaceList, clock: FakeClock
) -> None:
    with pytest.raises(NoInstance, match=r"could not be fetched: searx\.space was not asked: offline mode is on"):
        await make(is_offline=True).edition()
    assert space.requests == []
    await make().edition()
    clock.advance(2 * DAY_S)
    assert usable(await make(is_offline=True).edition()) == [ALDER]
    assert len(space.requests) == 1


async def test_another_list_and_other_rules_are_kept_apart(make: Make, space: SearxSpaceList) -> None:
    space.lists("http://127.0.0.1:8080/elm/")
    assert usable(await make().edition()) == [ALDER]
    assert usable(await make(allowed=("127.0.0.1:8080",)).edition()) == [ALDER, "http://127.0.0.1:8080/elm"]
    with pytest.raises(NoInstance):
        await make("/searx-space/another.json").edition()


async def test_a_damaged_entry_is_fetched_anew(make: Make, space: SearxSpaceList, cache: CacheEntries) -> None:
    url = f"{space._origin()}/searx-space/instances.json"
    await cache.put(KIND, f"list {url}", b'{"usable": 7}', DAY_S)
    assert usable(await make().edition()) == [ALDER]


async def test_a_large_list_is_read(make: Make, space: SearxSpaceList) -> None:
    """Real ones have some megabytes, most of them about engines."""
    space.lists(f"{CEDAR}/", listed(engines={str(number): "x" * 90 for number in range(60_000)}))
    assert usable(await make().edition()) == [ALDER, CEDAR]


async def test_closing_ends_a_request_that_hangs(make: Make, space: SearxSpaceList) -> None:
    directory = make()
    space.fails("hang")
    waiting = asyncio.ensure_future(directory.edition())
    await space.arrived()
    await directory.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_ones_own_are_listed_as_given() -> None:
    directory = FixedDirectory(["https://b.example/", "https://a.example/searx"])
    assert usable(await directory.edition()) == ["https://b.example", "https://a.example/searx"]
    assert await directory.fetch() is await directory.edition()
    assert directory.warnings() == ()
    await directory.close()
