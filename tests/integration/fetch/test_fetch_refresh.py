"""Pages that only lead to another one are followed as redirects are, and no further."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.fetch.direct import DirectFetcher
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard
from tests.doubles import PocketWeb


@pytest.fixture
async def fetcher(web: PocketWeb) -> AsyncIterator[DirectFetcher]:
    client = UntrustedClient(Guard((f"127.0.0.1:{web.port}",)), "dowse/test")
    yield DirectFetcher(client, max_bytes=100_000)
    await client.close()


def leading_to(target: str) -> str:
    return f'<html><head><meta http-equiv="refresh" content="0;url={target}"></head><body>Moved</body></html>'


async def test_three_pages_in_a_row_are_followed(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.serves("/1", leading_to("/2")).serves("/2", leading_to("/3")).serves("/3", leading_to("/docs/retrying"))

    body = await fetcher.fetch(web.page("/1"), timeout_s=60)

    assert body.url == web.page("/docs/retrying")
    assert b"retr" in body.data.lower()


async def test_the_fourth_is_not(web: PocketWeb, fetcher: DirectFetcher) -> None:
    for number in range(1, 6):
        web.pages.serves(f"/{number}", leading_to(f"/{number + 1}"))

    assert (await fetcher.fetch(web.page("/1"), timeout_s=60)).url == web.page("/4")
    assert [request.path for request in web.pages.requests] == ["/1", "/2", "/3", "/4"]


async def test_the_target_is_judged_like_every_address(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.serves("/1", leading_to("http://169.254.169.254/latest/meta-data/"))

    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(web.page("/1"), timeout_s=60)

    assert (caught.value.status, caught.value.onward) == (Status.DENIED, Onward.NONE)


async def test_the_time_is_one_for_all_of_them(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.serves("/1", leading_to("/2")).fails("/2", "hang")

    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(web.page("/1"), timeout_s=0.3)

    assert caught.value.status is Status.TIMEOUT


async def test_a_target_that_is_gone_is_what_became_of_the_page(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.serves("/1", leading_to("/missing"))

    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(web.page("/1"), timeout_s=60)

    assert caught.value.status is Status.NOT_FOUND
