"""The headers of a browser, as a site receives them."""

from __future__ import annotations

import random

from dowse.net.clients import UntrustedClient
from dowse.net.decode import ACCEPTED
from dowse.net.guard import Guard
from dowse.providers.politeness import Manners
from tests.doubles import PocketWeb
from tests.fakes import FakeClock


async def test_exactly_the_headers_of_a_browser_arrive(web: PocketWeb, clock: FakeClock) -> None:
    client, polite = (
        UntrustedClient(Guard((f"127.0.0.1:{web.port}",)), "dowse/test"),
        Manners(clock, random.Random(1), rotates=True, delay_s=(0.1, 0.5), user_agent="dowse/test"),
    )
    try:
        for _ in range(6):
            headers = polite.headers(language="de")
            await client.get(web.page("/"), timeout_s=60, max_bytes=100_000, headers=headers)
            (seen,) = web.pages.requests
            assert seen.headers == {
                "host": f"127.0.0.1:{web.port}",
                "accept-encoding": ACCEPTED,
                **{name.lower(): value for name, value in headers.items()},
            }
            web.reset()
    finally:
        await client.close()
