"""No search engine learns a secret that is in a query, and a query that only resembles one reaches them as it is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import unquote_plus

import pytest

from dowse.app import App
from dowse.contracts.dispatch import Answer
from dowse.core.errors import InvalidRequest
from dowse.core.runtime import CallContext
from dowse.settings.sources import load
from tests.conftest import UNPACED
from tests.doubles import PROVIDERS, SERPER_KEY, PocketWeb
from tests.doubles.seen import SeenRequest
from tests.planted import INNOCENT, PLANTED, planted

pytestmark = pytest.mark.promise("secret-query")

LONGEST_QUERY = 500
SEARCHED = [name for name in PLANTED if len(planted(name)[1]) <= LONGEST_QUERY]


class Searcher:
    """The product with all providers at hand, asked side by side."""

    def __init__(self, web: PocketWeb, app: App) -> None:
        self._web = web
        self._app = app
        # The corpus has nothing about most of these, and a SearXNG that answers beside the point is left alone.
        web.searxng.finds_nothing()

    async def search(self, query: str) -> Answer:
        tool = self._app.contract.tool("web_search")
        assert tool is not None
        return await tool.call({"query": query, "fetch_content": False, "depth": "wide"}, CallContext())

    def seen(self) -> dict[str, SeenRequest]:
        """What each provider was sent since the last time."""
        seen = {double.name: double.requests[0] for double in self._web.doubles if double.requests}
        self._web.reset()
        self._web.searxng.finds_nothing()
        return seen


@pytest.fixture
async def searcher(web: PocketWeb, scrub: str) -> AsyncIterator[Searcher]:
    settings = {**web.environment(*PROVIDERS), **UNPACED, "DOWSE_STATE": "memory:", "DOWSE_SCRUB": scrub}
    async with App(load({}, settings).settings) as app:
        yield Searcher(web, app)


def everything(request: SeenRequest) -> str:
    """All of a request but the credentials that it is made with."""
    return f"{request.path} {request.params} {unquote_plus(request.body.decode())} {request.json}"


def asked(request: SeenRequest) -> object:
    sent = {**request.params, **(request.json or {})}
    return sent.get("q") or sent.get("query")


@pytest.mark.parametrize("scrub", ["mask"])
async def test_no_provider_learns_a_planted_secret(searcher: Searcher) -> None:
    for name in SEARCHED:
        secret, query = planted(name)

        answer = await searcher.search(query)

        sent = searcher.seen()
        assert set(sent) == set(PROVIDERS), name
        assert not any(secret in everything(request) for request in sent.values()), name
        assert secret not in str(answer), name
        assert "DOWSE_SCRUB" in str(answer), name


@pytest.mark.parametrize("scrub", ["mask", "refuse"])
async def test_every_provider_gets_a_query_that_only_resembles_one(searcher: Searcher) -> None:
    for query in filter(str.isprintable, filter(None, INNOCENT)):
        await searcher.search(query)

        assert {name: asked(request) for name, request in searcher.seen().items()} == dict.fromkeys(PROVIDERS, query)


@pytest.mark.parametrize("scrub", ["refuse"])
async def test_a_refused_query_reaches_no_provider(searcher: Searcher) -> None:
    for name in SEARCHED:
        with pytest.raises(InvalidRequest):
            await searcher.search(planted(name)[1])

        assert searcher.seen() == {}, name


@pytest.mark.parametrize("scrub", ["off"])
async def test_switched_off_secrets_of_others_pass_and_our_own_do_not(searcher: Searcher) -> None:
    await searcher.search(f"why are password=hunter2 and {SERPER_KEY} rejected")

    assert {asked(request) for request in searcher.seen().values()} == {"why are password=hunter2 and … rejected"}
