"""The doubles of Wikipedia and arXiv refuse what the real ones refuse."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping

import pytest

from dowse.net.clients import ConfiguredClient, Reply
from tests.doubles import PocketWeb

QUERY = {"format": "json", "formatversion": "2", "action": "query", "titles": "Otter"}
PARSE = {"format": "json", "formatversion": "2", "action": "parse", "pageid": "7"}


@pytest.fixture
async def client() -> AsyncIterator[ConfiguredClient]:
    client = ConfiguredClient("dowse/test")
    yield client
    await client.close()


async def ask(client: ConfiguredClient, url: str, params: Mapping[str, str]) -> Reply:
    return await client.send("GET", url, headers={}, params=params, timeout_s=5)


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({**QUERY, "action": "edit"}, "badvalue"),
        ({**QUERY, "formatversion": "1"}, "badvalue"),
        ({**QUERY, "pageids": "7"}, "invalidparammix"),
        ({**PARSE, "oldid": "7"}, "invalidparammix"),
        ({**QUERY, "tittles": "Otter"}, "badparam"),
        (PARSE, "missingtitle"),
    ],
)
async def test_wikipedia_refuses_with_the_status_of_a_success(
    web: PocketWeb, client: ConfiguredClient, params: Mapping[str, str], code: str
) -> None:
    reply = await ask(client, web.environment()["WIKIPEDIA_API_URL"], params)
    assert (reply.status, json.loads(reply.body)["error"]["code"]) == (200, code)
    assert reply.headers["mediawiki-api-error"] == code


async def test_wikipedia_has_no_page_for_an_unknown_title(web: PocketWeb, client: ConfiguredClient) -> None:
    reply = await ask(client, web.environment()["WIKIPEDIA_API_URL"], QUERY)
    assert json.loads(reply.body)["query"]["pages"] == [{"ns": 0, "title": "Otter", "missing": True}]


@pytest.mark.parametrize(
    ("params", "status", "said"),
    [
        ({"id_list": "otter"}, 400, b"incorrect id format for otter"),
        ({"id_list": "2101.00001", "limit": "1"}, 400, b"unknown parameter limit"),
        ({"id_list": "2101.00001", "max_results": "1"}, 200, b"<opensearch:totalResults>0<"),
    ],
)
async def test_arxiv_answers_with_a_feed_whatever_is_asked(
    web: PocketWeb, client: ConfiguredClient, params: Mapping[str, str], status: int, said: bytes
) -> None:
    reply = await ask(client, web.environment()["ARXIV_API_URL"], params)
    assert reply.status == status
    assert said in reply.body
