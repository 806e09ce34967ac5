"""Several SearXNG instances of one's own: who is asked, who is left alone, and what is told when nobody answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from dowse.core import errors
from dowse.core.models import Deadline, Found, Query
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.searxng import make_searxng
from dowse.providers.searxng.adapter import SearXNG
from dowse.providers.searxng.instance import InstanceState
from dowse.providers.searxng.several import SearXNGs
from dowse.routing.router import Router
from dowse.secrets.redact import Redactor
from dowse.settings.sources import load
from tests.doubles import PocketWeb
from tests.doubles.public_instances import NAMES, PublicInstances
from tests.fakes import FakeClock
from tests.fakes.listings import ListingsHere
from tests.fakes.memory import remembering
from tests.fakes.observer import RecordingObserver
from tests.fakes.served import served

ALDER, BIRCH, CEDAR, *_ = NAMES
QUERY = Query("python release")


@dataclass(frozen=True)
class Bench:
    """The provider as the app makes it for three addresses, over instances that a test tells how to behave."""

    provider: SearXNGs
    own: PublicInstances
    clock: FakeClock

    async def search(self) -> Found:
        return await self.provider.search(QUERY, Deadline.after(self.clock, 30))

    def state(self, name: str) -> InstanceState:
        (found,) = [each for each in self.provider.instances.table() if each.url.endswith(f"/{name}")]
        return found.state(self.clock.utc().timestamp())

    def url(self, name: str) -> str:
        return self.own.address(name).rstrip("/")


def made(addresses: list[str], client: ConfiguredClient, clock: FakeClock, **settings: str) -> SearXNG | SearXNGs:
    loaded = load({}, {"SEARXNG_URL": ",".join(addresses), **settings}).settings
    api = Api("searxng", client, 5.0, "SEARXNG_HEADERS_JSON", Redactor(loaded.secrets()))
    return make_searxng(loaded, api, ListingsHere(), remembering(clock).entries, clock, watches=False)


@pytest_asyncio.fixture(loop_scope="module")
async def bench(client: ConfiguredClient, clock: FakeClock) -> AsyncIterator[Bench]:
    async with served(PublicInstances, in_memory=True) as (own, _):
        provider = made([own.address(name) for name in (ALDER, BIRCH, CEDAR)], client, clock)
        assert isinstance(provider, SearXNGs)
        yield Bench(provider, own, clock)
        await provider.instances.close()


async def test_they_are_asked_in_turn_from_the_first_on_under_one_name(bench: Bench) -> None:
    found = [await bench.search() for _ in range(4)]
    assert bench.own.names_asked() == [ALDER, BIRCH, CEDAR, ALDER]
    assert [each.instances for each in found[:2]] == [(bench.url(ALDER),), (bench.url(BIRCH),)]
    assert bench.provider.name == "searxng"


async def test_the_next_answers_where_one_fails_which_rests_then(bench: Bench) -> None:
    bench.own[ALDER].fails("500")
    found = await bench.search()
    assert (bool(found.hits), found.instances) == (True, (bench.url(ALDER), bench.url(BIRCH)))
    assert bench.state(ALDER) is InstanceState.RESTING
    await bench.search()
    await bench.search()
    assert bench.own.names_asked() == [ALDER, BIRCH, CEDAR, BIRCH]
    bench.own.works()
    bench.clock.advance(60)
    await bench.search()
    assert bench.own.names_asked()[-1] == ALDER


async def test_the_same_trouble_everywhere_is_told_with_its_remedy(bench: Bench) -> None:
    for name in (ALDER, BIRCH, CEDAR):
        bench.own[name].json_off()
    with pytest.raises(errors.Misconfigured, match=r"search\.formats") as caught:
        await bench.search()
    assert caught.value.instances == (bench.url(ALDER), bench.url(BIRCH))
    assert bench.own.names_asked() == [ALDER, BIRCH]


async def test_different_troubles_are_told_one_by_one(bench: Bench) -> None:
    bench.own[ALDER].engines_fail()
    bench.own[BIRCH].fails("500")
    with pytest.raises(errors.NoInstance) as caught:
        await bench.search()
    assert f"/{ALDER}: answered, but all of its engines had failed" in caught.value.detail
    assert f"/{BIRCH}: HTTP 500" in caught.value.detail


async def test_what_another_would_refuse_as_well_is_not_asked_again(bench: Bench) -> None:
    bench.own[ALDER].fails("400")
    with pytest.raises(errors.BadRequest) as caught:
        await bench.search()
    assert (caught.value.instances, bench.own.names_asked()) == ((bench.url(ALDER),), [ALDER])
    assert bench.state(ALDER) is InstanceState.READY


async def test_a_query_without_results_tires_no_instance(bench: Bench) -> None:
    """An engine that is suspended for days makes every empty answer doubtful; that must not put the instances out."""
    for name in (ALDER, BIRCH, CEDAR):
        bench.own[name].engines_fail()
    with pytest.raises(errors.EnginesFailed, match="google: Suspended"):
        await bench.search()
    assert {bench.state(name) for name in (ALDER, BIRCH, CEDAR)} == {InstanceState.READY}


async def test_whose_engines_fail_where_another_has_results_rests(bench: Bench) -> None:
    bench.own[ALDER].engines_fail()
    assert (await bench.search()).hits
    assert (bench.state(ALDER), bench.state(BIRCH)) == (InstanceState.RESTING, InstanceState.READY)


async def test_the_search_after_a_failure_everywhere_is_for_the_user_to_begin(bench: Bench) -> None:
    for name in (ALDER, BIRCH, CEDAR):
        bench.own[name].fails("500")
    router = Router[SearXNGs]("search", clock=bench.clock, observer=RecordingObserver())
    with pytest.raises(errors.AllProvidersFailed):
        await router.first(
            [bench.provider], lambda each, until: each.search(QUERY, until), Deadline.after(bench.clock, 30)
        )
    assert bench.own.names_asked() == [ALDER, BIRCH]


async def test_keys_for_ones_own_are_sent_to_no_other_instance(bench: Bench, client: ConfiguredClient) -> None:
    addresses = [bench.own.address(name) for name in (ALDER, BIRCH)]
    provider = made(addresses, client, bench.clock, SEARXNG_HEADERS_JSON='{"X-Key": "hush"}')
    assert isinstance(provider, SearXNGs)
    checked = await provider.instances.check([bench.url(CEDAR), bench.url(ALDER)])
    assert [(each.outcome, each.detail) for each in checked] == [
        ("skipped", "it is not in SEARXNG_URL"),
        ("json", ""),
    ]
    assert CEDAR not in bench.own.names_asked()


async def test_they_are_trusted_so_nothing_they_do_has_them_blocked(bench: Bench) -> None:
    bench.own[ALDER].fails("redirect", redirect_to="https://elsewhere.example/")
    await bench.search()
    assert bench.state(ALDER) is InstanceState.RESTING


async def test_a_check_tells_what_each_speaks(bench: Bench) -> None:
    bench.own[BIRCH].json_off()
    bench.own[CEDAR].fails("404", times=1)
    checked = await bench.provider.instances.check()
    assert [each.outcome for each in checked] == ["json", "misconfigured", "json"]


async def test_passwords_in_addresses_are_sent_and_never_told(
    bench: Bench, client: ConfiguredClient, clock: FakeClock
) -> None:
    addresses = [bench.own.address(name).replace("://", "://ana:hush@") for name in (ALDER, BIRCH)]
    provider = made(addresses, client, clock)
    bench.own[ALDER].fails("500")
    found = await provider.search(QUERY, Deadline.after(clock, 30))
    assert found.instances == (bench.url(ALDER), bench.url(BIRCH))
    assert bench.own.requests[0].headers["authorization"].startswith("Basic ")


async def test_one_address_needs_no_manager(web: PocketWeb, client: ConfiguredClient, clock: FakeClock) -> None:
    provider = made([web.page("/searxng")], client, clock)
    assert isinstance(provider, SearXNG)
    assert (await provider.search(QUERY, Deadline.after(clock, 30))).instances == ()
