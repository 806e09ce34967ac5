"""One line scripts a double, and what it was asked can be read afterwards."""

import asyncio

import pytest
from aiohttp import ClientSession

from dowse.settings import SPECS
from dowse.settings.sites import SITES
from tests.doubles import EXA_KEY, SERPER_KEY, TAVILY_KEY, Listing, PocketWeb, closed_port

LISTING = Listing("One", "https://one.example/", "The first.", "2026-09-14")


async def ask(http: ClientSession, pocket: PocketWeb, query: str = "python"):
    headers = {"X-API-KEY": SERPER_KEY}
    async with http.post(pocket.page("/serper/search?a=1"), json={"q": query}, headers=headers) as response:
        return response.status, await response.json()


async def test_requests_are_recorded_whole(pocket, http):
    await ask(http, pocket)
    [seen] = pocket.serper.requests
    assert (seen.method, seen.path, seen.params) == ("POST", "/serper/search", {"a": "1"})
    assert (seen.json, seen.body) == ({"q": "python"}, b'{"q": "python"}')
    assert seen.headers["x-api-key"] == SERPER_KEY
    assert not seen.closed.is_set()


async def test_a_body_that_is_no_json_object_is_kept_as_bytes(pocket, http):
    async with http.post(pocket.page("/exa/search"), data=b"\xff"):
        pass
    assert (pocket.exa.requests[0].json, pocket.exa.requests[0].body) == (None, b"\xff")


async def test_a_failure_with_times_ends_and_the_double_works_again(pocket, http):
    pocket.serper.fails("500", times=2)
    assert [(await ask(http, pocket))[0] for _ in range(3)] == [500, 500, 200]


async def test_failures_with_times_follow_each_other(pocket, http):
    pocket.serper.fails("500", times=1).fails("429", times=1).replies(json={"organic": []}, status=202)
    assert [(await ask(http, pocket))[0] for _ in range(4)] == [500, 429, 202, 202]


async def test_a_failure_for_good_is_replaced_by_the_next_script(pocket, http):
    pocket.serper.fails("500")
    pocket.serper.fails("429")
    assert (await ask(http, pocket))[0] == 429


async def test_a_double_with_a_limit_refuses_what_comes_faster_and_counts_it(pocket, http):
    limit = pocket.serper.takes(2, 3600.0)
    assert [(await ask(http, pocket))[0] for _ in range(4)] == [200, 200, 429, 429]
    assert limit.refused == 2
    limit = pocket.serper.takes(1, 1e-9)
    assert [(await ask(http, pocket))[0] for _ in range(3)] == [200, 200, 200]
    assert limit.refused == 0
    pocket.serper.takes(1, 3600.0)
    pocket.serper.works()
    assert [(await ask(http, pocket))[0] for _ in range(2)] == [200, 200]


def test_no_times_at_all_is_a_mistake_of_the_test():
    with pytest.raises(ValueError, match="times is 0"):
        PocketWeb().serper.fails("500", times=0)


async def test_replies_sends_exactly_what_it_was_given(pocket, http):
    pocket.serper.replies(json={"organic": "nonsense"}, status=203, headers={"X-Extra": "1"})
    async with http.post(pocket.page("/serper/search")) as response:
        assert (response.status, response.headers["X-Extra"]) == (203, "1")
        assert await response.json() == {"organic": "nonsense"}


@pytest.mark.parametrize(
    "item",
    [LISTING, {"title": "One", "url": "https://one.example/", "snippet": "The first.", "published": "2026-09-14"}],
)
async def test_finds_takes_listings_and_mappings_and_adds_nothing(pocket, http, item):
    pocket.serper.finds([item])
    _, body = await ask(http, pocket)
    first = {"title": "One", "link": "https://one.example/", "snippet": "The first."}
    assert body == {
        "searchParameters": {"type": "search", "engine": "google", "q": "python"},
        "organic": [first | {"date": "Sep 14, 2026", "position": 1}],
        "credits": 1,
    }


async def test_finds_takes_paths_of_pages(pocket, http):
    pocket.serper.finds(["/docs/retrying", "/shell"])
    _, body = await ask(http, pocket)
    links = [(item["title"], item["link"]) for item in body["organic"]]
    assert links == [
        ("Retrying requests - Lantern client guide", pocket.page("/docs/retrying")),
        ("/shell", pocket.page("/shell")),
    ]


async def test_finds_nothing_is_an_honest_empty_answer(pocket, http):
    pocket.serper.finds_nothing()
    assert (await ask(http, pocket))[1]["organic"] == []


async def test_works_forgets_scripts_and_keeps_requests(pocket, http):
    pocket.serper.fails("500").finds_nothing().delays(60)
    pocket.serper.works()
    status, body = await ask(http, pocket)
    assert (status, len(body["organic"])) == (200, 10)
    pocket.serper.works()
    assert len(pocket.serper.requests) == 1


async def test_reset_forgets_everything_everywhere(pocket, http):
    pocket.serper.fails("500")
    pocket.searxng.json_off()
    pocket.pages.serves("/new", "x").fails("/long", "500").delays(60)
    await ask(http, pocket)
    pocket.reset()

    assert pocket.serper.requests == []
    assert (await ask(http, pocket))[0] == 200
    for path, status in (("/searxng/search?q=x&format=json", 200), ("/new", 404), ("/long", 200)):
        async with http.get(pocket.page(path)) as response:
            assert response.status == status


async def test_a_delayed_double_notices_that_the_client_left(pocket, http):
    pocket.serper.delays(60)
    call = asyncio.create_task(ask(http, pocket))
    seen = await pocket.serper.arrived()
    call.cancel()
    await asyncio.wait_for(seen.closed.wait(), 30)


async def test_environment_names_the_credentials_asked_for_and_every_endpoint(pocket):
    origin = f"http://127.0.0.1:{pocket.port}"
    everywhere = {
        "SERPER_SEARCH_ENDPOINT": f"{origin}/serper/search",
        "SERPER_SCRAPE_ENDPOINT": f"{origin}/serper/scrape",
        "EXA_SEARCH_ENDPOINT": f"{origin}/exa/search",
        "EXA_CONTENTS_ENDPOINT": f"{origin}/exa/contents",
        "TAVILY_SEARCH_ENDPOINT": f"{origin}/tavily/search",
        "TAVILY_EXTRACT_ENDPOINT": f"{origin}/tavily/extract",
        "DOWSE_ALLOW_PRIVATE": f"127.0.0.1:{pocket.port}",
        "NPM_FILES_URL": f"{origin}/files",
        "OPENAI_BASE_URL": f"{origin}/openai/v1",
        "EXA_MCP_URL": f"{origin}/exa_mcp/mcp",
        "PARALLEL_MCP_URL": f"{origin}/parallel_mcp/mcp",
        "FIRECRAWL_MCP_URL": f"{origin}/firecrawl_mcp/mcp",
        "SEARX_SPACE_URL": f"{origin}/searx-space/instances.json",
        "DUCKDUCKGO_URL": origin + pocket.duckduckgo.path,
        "MOJEEK_URL": origin + pocket.mojeek.path,
        **{site.variable: origin + site.endpoint for site in pocket.sites.values()},
    }
    assert set(pocket.sites) == set(SITES)
    assert everywhere.items() <= pocket.environment().items()
    assert {
        name for spec in SPECS.values() for name in [each.variable for each in spec.endpoints.values()]
    } <= pocket.environment().keys()
    everywhere = pocket.environment()
    assert pocket.environment("exa") == everywhere | {"EXA_API_KEY": EXA_KEY}
    assert pocket.environment("serper", "tavily", "searxng") == everywhere | {
        "SERPER_API_KEY": SERPER_KEY,
        "TAVILY_API_KEY": TAVILY_KEY,
        "SEARXNG_URL": f"{origin}/searxng",
    }


async def test_keys_can_be_chosen(http):
    async with PocketWeb(keys={"serper": "canary"}) as pocket:
        assert pocket.environment("serper")["SERPER_API_KEY"] == "canary"
        assert (await ask(http, pocket))[0] == 403


async def test_a_closed_port_refuses_connections():
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", closed_port())


def test_there_is_no_address_before_the_web_is_entered():
    with pytest.raises(RuntimeError, match="no address"):
        PocketWeb().page("/")


async def test_leaving_is_quick_although_handlers_hang_and_is_not_taken_for_a_client_that_left(http):
    async with PocketWeb() as pocket:
        pocket.serper.fails("hang")
        pocket.pages.fails("/long", "trickle")
        calls = [asyncio.create_task(ask(http, pocket)) for _ in range(20)]
        calls.append(asyncio.create_task(http.get(pocket.page("/long"))))
        await pocket.serper.arrived(20)
        await pocket.pages.arrived()
        seen = pocket.serper.requests[0]
        started = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - started < 0.4
    assert not seen.closed.is_set()
    await asyncio.gather(*calls, return_exceptions=True)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", pocket.port)
