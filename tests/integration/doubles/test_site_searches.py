"""The searches of the sites' doubles answer in the shape of the real ones, and refuse what those refuse."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from dowse.net.clients import ConfiguredClient, Reply
from tests.doubles import PocketWeb
from tests.doubles.sites_searching import SearchedSite

WIKIPEDIA = {"action": "query", "format": "json", "formatversion": "2", "list": "search", "srsearch": "rock pools"}
STACK = {"site": "stackoverflow", "q": "asyncio"}
GITHUB = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
SEARCHES: dict[str, tuple[str, Mapping[str, str], str]] = {
    "wikipedia": ("/wikipedia/w/api.php", WIKIPEDIA, "query.search"),
    "stackexchange": ("/stackexchange/search/advanced", STACK, "items"),
    "github": ("/github/search/repositories", {"q": "retry"}, "items"),
    "hackernews": ("/hackernews/search", {"query": "bridge", "tags": "story"}, "hits"),
    "crossref": ("/crossref/works", {"query.bibliographic": "railway"}, "message.items"),
    "npm": ("/npm/-/v1/search", {"text": "retry"}, "objects"),
}

_QUERIES = ("srsearch", "q", "query", "query.bibliographic", "text")


@pytest.fixture
async def client() -> AsyncIterator[ConfiguredClient]:
    client = ConfiguredClient("dowse/test")
    yield client
    await client.close()


async def _ask(web: PocketWeb, client: ConfiguredClient, path: str, params: Mapping[str, str]) -> Reply:
    headers = GITHUB if path.startswith("/github") else {}
    return await client.send("GET", web.page(path), headers=headers, params=params, timeout_s=5)


def _listed(body: bytes, way: str) -> list[Any]:
    found = json.loads(body)
    for name in way.split("."):
        found = found[name]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("name", SEARCHES)
async def test_a_search_finds_what_fits_in_the_corpus_or_what_a_test_says(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    path, params, way = SEARCHES[name]
    double = web.sites[name]
    assert isinstance(double, SearchedSite)
    assert _listed((await _ask(web, client, path, params)).body, way)
    double.finds(["/products/kettle", "/hidden"])
    assert len(_listed((await _ask(web, client, path, params)).body, way)) == 2
    double.finds_nothing()
    assert _listed((await _ask(web, client, path, params)).body, way) == []
    web.reset()
    unknown = {name: "zyzzyva" if name in _QUERIES else value for name, value in params.items()}
    assert _listed((await _ask(web, client, path, unknown)).body, way) == []


@pytest.mark.parametrize(
    ("path", "params", "status", "said"),
    [
        ("/wikipedia/w/api.php", {**WIKIPEDIA, "srsearch": ""}, 200, "missingparam"),
        ("/wikipedia/w/api.php", {**WIKIPEDIA, "list": "allpages"}, 200, "missingparam"),
        ("/wikipedia/w/api.php", {**WIKIPEDIA, "srsearch": "x" * 301}, 200, "cirrussearch-query-too-long"),
        ("/wikipedia/w/api.php", {**WIKIPEDIA, "srlimit": "501"}, 200, "badinteger"),
        ("/wikipedia/w/api.php", {**WIKIPEDIA, "titles": "Otter"}, 200, "badparam"),
        ("/wikipedia/wiki/No_such_article", {}, 404, "no such article"),
        ("/stackexchange/search/advanced", {"q": "x"}, 400, "site is required"),
        ("/stackexchange/search/advanced", {**STACK, "fromdate": "2026-01-01"}, 400, "fromdate"),
        ("/stackexchange/search/advanced", {**STACK, "sort": "best"}, 400, "sort"),
        ("/stackexchange/questions/1", {**STACK}, 400, '"q"'),
        ("/github/search/repositories", {"q": ""}, 422, "Validation Failed"),
        ("/github/search/repositories", {"q": "x" * 257}, 422, "Validation Failed"),
        ("/github/search/repositories", {"q": "x", "size": "3"}, 422, "Validation Failed"),
        ("/github/search/issues", {"q": "x"}, 422, "Query must include"),
        ("/hackernews/search", {"query": "x", "size": "3"}, 400, "invalid parameter"),
        ("/hackernews/search_by_date", {"query": "x", "numericFilters": "created_at>3"}, 400, "numericFilters"),
        ("/arxiv/api/query", {"search_query": "otter"}, 400, "search_query"),
        ("/arxiv/api/query", {"search_query": "all:otter", "sortBy": "best"}, 400, "sortBy"),
        ("/arxiv/api/query", {"id_list": "2401.01234,otter"}, 400, "incorrect id format for otter"),
        ("/crossref/works", {"query": "x"}, 400, "no such parameter"),
        ("/crossref/works", {"query.bibliographic": "x", "select": "DOI,otter"}, 400, "no such select"),
        ("/crossref/works", {"filter": "doi:otter"}, 400, "no such filter"),
        ("/crossref/works", {"query.bibliographic": "x", "rows": "1001"}, 400, "must be a positive integer"),
        ("/crossref/otters", {}, 404, "Resource not found"),
        ("/npm/-/v1/search", {"text": "x"}, 400, "ERR_TEXT_LENGTH"),
        ("/npm/-/v1/search", {"text": "x" * 65}, 400, "ERR_TEXT_LENGTH"),
        ("/npm/-/v1/search", {"text": "otter", "size": "251"}, 400, "invalid parameter"),
        ("/pypi/pypi/otter/json", {}, 404, "Not Found"),
    ],
)  # fmt: skip
async def test_a_search_that_the_real_one_refuses_is_refused(
    web: PocketWeb, client: ConfiguredClient, path: str, params: Mapping[str, str], status: int, said: str
) -> None:
    reply = await _ask(web, client, path, params)
    assert reply.status == status
    assert said in reply.body.decode()


async def test_recorded_answers_come_before_the_corpus(web: PocketWeb, client: ConfiguredClient) -> None:
    web.sites["npm"].has("/-/v1/search", '{"objects": []}', params={"text": "retry"})
    assert json.loads((await _ask(web, client, "/npm/-/v1/search", {"text": "retry"})).body) == {"objects": []}


async def test_a_comment_is_not_looked_for_among_the_stories(web: PocketWeb, client: ConfiguredClient) -> None:
    reply = await _ask(web, client, "/hackernews/search", {"query": "bridge", "tags": "comment"})
    assert json.loads(reply.body)["hits"] == []
