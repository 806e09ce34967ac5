"""Pages with editions answer conditional requests as servers do."""

import aiohttp
import pytest

from tests.doubles import PocketWeb

FIRST, SECOND = "Fri, 02 Jan 2026 00:00:00 GMT", "Sat, 03 Jan 2026 00:00:00 GMT"


async def status(http: aiohttp.ClientSession, pocket: PocketWeb, **headers: str) -> int:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with http.get(pocket.page("/notes"), headers=named) as response:
        return response.status


async def test_each_edition_has_validators_of_its_own(pocket: PocketWeb, http: aiohttp.ClientSession) -> None:
    seen = []
    for text in ("one", "two"):
        pocket.pages.publishes("/notes", text, cache_control="max-age=60")
        async with http.get(pocket.page("/notes")) as response:
            names = ("ETag", "Last-Modified", "Cache-Control")
            seen.append([response.headers[name] for name in names])
    assert [(modified, control) for _, modified, control in seen] == [(FIRST, "max-age=60"), (SECOND, "max-age=60")]
    assert seen[0][0] != seen[1][0]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, 200),
        ({"if_none_match": '"1"'}, 304),
        ({"if_none_match": 'W/"1"'}, 304),
        ({"if_none_match": '"0", "1"'}, 304),
        ({"if_none_match": '"2"'}, 200),
        ({"if_modified_since": FIRST}, 304),
        ({"if_modified_since": SECOND}, 304),
        ({"if_modified_since": "Thu, 01 Jan 2026 00:00:00 GMT"}, 200),
        ({"if_modified_since": "yesterday"}, 200),
        ({"if_none_match": '"2"', "if_modified_since": FIRST}, 200),
    ],
)
async def test_who_has_the_edition_is_told_so(
    pocket: PocketWeb, http: aiohttp.ClientSession, headers: dict[str, str], expected: int
) -> None:
    pocket.pages.serves("/notes", "one", headers={"etag": '"1"', "Last-Modified": FIRST})

    assert await status(http, pocket, **headers) == expected
    assert pocket.pages.unchanged == (["/notes"] if expected == 304 else [])


async def test_a_page_without_validators_is_always_sent(pocket: PocketWeb, http: aiohttp.ClientSession) -> None:
    pocket.pages.serves("/notes", "one")
    assert await status(http, pocket, if_none_match='"1"', if_modified_since=SECOND) == 200


async def test_a_reset_forgets_the_editions(pocket: PocketWeb, http: aiohttp.ClientSession) -> None:
    pocket.pages.publishes("/notes", "one").publishes("/notes", "two")
    await status(http, pocket, if_modified_since=FIRST)
    pocket.pages.reset()
    pocket.pages.publishes("/notes", "two")
    assert await status(http, pocket, if_modified_since=FIRST) == 304
    assert pocket.pages.unchanged == ["/notes"]
