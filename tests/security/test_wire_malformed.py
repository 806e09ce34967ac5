"""Malformed requests at every wire: its own error shape, no crash, no key. Offline, so that nothing else can answer."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from dowse.app import App
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, Wire
from dowse.contracts.wires.table import WIRES
from dowse.settings import sources
from tests.doubles.web import EXA_KEY, SERPER_KEY, TAVILY_KEY

REQUESTS = 500
TOKEN = "dowse_canaryQ7mZ4xTn2LkV9sRbW1cYh6JpD3fGa8Ue0123456789"
SECRETS = (SERPER_KEY, EXA_KEY, TAVILY_KEY, TOKEN)
URL = "https://example.org/page"
BODIES: Mapping[str, dict[str, object]] = {
    "searxng": {"q": "bridge", "format": "json", "pageno": 1, "safesearch": 0, "time_range": "day", "language": "en"},
    "firecrawl": {
        "query": "bridge",
        "url": URL,
        "urls": [URL],
        "limit": 5,
        "formats": ["markdown", {"type": "links"}],
        "timeout": 7500,
        "sources": ["web", {"type": "news"}],
        "tbs": "qdr:d",
        "scrapeOptions": {"formats": ["markdown"]},
        "includeDomains": ["example.org"],
        "maxAge": 0,
        "highlights": True,
        "sitemap": "include",
        "search": "x",
        "categories": ["github"],
    },
    "tavily": {
        "query": "bridge",
        "urls": [URL],
        "url": URL,
        "max_results": 5,
        "days": 3,
        "topic": "news",
        "time_range": "day",
        "include_domains": ["example.org"],
        "start_date": "2026-01-01",
        "include_answer": True,
        "chunks_per_source": 3,
        "include_raw_content": "text",
        "search_depth": "basic",
        "timeout": 5,
        "limit": 3,
        "format": "markdown",
    },
    "exa": {
        "query": "bridge",
        "urls": [URL],
        "ids": [URL],
        "numResults": 5,
        "includeDomains": ["example.org"],
        "contents": {"text": {"maxCharacters": 5}, "highlights": {"query": "x"}},
        "startPublishedDate": "2026-01-01T00:00",
        "text": {"maxCharacters": 5},
        "highlights": True,
        "summary": {"query": "y"},
        "category": "news",
        "maxAgeHours": 1,
    },
    "serper": {
        "q": "bridge",
        "num": 5,
        "gl": "us",
        "hl": "en",
        "page": 1,
        "tbs": "qdr:d",
        "url": URL,
        "autocorrect": True,
    },
    "perplexity": {
        "query": ["bridge", "kettle"],
        "max_results": 5,
        "max_tokens": 100,
        "search_domain_filter": ["-example.org"],
        "search_recency_filter": "day",
        "search_after_date_filter": "1/31/2026",
        "country": "US",
        "search_language_filter": ["en"],
        "search_context_size": "low",
    },
    "jina": {
        "q": "bridge",
        "url": URL,
        "count": 5,
        "num": 5,
        "gl": "us",
        "query": "x",
        "documents": "none",
        "top_n": 1,
    },
    "brave": {
        "q": "bridge",
        "count": 5,
        "offset": 0,
        "freshness": "pd",
        "safesearch": "off",
        "country": "us",
        "maximum_number_of_tokens": 1000,
        "extra_snippets": "true",
    },
    "openwebui": {"query": "bridge", "count": 3, "urls": [URL], "documents": [1], "top_n": 2},
    "rerank": {"query": "bridge", "documents": [], "top_n": 1, "model": "m"},
}
ODD: tuple[object, ...] = (
    *(
        None,
        True,
        False,
        "",
        " ",
        0,
        -1,
        1.5,
        10**400,
        -(10**30),
        1e308,
        "NaN",
        "inf",
        "٣",
        "1e5",
        [],
        {},
        [[]],
        [None],
    ),
    *([{}], {"type": []}, {"type": "x"}, [1, 2], ["a"] * 600, "x" * 5000, "\x00\r\n\u202e", "\ud800", "💥", "http://"),
    *(
        "javascript:alert(1)",
        "http://[::1",
        "//",
        {"a": {"b": {"c": [1]}}},
        "2026-99-99",
        "99/99/9999",
        "qdr:d,cd_min:99/99/9999",
    ),
    *(
        [["a"]],
        [{"type": 5}],
        {"formats": 5},
        {"maxCharacters": "many"},
        {"text": {"maxCharacters": -5}},
        "*.",
        "..",
        "a" * 70_000,
    ),
)
BROKEN = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"5",
    b'"x"',
    b"NaN",
    b'{"query": NaN}',
    b"\xff\xfe{}",
    b"{} {}",
    b"[" * 5000,
    b'{"a":' * 500,
)

Shape = Callable[[Any], bool]
SHAPES: Mapping[str, Shape] = {
    "searxng": lambda body: isinstance(body["error"], str),
    "firecrawl": lambda body: body["success"] is False and isinstance(body["error"], str),
    "tavily": lambda body: isinstance(body["detail"]["error"], str),
    "exa": lambda body: isinstance(body["error"], str) and isinstance(body["tag"], str) and body["requestId"],
    "serper": lambda body: isinstance(body["message"], str) and body["statusCode"] >= 400,
    "perplexity": lambda body: isinstance(body["error"]["message"], str) and body["error"]["code"] >= 400,
    "jina": lambda body: body["data"] is None and body["code"] >= 400 and isinstance(body["readableMessage"], str),
    "brave": lambda body: body["type"] == "ErrorResponse" and isinstance(body["error"]["detail"], str),
    "openwebui": lambda body: isinstance(body["detail"], str),
    "rerank": lambda body: isinstance(body["message"], str),
}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    environ = {
        "SERPER_API_KEY": SERPER_KEY,
        "EXA_API_KEY": EXA_KEY,
        "TAVILY_API_KEY": TAVILY_KEY,
        "DOWSE_TOKENS": f"tester:{TOKEN}",
        "DOWSE_OFFLINE": "true",
        "DOWSE_STATE": "memory:",
    }
    async with App(sources.load({}, environ).settings) as opened:
        yield opened


def requests(wire: Wire) -> Iterator[tuple[HttpEndpoint, HttpRequest]]:
    """Requests made from good ones: a field or two changed or dropped, or the body broken; always the same."""
    dice = random.Random(wire.name)
    served = [each for each in wire.endpoints if each.name not in ("config", "health")]
    for number in range(REQUESTS):
        endpoint = served[number % len(served)]
        body = dict(BODIES[wire.name])
        for name in dice.sample(sorted(body), k=dice.randint(1, min(3, len(body)))):
            body[name] = dice.choice(ODD)
        if dice.random() < 0.1:
            body[dice.choice(["", "x" * 300, "\ud800", "\r\nX-Evil: 1", "__proto__"])] = dice.choice(ODD)
        sent = dice.choice(BROKEN) if dice.random() < 0.15 else json.dumps(body, default=str).encode()
        query = {name: (str(value),) for name, value in body.items()}
        path = dict.fromkeys(("id", "url", "query", "tool"), str(dice.choice(ODD)))
        headers = {"x-timeout": str(dice.choice(ODD)), "x-return-format": "html", "accept": "*/*", "x-filename": "%ff"}
        yield endpoint, HttpRequest(dice.choice(endpoint.methods), path, query, headers, sent, "http://127.0.0.1")


# They need no network, so that a request which is odd but valid is answered.
LOCAL_TOOLS = ("rerank", "extract")


def objection(wire: str, endpoint: HttpEndpoint, reply: HttpReply) -> str:
    """What is wrong about a reply, if anything is."""
    if reply.status == 200 and endpoint.name in LOCAL_TOOLS:
        return ""
    if reply.status < 400 or reply.status == 500:
        return f"status {reply.status}"
    text = reply.data.decode() if isinstance(reply.data, bytes) else json.dumps(reply.data)
    if any(secret in text + str(reply.headers) for secret in SECRETS):
        return "a key"
    if "Traceback" in text or 'File "' in text or "Error(" in text:
        return "a traceback"
    if not all(value.isprintable() and value.isascii() for value in reply.headers.values()):
        return "a header that cannot be sent"
    return "" if SHAPES[wire](json.loads(text)) else "another shape"


@pytest.mark.promise("wire-malformed")
@pytest.mark.parametrize("name", WIRES)
async def test_500_malformed_requests_have_the_error_shape_of_the_wire(app: App, name: str) -> None:
    (wire,) = (each for each in app.wires if each.name == name)
    wrong = []
    for endpoint, request in requests(wire):
        reply = await app.dispatcher.serve(endpoint, request, door=wire.door)
        if problem := objection(name, endpoint, reply):
            wrong.append((problem, endpoint.path, request.body[:300], reply.data))
    assert wrong == []
