"""Tavily without a key: the header and nothing else, the same answers, and its limits told apart."""

import pytest

from dowse.core import errors
from dowse.core.models import Category, Query
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.disclosure import Disclosure
from dowse.providers.tavily import TavilyKeyless
from dowse.secrets.redact import Redactor
from tests.contract.conftest import DEADLINE, provider
from tests.doubles import PocketWeb


def _keyless(web: PocketWeb, client: ConfiguredClient, disclosure: Disclosure | None = None) -> TavilyKeyless:
    api = Api(TavilyKeyless.name, client, 5.0, "", Redactor())
    return TavilyKeyless(api, disclosure or Disclosure(), search_endpoint=web.page(web.tavily.path))


async def test_the_answer_is_the_one_that_a_key_gets(web: PocketWeb, client: ConfiguredClient) -> None:
    query = Query("python release", num_results=3, category=Category.NEWS, exclude_domains=("x.example",))
    assert await _keyless(web, client).search(query, DEADLINE) == await provider(web, "tavily", client).search(
        query, DEADLINE
    )


async def test_the_header_says_keyless_and_nothing_looks_like_a_key(web: PocketWeb, client: ConfiguredClient) -> None:
    await _keyless(web, client).search(Query("python"), DEADLINE)
    (seen,) = web.tavily.requests
    assert seen.headers["x-tavily-access-mode"] == "keyless"
    assert not {"authorization", "x-api-key", "cookie"} & seen.headers.keys()
    assert "api_key" not in (seen.json or {})
    assert seen.headers["user-agent"] == "dowse/test"


async def test_a_key_together_with_the_header_is_refused_by_the_double(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    both = {"X-Tavily-Access-Mode": "keyless", "Authorization": f"Bearer {web.tavily.key}"}
    reply = await client.send("POST", web.page(web.tavily.path), headers=both, json={"query": "x"}, timeout_s=5.0)
    assert reply.status == 401


@pytest.mark.parametrize(
    ("trouble", "expected"),
    [
        ("429", errors.RateLimited),
        ("432", errors.QuotaSpent),
        ("401", errors.Blocked),
        ("403", errors.Blocked),
        ("500", errors.Unavailable),
        ("challenge", errors.Blocked),
        ("broken_json", errors.BadAnswer),
        ("reset", errors.NetworkFailed),
    ],
)
async def test_every_failure_has_its_type(
    web: PocketWeb, client: ConfiguredClient, trouble: str, expected: type[errors.ProviderError]
) -> None:
    web.tavily.fails(trouble)
    with pytest.raises(errors.ProviderError) as caught:
        await _keyless(web, client).search(Query("x"), DEADLINE)
    assert type(caught.value) is expected
    assert caught.value.provider == "tavily_keyless"


async def test_the_wait_that_it_asks_for_is_kept(web: PocketWeb, client: ConfiguredClient) -> None:
    web.tavily.fails("429", retry_after=3600)
    with pytest.raises(errors.RateLimited) as caught:
        await _keyless(web, client).search(Query("x"), DEADLINE)
    assert caught.value.retry_after_s == 3600


async def test_tavily_is_told_of_before_the_query_leaves(web: PocketWeb, client: ConfiguredClient) -> None:
    disclosure = Disclosure()
    web.tavily.fails("500")
    with pytest.raises(errors.Unavailable):
        await _keyless(web, client, disclosure).search(Query("x"), DEADLINE)
    (news,) = disclosure.news()
    assert "Tavily (127.0.0.1)" in news
