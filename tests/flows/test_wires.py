"""Every wire over real HTTP against the pocket web: answers, failures by its own means, the timeout of the caller."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpServer

TOKEN = "dowse_canaryQ7mZ4xTn2LkV9sRbW1cYh6JpD3fGa8Ue0123456789"
OTHER = "dowse_canaryZ7mQ4xTn2LkV9sRbW1cYh6JpD3fGa8Ue9876543210"
QUERY = "harbour bridge"
TITLE = "Harbour bridge reopens three weeks early"
SNIPPET = "The lift bridge at Nordhaven carries trams again after repairs to its counterweight."
PASSAGE = "The first tram of line 4 rolled onto the bridge at 5.12 a.m."
EDITION = (
    "<html><body><article><h1>News of the harbour</h1><p>This is the {} edition, and it says what is new.</p></article>"
)


class Api:
    """One running server, asked with a token."""

    def __init__(self, http: HttpServer) -> None:
        self.origin = http.origin
        self._session = http.session

    async def ask(
        self, method: str, path: str, token: str = TOKEN, **options: Any
    ) -> tuple[int, Any, Mapping[str, str]]:
        """Status, body and headers of a response."""
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        headers = {**bearer, **options.pop("headers", {})}
        async with self._session.request(method, self.origin + path, headers=headers, **options) as response:
            text = await response.text()
            is_json = "json" in response.headers["Content-Type"]
            return response.status, json.loads(text) if is_json else text, response.headers

    async def post(self, path: str, **body: object) -> tuple[int, Any, Mapping[str, str]]:
        return await self.ask("POST", path, json=body)

    async def get(self, path: str, **params: str) -> tuple[int, Any, Mapping[str, str]]:
        return await self.ask("GET", path, params=params)


@asynccontextmanager
async def serving(server: Server, web: PocketWeb, **settings: str) -> AsyncIterator[Api]:
    tokens = {"DOWSE_TOKENS": f"tester:{TOKEN},other:{OTHER}"}
    async with server.here({**web.environment("serper"), **tokens, **settings}) as http:
        yield Api(http)


async def test_searxng_answers_below_search_and_at_its_root_by_address_and_by_form(
    server: Server, web: PocketWeb
) -> None:
    async with serving(server, web) as api:
        asked = {"q": QUERY, "format": "json", "pageno": "1", "engines": "google,bing,duckduckgo", "theme": "simple"}
        _, first, headers = await api.get("/compat/searxng/search", **asked, image_proxy="1")
        others = [
            await api.get("/compat/searxng", **asked),
            await api.ask("POST", "/compat/searxng/search", data=asked),
            await api.ask("GET", f"/t/{TOKEN}/compat/searxng/", token="", params=asked),
        ]
        _, config, _ = await api.get("/compat/searxng/config")
        _, health, _ = await api.get("/compat/searxng/healthz")
    assert [body["results"][0] for _, body, _ in others] == [first["results"][0]] * 3
    result = first["results"][0]
    assert (result["title"], result["content"], result["engine"]) == (TITLE, SNIPPET, "serper")
    assert result["publishedDate"].startswith("2026-09-14")
    scores = [each["score"] for each in first["results"]]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores) > 1
    assert first["query"] == QUERY
    assert first["unresponsive_engines"] == []
    assert "X-Dowse-Warnings" not in headers
    assert any(each["enabled"] and {"general", "web"} <= set(each["categories"]) for each in config["engines"])
    assert health == "OK"


async def test_searxng_shows_passages_where_the_settings_say_so(server: Server, web: PocketWeb) -> None:
    async with serving(server, web, DOWSE_SEARXNG_CONTENT="passages") as api:
        _, body, _ = await api.get("/compat/searxng/search", q=QUERY)
    assert PASSAGE in body["results"][0]["content"]


async def test_searxng_names_a_provider_that_failed_beside_results_and_without_any(
    server: Server, web: PocketWeb
) -> None:
    web.serper.fails("500")
    async with serving(server, web, **web.environment("serper", "tavily")) as api:
        found, body, _ = await api.get("/compat/searxng/search", q=QUERY)
        web.tavily.fails("429", retry_after=30)
        none, failed, _ = await api.get("/compat/searxng/search", q=QUERY)
    assert found == 200
    assert body["results"]
    assert [name for name, _ in body["unresponsive_engines"]] == ["serper"]
    assert none == 503
    assert [name for name, _ in failed["unresponsive_engines"]] == ["serper", "tavily"]
    assert "results" not in failed


async def test_parameters_without_effect_are_named_and_the_search_is_done(server: Server, web: PocketWeb) -> None:
    async with serving(server, web) as api:
        _, searx, headers = await api.get("/compat/searxng/search", q=QUERY, engines="mojeek", colour="red")
        _, tavily, tavily_headers = await api.post("/compat/tavily/search", query=QUERY, include_images=True)
        _, scrape, _ = await api.post(
            "/v2/scrape", url=web.page("/docs/retrying"), actions=[{"type": "wait"}], formats=["json"]
        )
        _, exa, _ = await api.post("/compat/exa/search", query=QUERY, startCrawlDate="2026-01-01")
    assert headers["X-Dowse-Warnings"] == "without effect here: engines, colour"
    assert tavily_headers["X-Dowse-Warnings"] == "without effect here: include_images"
    assert scrape["warning"] == "without effect here: actions; formats that this server does not have: json"
    assert scrape["data"]["markdown"]
    assert [each["path"] for each in exa["warnings"]] == ["/startCrawlDate"]
    assert searx["results"]
    assert tavily["results"]


async def test_tavily_has_passages_as_content_and_the_page_as_raw_content(server: Server, web: PocketWeb) -> None:
    async with serving(server, web) as api:
        _, body, _ = await api.post(
            "/compat/tavily/search", query=QUERY, max_results=1, include_raw_content=True, chunks_per_source=1
        )
        _, brief, _ = await api.post(
            "/compat/tavily/search", query=QUERY, search_depth="ultra-fast", include_answer="basic"
        )
        _, extracted, _ = await api.post(
            "/compat/tavily/extract",
            urls=web.page("/docs/retrying"),
            query="how long does it wait",
            chunks_per_source=1,
        )
    assert body.keys() >= {"query", "request_id", "response_time", "images", "follow_up_questions", "answer", "results"}
    first = body["results"][0]
    assert first["title"] == TITLE
    assert PASSAGE in first["content"]
    assert len(first["content"]) < len(first["raw_content"])
    assert [each["content"] for each in brief["results"][:1]] == [SNIPPET]
    assert "bridge" in brief["answer"]
    (page,) = extracted["results"]
    assert "The wait doubles with every attempt" in page["raw_content"]
    assert "Switching it off" not in page["raw_content"]


async def test_a_blocked_page_is_never_a_success(server: Server, web: PocketWeb) -> None:
    """By the means of each wire: a code, a list of failures, statuses, an error, or a missing element."""
    web.pages.fails("/docs/retrying", "challenge").fails("/news/harbour-bridge", "challenge")
    page = web.page("/docs/retrying")
    async with serving(server, web) as api:
        answers = {
            "scrape": await api.post("/v2/scrape", url=page),
            "v1": await api.post("/v1/scrape", url=page),
            "tavily": await api.post("/compat/tavily/extract", urls=[page, web.page("/articles/python-315")]),
            "exa": await api.post("/compat/exa/contents", urls=[page], text=True),
            "serper": await api.post("/compat/serper/scrape", url=page),
            "jina": await api.get(f"/compat/jina/{page}"),
            "loader": await api.post("/compat/openwebui/loader", urls=[page, web.page("/articles/python-315")]),
            "search": await api.post("/v2/search", query=QUERY, limit=1, scrapeOptions={"formats": ["markdown"]}),
            "tavily search": await api.post(
                "/compat/tavily/search", query=QUERY, max_results=1, include_raw_content=True
            ),
        }
    bodies = {name: body for name, (_, body, _) in answers.items()}
    statuses = {name: status for name, (status, _, _) in answers.items() if status != 200}
    assert statuses == {"scrape": 403, "v1": 403, "serper": 403, "jina": 403}
    assert (
        bodies["scrape"]
        == bodies["v1"]
        == {
            "success": False,
            "error": "blocked: the site refused or challenged the request",
            "code": "SCRAPE_SITE_ERROR",
        }
    )
    assert [each["url"] for each in bodies["tavily"]["failed_results"]] == [page]
    assert [each["url"] for each in bodies["tavily"]["results"]] == [web.page("/articles/python-315")]
    assert bodies["exa"]["results"] == []
    assert bodies["exa"]["statuses"][0]["error"]["tag"] == "SOURCE_NOT_AVAILABLE"
    assert [each["metadata"]["source"] for each in bodies["loader"]] == [web.page("/articles/python-315")]
    assert page in answers["loader"][2]["X-Dowse-Warnings"]
    (found,) = bodies["search"]["data"]["web"]
    assert "markdown" not in found
    assert found["metadata"]["error"].startswith("blocked")
    assert "were not read" in bodies["search"]["warning"]
    (result,) = bodies["tavily search"]["results"]
    assert (result["content"], result["raw_content"]) == (SNIPPET, None)
    assert "Checking that you are a human" not in json.dumps(bodies)


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        ("/v2/scrape", {"timeout": 700}, {}, 408),
        ("/v1/scrape", {"timeout": 700}, {}, 408),
        ("/compat/tavily/extract", {"timeout": 0.7}, {}, 200),
        ("/compat/jina", {}, {"X-Timeout": "0.7"}, 408),
    ],
)
async def test_the_timeout_of_the_caller_is_heeded(
    server: Server, web: PocketWeb, path: str, body: dict[str, object], headers: dict[str, str], status: int
) -> None:
    """The page hangs for ever: only the deadline ends the call."""
    web.pages.fails("/docs/retrying", "hang")
    page = web.page("/docs/retrying")
    async with serving(server, web, DOWSE_DEADLINE_S="40") as api, asyncio.timeout(20):
        given = {**body, "urls" if "extract" in path else "url": page}
        answered, found, _ = await api.ask("POST", path, json=given, headers=headers)
    assert answered == status
    assert "timeout" in json.dumps(found)


async def test_highlights_replace_descriptions_in_v2_and_v1_has_a_flat_list(server: Server, web: PocketWeb) -> None:
    async with serving(server, web) as api:
        _, second, _ = await api.post("/v2/search", query=QUERY, limit=2, sources=["web", {"type": "news"}])
        _, plain, _ = await api.post("/v2/search", query=QUERY, limit=2, highlights=False)
        _, first, _ = await api.post("/v1/search", query=QUERY, limit=2, scrapeOptions={"formats": ["markdown"]})
    assert second["success"] is True
    assert PASSAGE in second["data"]["web"][0]["description"]
    assert second["data"]["news"][0].keys() >= {"title", "url", "snippet", "date", "position"}
    assert plain["data"]["web"][0]["description"] == SNIPPET
    assert first["data"][0]["title"] == TITLE
    assert PASSAGE in first["data"][0]["markdown"]
    assert first["data"][0]["metadata"]["sourceURL"] == web.page("/news/harbour-bridge")


async def test_serper_brave_perplexity_and_jina_answer_in_their_shapes(server: Server, web: PocketWeb) -> None:
    async with serving(server, web) as api:
        _, organic, _ = await api.post("/compat/serper/search", q=QUERY, num=2, gl="us", hl="en")
        _, news, _ = await api.ask(
            "POST", "/compat/serper/news", json={"q": QUERY}, token="", headers={"X-API-KEY": TOKEN}
        )
        _, images, _ = await api.post("/compat/serper/images", q=QUERY)
        _, scraped, _ = await api.post("/compat/serper", url=web.page("/docs/retrying"), includeMarkdown=True)
        _, brave, _ = await api.get("/compat/brave/res/v1/web/search", q=QUERY, count="2", extra_snippets="true")
        _, context, _ = await api.get("/compat/brave/res/v1/llm/context", q=QUERY, maximum_number_of_tokens="900")
        _, searched, _ = await api.post("/compat/perplexity/v1/search/tool", query=[QUERY, "kettle"], max_results=2)
        _, found, _ = await api.get("/compat/jina/search", q=QUERY)
        _, page, _ = await api.ask(
            "GET", f"/compat/jina/{web.page('/docs/retrying')}?a=1&b=2", headers={"Accept": "application/json"}
        )
    assert organic["organic"][0] == {
        "title": TITLE,
        "link": web.page("/news/harbour-bridge"),
        "snippet": SNIPPET,
        "date": "2026-09-14",
        "position": 1,
    }
    assert news["news"][0].keys() >= {"title", "link", "snippet", "date", "source"}
    assert images["images"][0].keys() >= {"title", "imageUrl", "link", "domain"}
    assert "The wait doubles with every attempt" in scraped["text"]
    assert scraped["markdown"].startswith("# Retrying requests")
    assert brave["web"]["results"][0]["description"] == SNIPPET
    assert PASSAGE in "".join(brave["web"]["results"][0]["extra_snippets"])
    assert PASSAGE in context["grounding"]["generic"][0]["snippets"][0]
    assert web.page("/news/harbour-bridge") in context["sources"]
    assert searched["object"] == "search"
    assert len(searched["results"]) == 2
    assert PASSAGE in searched["results"][0]["snippet"]
    assert found["data"][0].keys() >= {"title", "url", "content", "description", "usage"}
    assert page["data"]["url"] == web.page("/docs/retrying?a=1&b=2")
    assert page["data"]["content"].startswith("# Retrying requests")


async def test_a_caller_without_a_good_token_is_refused_in_the_shape_of_the_wire(
    server: Server, web: PocketWeb
) -> None:
    expected = {
        "/v2/search": (401, lambda body: body["success"] is False and body["error"]),
        "/compat/tavily/search": (401, lambda body: body["detail"]["error"]),
        "/compat/exa/search": (401, lambda body: body["tag"] == "INVALID_API_KEY"),
        "/compat/perplexity/search": (401, lambda body: body["error"]["type"] == "unauthorized"),
        "/compat/serper/search": (401, lambda body: body["message"]),
        "/v1/rerank": (401, lambda body: body["message"]),
        "/compat/openwebui/search": (401, lambda body: body["detail"]),
        "/compat/jina/rerank": (401, lambda body: body["name"] == "AuthenticationFailedError"),
    }
    async with serving(server, web) as api:
        for path, (status, has_shape) in expected.items():
            answered, body, _ = await api.ask("POST", path, "wrong", json={"query": "x", "q": "x"})
            assert answered in (status, 403), path
            assert has_shape(body), path
    assert web.serper.requests == []


async def test_a_caller_that_calls_too_often_is_told_when_to_come_back(server: Server, web: PocketWeb) -> None:
    async with serving(server, web, DOWSE_LIMIT_WEB_SEARCH="1/10m") as api:
        await api.post("/compat/tavily/search", query=QUERY)
        status, body, headers = await api.post("/v2/search", query=QUERY)
        other, _, _ = await api.ask("POST", "/v2/search", OTHER, json={"query": QUERY})
    assert (status, other) == (429, 200)
    assert body["success"] is False
    assert 0 < int(headers["Retry-After"]) <= 600


async def test_a_wire_that_is_switched_off_is_not_there(server: Server, web: PocketWeb) -> None:
    async with serving(server, web, DOWSE_WIRES="searxng") as api:
        on, _, _ = await api.get("/compat/searxng/search", q=QUERY)
        off = [(await api.post(path, query=QUERY))[0] for path in ("/compat/tavily/search", "/v2/search", "/v1/rerank")]
    assert (on, off) == (200, [404, 404, 404])


async def test_no_wire_reads_an_address_of_the_network_of_the_server(server: Server, web: PocketWeb) -> None:
    private = "http://169.254.169.254/latest/meta-data/"
    async with serving(server, web) as api:
        told = [
            await api.post("/v2/scrape", url=private),
            await api.post("/compat/serper/scrape", url=private),
            await api.get(f"/compat/jina/{private}"),
            await api.post("/compat/tavily/extract", urls=[private]),
            await api.post("/compat/exa/contents", urls=[private]),
            await api.post("/compat/openwebui/loader", urls=[private]),
        ]
    assert [status for status, _, _ in told] == [403, 403, 403, 200, 200, 200]
    assert told[3][1]["failed_results"][0]["error"].startswith("denied")
    assert told[4][1]["statuses"][0]["status"] == "error"
    assert told[5][1] == []


async def test_a_caller_gets_no_older_copy_than_it_takes(server: Server, web: PocketWeb) -> None:
    url = web.page("/edition")
    web.pages.serves("/edition", EDITION.format("first"))
    async with serving(server, web, DOWSE_TTL_PAGES="1h") as api:
        await api.post("/v2/scrape", url=url)
        web.pages.serves("/edition", EDITION.format("second"))
        _, kept, _ = await api.post("/v2/scrape", url=url, maxAge=3_600_000 * 48)
        _, fresh, _ = await api.post("/v2/scrape", url=url, maxAge=0)
        _, reader, _ = await api.ask("GET", f"/compat/jina/{url}", headers={"X-No-Cache": "true"})
        _, exa, _ = await api.post("/compat/exa/contents", urls=[url], text=True, maxAgeHours=0)
    assert "first edition" in kept["data"]["markdown"]
    assert kept["data"]["metadata"]["cacheState"] == "hit"
    assert [("second edition" in text) for text in (fresh["data"]["markdown"], reader, exa["results"][0]["text"])] == [
        True
    ] * 3
