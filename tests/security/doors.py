"""A search by the byte at the door of the real server: what both kinds of tests about it need."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from tests.doubles import PocketWeb
from tests.http import HttpServer, call, call_headers
from tests.rawhttp import Header, RawAnswer, exchange, request

TOKEN = "dowse_4mVv0J8yQm1q6h3sWZtq0bX9nKcR2aLfE7uYpD5gTzI"
OTHER = "dowse_Zk3nPq7sT9vX1yB4dF6hJ8mQ0rU2wC5eG7iL9oN1aSx"
SEARCH = {"query": "python", "fetch_content": False}
BODY = json.dumps(call("web_search", SEARCH)).encode()
PATHS = ("/mcp", "/v1/mcp", "/healthz", "/readyz", "/metrics", "/nothing", "/.well-known/oauth-protected-resource")
AUTHORIZED: Header = ("Authorization", f"Bearer {TOKEN}")


def settings(web: PocketWeb, **more: str) -> dict[str, str]:
    return {**web.environment("serper"), "DOWSE_TOKENS": f"alice:{TOKEN},bob:{OTHER}", **more}


def address(http: HttpServer) -> str:
    return urlsplit(http.origin).netloc


async def post(http: HttpServer, *headers: Header, path: str = "/mcp", version: str = "1.1") -> RawAnswer:
    """A search with exactly these headers besides the ones that say what it is."""
    plain = [("Content-Type", "application/json"), *call_headers("web_search").items()]
    return await exchange(http.origin, request("POST", path, [*headers, *plain], BODY, version=version))


async def gets_in(http: HttpServer, *headers: Header) -> bool:
    """Whether the search was answered: the proof that what is changed next is what makes the difference."""
    answer = await post(http, *headers)
    return answer.status == 200 and answer.json()["result"]["structuredContent"]["engine"] == "serper"
