"""The doubles of Stack Exchange and Hacker News refuse what the real APIs refuse, in their words."""

from __future__ import annotations

import pytest
from aiohttp import ClientSession

from tests.doubles import PocketWeb


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("/stackexchange/questions/1?site=stackoverflow&filter=withbody&pagesize=100", 0),
        ("/stackexchange/questions/1", 400),
        ("/stackexchange/questions/1?site=stackoverflow&pagesize=101", 400),
        ("/stackexchange/questions/1?site=stackoverflow&unknown=1", 400),
        ("/stackexchange/questions/1?site=stackoverflow&key=none-of-ours", 400),
        (f"/stackexchange/posts/{';'.join(['1'] * 101)}/comments?site=stackoverflow", 400),
        ("/stackexchange/questions/one?site=stackoverflow", 404),
        ("/stackexchange/tags?site=stackoverflow", 404),
    ],
)
async def test_errors_of_stack_exchange_have_their_own_numbers(web: PocketWeb, path: str, number: int) -> None:
    async with ClientSession() as http, http.get(web.page(path)) as response:
        body = await response.json()
    assert (response.status, body.get("error_id", 0)) == (400 if number else 200, number)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/hackernews/search?tags=story_1&hitsPerPage=1", 200),
        ("/hackernews/search?tag=story_1", 400),
        ("/hackernews/items/1", 404),
        ("/hackernews/items/one", 404),
        ("/hackernews/item/1", 404),
    ],
)
async def test_hacker_news_knows_items_and_a_search(web: PocketWeb, path: str, status: int) -> None:
    async with ClientSession() as http, http.get(web.page(path)) as response:
        assert response.status == status
