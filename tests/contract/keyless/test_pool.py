"""The table of members: each is what the table says of it, and is asked politely where it must be."""

from itertools import pairwise

import pytest
from aiohttp import web as web_server

from dowse.core.models import Deadline, Query
from dowse.providers.table import Kit, LazyProvider
from dowse.settings import KEYLESS
from tests.doubles import PocketWeb, SeenRequest
from tests.doubles.double import Double
from tests.doubles.recorded_api import recorded
from tests.fakes import FakeClock


@pytest.mark.parametrize("name", KEYLESS)
async def test_a_member_is_what_the_table_says_before_it_is_made(kit: Kit, name: str) -> None:
    member = LazyProvider(name, kit)
    assert (member.name, member.timeout_s, member.categories) == (
        member.provider.name,
        member.provider.timeout_s,
        member.provider.categories,
    )


@pytest.mark.parametrize("name", KEYLESS)
async def test_a_member_answers_and_names_who_received_the_query(kit: Kit, clock: FakeClock, name: str) -> None:
    found = await LazyProvider(name, kit).search(Query("python 3.15 release", num_results=2), Deadline.after(clock, 30))
    usual = "Python 3.15: what changes for your code"
    assert found.hits[0].title == (recorded()[name][0].hits[0][0] if name in recorded() else usual)
    (told,) = kit.disclosure.news()
    assert "127.0.0.1" in told


@pytest.mark.parametrize("name", ["searxng_pool", "duckduckgo", "mojeek"])
async def test_strangers_see_one_browser_after_another_and_a_pause_between_them(
    kit: Kit, web: PocketWeb, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    double: Double = web.instances if name == "searxng_pool" else getattr(web, name)
    at: list[float] = []
    record = double._log.record

    async def timed(request: web_server.Request) -> SeenRequest:
        at.append(clock.now())
        return await record(request)

    monkeypatch.setattr(double._log, "record", timed)
    member = LazyProvider(name, kit)
    for _ in range(8):
        await member.search(Query("python 3.15 release", num_results=2), Deadline.after(clock, 30))
    pauses = [later - earlier for earlier, later in pairwise(at)]
    agents = [request.headers["user-agent"] for request in double.requests]
    assert len(pauses) >= 7
    assert min(pauses) >= 0.1
    assert len(set(agents)) > 2
    for request in double.requests:
        assert request.headers["dnt"] == "1"
        assert not {"cookie", "referer", "authorization"} & request.headers.keys()
        assert not any(word in str(request.headers).lower() for word in ("aiohttp", "python", "dowse"))
