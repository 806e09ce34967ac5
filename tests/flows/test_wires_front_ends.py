"""Requests as front ends send them, recorded by method, path, headers and body, answered as their code parses it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.flows.test_wires import PASSAGE, QUERY, SNIPPET, TITLE, TOKEN, serving

BEARER = {"Authorization": f"Bearer {TOKEN}"}
BASIC = {"Authorization": "Basic " + base64.b64encode(f"user:{TOKEN}".encode()).decode()}
WAITED = "The wait doubles with every attempt"
# As LibreChat cuts pages before it reranks them.
CHUNKS = [f"Chunk {number} is about bread and water." for number in range(200)] + ["The harbour bridge reopens."]


@dataclass(frozen=True)
class Recorded:
    """A request of a front end, and what its code takes out of the answer. `{page}` stands for a page of the test."""

    method: str
    path: str
    parse: Callable[[Any], object]
    expected: object
    headers: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    data: bytes = b""


def first_of_searxng(body: Any) -> object:
    ranked = sorted(body["results"], key=lambda each: each["score"], reverse=True)
    return [ranked[0][name] for name in ("title", "content")]


def searxng(path: str, headers: Mapping[str, str], **params: str) -> Recorded:
    return Recorded("GET", path, first_of_searxng, [TITLE, SNIPPET], headers, {"q": QUERY, "format": "json", **params})


OPEN_WEBUI: dict[str, Recorded] = {
    "Open WebUI external search": Recorded(
        "POST",
        "/compat/openwebui/search",
        lambda body: next(
            (each["title"], PASSAGE in each["snippet"], each["link"].endswith("/harbour-bridge")) for each in body
        ),
        (TITLE, True, True),
        {**BEARER, "User-Agent": "Open WebUI", "X-OpenWebUI-User-Name": "A", "X-OpenWebUI-Chat-Id": "c"},
        body={"query": QUERY, "count": 3},
    ),
    "Open WebUI external loader": Recorded(
        "POST",
        "/compat/openwebui/loader",
        lambda body: [(WAITED in each["page_content"], each["metadata"]["title"]) for each in body],
        [(True, "Retrying requests")],
        BEARER,
        body={"urls": ["{page}/docs/retrying", "{page}/missing"]},
    ),
    "Open WebUI external reranker": Recorded(
        "POST",
        "/compat/openwebui/rerank",
        lambda body: [each["index"] for each in sorted(body["results"], key=lambda each: -each["relevance_score"])],
        [1, 0],
        BEARER,
        body={"model": "m", "query": QUERY, "documents": ["bread", "the harbour bridge"], "top_n": 2},
    ),
    "Open WebUI document loader": Recorded(
        "PUT",
        "/compat/openwebui/process",
        lambda body: ("Notes" in body["page_content"] or bool(body["page_content"]), body["metadata"]["source"]),
        (True, "my notes.txt"),
        {**BEARER, "Content-Type": "text/plain", "X-Filename": "my%20notes.txt"},
        data=b"Notes of the meeting about the harbour bridge, which were taken by hand.",
    ),
    "Open WebUI SearXNG": searxng(
        "/compat/searxng/search",
        {**BEARER, "User-Agent": "Open WebUI (https://github.com/open-webui/open-webui) RAG Bot"},
        pageno="1",
        safesearch="1",
        language="all",
        time_range="",
        categories="",
        theme="simple",
        image_proxy="0",
    ),
    "Open WebUI Firecrawl search": Recorded(
        "POST",
        "/compat/firecrawl/v2/search",
        lambda body: next((each["title"], PASSAGE in each["description"]) for each in body["data"]["web"]),
        (TITLE, True),
        BEARER,
        body={"query": QUERY, "limit": 3, "timeout": 15000, "ignoreInvalidURLs": True},
    ),
    "Open WebUI Jina search": Recorded(
        "POST",
        "/compat/jina/search",
        lambda body: next(each["title"] for each in body["data"]),
        TITLE,
        {"Accept": "application/json", "Authorization": TOKEN, "X-Retain-Images": "none"},
        body={"q": QUERY, "count": 3},
    ),
    "Open WebUI Perplexity search": Recorded(
        "POST",
        "/compat/perplexity/search",
        lambda body: next((each["title"], bool(each["snippet"])) for each in body["results"]),
        (TITLE, True),
        BEARER,
        body={"query": QUERY, "max_results": 3},
    ),
}
LIBRECHAT: dict[str, Recorded] = {
    "LibreChat SearXNG": searxng(
        "/compat/searxng/search",
        {"X-API-Key": TOKEN},
        pageno="1",
        categories="general",
        language="all",
        safesearch="0",
        engines="google,bing,duckduckgo",
    ),
    "LibreChat Firecrawl scraper": Recorded(
        "POST",
        "/v2/scrape",
        lambda body: (body["success"], WAITED in body["data"]["markdown"], body["data"]["metadata"]["title"]),
        (True, True, "Retrying requests"),
        BEARER,
        body={"url": "{page}/docs/retrying", "formats": ["markdown", "rawHtml"], "timeout": 7500},
    ),
    "LibreChat Jina reranker": Recorded(
        "POST",
        "/compat/jina/v1/rerank",
        lambda body: (body["results"][0]["document"]["text"], body["model"], body["usage"]["total_tokens"] > 0),
        (CHUNKS[-1], "jina-reranker-v2-base-multilingual", True),
        BEARER,
        body={
            "model": "jina-reranker-v2-base-multilingual",
            "query": QUERY,
            "top_n": 5,
            "documents": CHUNKS,
            "return_documents": True,
        },
    ),
    "LibreChat Tavily search": Recorded(
        "POST",
        "/compat/tavily/search",
        lambda body: next(PASSAGE in each["content"] for each in body["results"]),
        True,
        BEARER,
        body={"query": QUERY, "max_results": 5, "safe_search": True, "chunks_per_source": 3, "topic": "general"},
    ),
    "LibreChat Tavily extract": Recorded(
        "POST",
        "/compat/tavily/extract",
        lambda body: [WAITED in each["raw_content"] for each in body["results"]],
        [True],
        BEARER,
        body={
            "urls": ["{page}/docs/retrying"],
            "extract_depth": "basic",
            "include_images": False,
            "format": "markdown",
            "timeout": 15,
        },
    ),
}
OTHERS: dict[str, Recorded] = {
    "AnythingLLM SearXNG, used as it is": searxng("/compat/searxng", BEARER),
    "AnythingLLM CRW": Recorded(
        "POST",
        "/v1/search",
        lambda body: next((each["title"], each["description"]) for each in body["data"]),
        (TITLE, SNIPPET),
        {**BEARER, "Content-Type": "application/json"},
        body={"query": QUERY, "limit": 10},
    ),
    "Cherry Studio asks for the engines": Recorded(
        "GET",
        "/compat/searxng/config",
        lambda body: any(e["enabled"] and {"general", "web"} <= set(e["categories"]) for e in body["engines"]),
        True,
        BASIC,
    ),
    "Cherry Studio Tavily": Recorded(
        "POST",
        "/compat/tavily/search",
        lambda body: [body["query"], isinstance(body["request_id"], str), isinstance(body["response_time"], float)],
        [QUERY, True, True],
        BEARER,
        body={"query": QUERY, "max_results": 5},
    ),
    "Cherry Studio Exa": Recorded(
        "POST",
        "/compat/exa/search",
        lambda body: next((each["title"], PASSAGE in each["text"]) for each in body["results"]),
        (TITLE, True),
        {"x-api-key": TOKEN},
        body={"query": QUERY, "numResults": 3, "contents": {"text": True}},
    ),
    "Cherry Studio Jina reader": Recorded(
        "POST",
        "/compat/jina",
        lambda body: WAITED in body["data"]["content"],
        True,
        {**BEARER, "Accept": "application/json"},
        body={"url": "{page}/docs/retrying"},
    ),
    "Dify SearXNG, without /search": searxng("/compat/searxng", BEARER, categories="general", time_range="month"),
    "Dify Firecrawl": Recorded(
        "POST",
        "/compat/firecrawl/v1/scrape",
        lambda body: WAITED in body["data"]["markdown"],
        True,
        BEARER,
        body={"url": "{page}/docs/retrying", "formats": ["markdown"], "onlyMainContent": True, "timeout": 30000},
    ),
    "khoj SearXNG": searxng("/compat/searxng/search", BEARER, pageno="1", language="auto", safesearch="0"),
    "khoj Firecrawl": Recorded(
        "POST",
        "/v2/search",
        lambda body: next(PASSAGE in each["markdown"] for each in body["data"]["web"]),
        True,
        BEARER,
        body={"query": QUERY, "limit": 3, "country": "US", "scrapeOptions": {"formats": ["markdown"]}},
    ),
    "khoj Exa": Recorded(
        "POST",
        "/compat/exa/search",
        lambda body: next(each["highlights"] != [] for each in body["results"]),
        True,
        {"x-api-key": TOKEN},
        body={
            "query": QUERY,
            "type": "auto",
            "userLocation": "US",
            "numResults": 3,
            "contents": {"text": False, "highlights": {"numSentences": 5}},
        },
    ),
    "gpt-researcher SearX": searxng("/compat/searxng/search", BEARER),
    "gpt-researcher custom retriever": Recorded(
        "GET",
        f"/t/{TOKEN}/compat/openwebui/retriever",
        lambda body: next((PASSAGE in each["raw_content"], each["url"].endswith("/harbour-bridge")) for each in body),
        (True, True),
        params={"query": QUERY},
    ),
    "gpt-researcher Firecrawl scraper": Recorded(
        "POST",
        "/v1/scrape",
        lambda body: WAITED in body["data"]["markdown"],
        True,
        BEARER,
        body={"url": "{page}/docs/retrying", "formats": ["markdown"], "origin": "python-sdk"},
    ),
}
RECORDED = {**OPEN_WEBUI, **LIBRECHAT, **OTHERS}


def fill(body: object, origin: str) -> object:
    """The body with the address of the pocket web in it."""
    if isinstance(body, str):
        return body.replace("{page}", origin)
    if isinstance(body, dict):
        return {name: fill(value, origin) for name, value in body.items()}
    return [fill(each, origin) for each in body] if isinstance(body, list) else body


@pytest.mark.promise("wire-front-ends")
async def test_front_ends_get_what_their_code_parses(server: Server, web: PocketWeb) -> None:
    origin, wrong = web.page("").rstrip("/"), {}
    async with serving(server, web) as api:
        for name, each in RECORDED.items():
            sent = {"data": each.data} if each.data else {"json": fill(each.body, origin)} if each.body else {}
            status, body, _ = await api.ask(
                each.method, each.path, token="", headers=each.headers, params=dict(each.params), **sent
            )
            parsed = each.parse(body) if status == 200 else body
            if (status, parsed) != (200, each.expected):
                wrong[name] = (status, parsed)
    assert wrong == {}
