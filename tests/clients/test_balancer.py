"""One replica behind a real nginx: the configuration that is shipped passes on what the server has to know.

`tests/slow/clients` has three replicas on one Valkey.
"""

from __future__ import annotations

import asyncio
from io import BytesIO
from typing import Any

import pytest

from tests.balancer import balancing
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpServer

NAME, TOKEN = "search.example.org", "a-token-of-ana-that-is-long-enough"
ADDRESSED = {"Host": NAME, "Authorization": f"Bearer {TOKEN}"}
BEHIND = {"DOWSE_ALLOWED_HOSTS": NAME, "DOWSE_TRUSTED_PROXIES": "127.0.0.1", "DOWSE_TOKENS": f"ana:{TOKEN}"}


async def ask(http: HttpServer, tool: str = "get_content", **headers: str) -> int:
    async with http.post(tool, {}, headers=headers) as response:
        return response.status


async def test_what_the_server_judges_a_caller_by_comes_from_the_balancer(server: Server) -> None:
    async with server.here(BEHIND) as replica, balancing(replica.origin) as url:
        http = HttpServer(url + "/mcp", replica.session)
        assert await ask(http, **ADDRESSED) == 200
        assert await ask(http, Host=NAME) == 401
        forged = {"X-Forwarded-Host": NAME, "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"}
        assert await ask(http, **{**ADDRESSED, **forged, "Host": "elsewhere.example"}) == 421
        async with replica.session.get(url + "/readyz") as response:
            assert (response.status, await response.text()) == (200, "ready\n")
        async with replica.session.get(url + "/metrics", headers=ADDRESSED) as response:
            assert response.status == 404
        too_large = BytesIO(bytes(1024 * 1024 + 1))
        async with replica.session.post(url + "/mcp", data=too_large, headers=ADDRESSED) as response:
            assert response.status == 413
    assert '"client": "127.0.0.1"' in server.log
    assert "192.0.2.1" not in server.log


async def test_progress_comes_through_while_the_call_is_still_going_on(server: Server, web: PocketWeb) -> None:
    web.serper.fails("hang")
    question: dict[str, Any] = {"query": "python release"}
    async with server.here(web.environment("serper")) as replica, balancing(replica.origin) as url:
        http = HttpServer(url + "/mcp", replica.session)
        async with asyncio.timeout(30), http.post("web_search", question, progress_token="t") as response:
            async for line in response.content:
                if b"asking serper" in line:
                    break
            else:
                pytest.fail("the stream ended without progress")
            seen = await web.serper.arrived()
        # The client has left in the middle of it, and so does everybody behind the balancer.
        await asyncio.wait_for(seen.closed.wait(), 30)
