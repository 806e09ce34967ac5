"""The double of searx.space lists what is there and what tests say, and knows nothing but its list."""

from __future__ import annotations

import aiohttp

from tests.doubles import PocketWeb
from tests.doubles.searx_space import listed


async def test_the_instances_of_the_pocket_web_are_on_the_list(web: PocketWeb) -> None:
    web.instances.has("elm", "fir")
    web.searx_space.lists("https://yew.example/", listed("C")).lists("https://odd.example/", [1])
    address = web.page(web.searx_space.path)
    assert web.environment()[web.searx_space.variable] == address
    async with aiohttp.ClientSession() as session, session.get(address) as response:
        document = await response.json()
    elm = web.instances.address("elm")
    assert list(document["instances"]) == [
        elm,
        web.instances.address("fir"),
        "https://yew.example/",
        "https://odd.example/",
    ]
    assert (document["instances"][elm]["http"]["grade"], document["instances"]["https://odd.example/"]) == ("A+", [1])
    assert {"metadata", "engines", "engine_errors", "hashes", "cidrs", "forks"} < document.keys()


async def test_other_paths_and_methods_are_refused(web: PocketWeb) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.get(web.page("/searx-space/other.json")) as missing:
            assert missing.status == 404
        async with session.post(web.page(web.searx_space.path)) as refused:
            assert refused.status == 405


async def test_a_reset_forgets_what_was_listed(web: PocketWeb) -> None:
    web.searx_space.lists("https://yew.example/")
    web.reset()
    async with aiohttp.ClientSession() as session, session.get(web.page(web.searx_space.path)) as response:
        assert "https://yew.example/" not in (await response.json())["instances"]
