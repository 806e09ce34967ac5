"""Pages see the honest user agent, unless somebody wants them to see browsers."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator

import pytest

from dowse.fetch.direct import DirectFetcher
from dowse.fetch.robots import RobotsFiles
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard
from dowse.providers.politeness import Manners
from tests.doubles import PocketWeb
from tests.fakes import FakeClock

HONEST = "dowse/test"
REFRESH = '<html><head><meta http-equiv="refresh" content="0; url=/docs/retrying"></head><body></body></html>'


@pytest.fixture
async def client(web: PocketWeb) -> AsyncIterator[UntrustedClient]:
    opened = UntrustedClient(Guard((f"127.0.0.1:{web.port}",)), HONEST)
    yield opened
    await opened.close()


def rotating(clock: FakeClock) -> Manners:
    return Manners(clock, random.Random(1), rotates=True, delay_s=(0, 0), user_agent=HONEST)


async def test_pages_see_who_asks(web: PocketWeb, client: UntrustedClient) -> None:
    await DirectFetcher(client, max_bytes=100_000).fetch(web.page("/"), timeout_s=5)

    assert [request.headers["user-agent"] for request in web.pages.requests] == [HONEST]


async def test_each_page_sees_another_browser(web: PocketWeb, client: UntrustedClient, clock: FakeClock) -> None:
    fetcher = DirectFetcher(client, max_bytes=100_000, headers=rotating(clock).headers)

    for _ in range(3):
        await fetcher.fetch(web.page("/"), timeout_s=5)

    first, second, third = [request.headers["user-agent"] for request in web.pages.requests]
    assert first != second != third
    assert all(agent.startswith("Mozilla/5.0 ") for agent in (first, second, third))


async def test_all_that_leads_to_a_page_sees_the_same_browser(
    web: PocketWeb, client: UntrustedClient, clock: FakeClock
) -> None:
    web.pages.serves("/moved", REFRESH)

    await DirectFetcher(client, max_bytes=100_000, headers=rotating(clock).headers).fetch(
        web.page("/moved"), timeout_s=5
    )

    assert [request.path for request in web.pages.requests] == ["/moved", "/docs/retrying"]
    assert len({request.headers["user-agent"] for request in web.pages.requests}) == 1


async def test_robots_txt_is_asked_for_under_the_name_it_speaks_to(
    web: PocketWeb, client: UntrustedClient, clock: FakeClock
) -> None:
    robots = RobotsFiles(client, clock, patience_s=5)
    await DirectFetcher(client, max_bytes=100_000, headers=rotating(clock).headers).fetch(web.page("/"), timeout_s=5)

    await robots.allows(web.page("/"))
    await robots.close()

    assert [request.headers["user-agent"] for request in web.pages.robots_requests] == [HONEST]
