"""`DOWSE_PROXY` over whole calls by a real client: providers, remote MCP servers, pages, and a dead proxy."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from mcp_types import CallToolResult

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.doubles.proxies import HttpProxyDouble, ProxyDouble, Socks5ProxyDouble, start_proxy
from tests.fakes.wire import raw_servers

HOST, PUBLIC = "providers.example", "93.184.216.34"
USER, PASSWORD = "ada", "canary-Pa55w0rd"
SCHEMES = {"http": HttpProxyDouble, "socks5": Socks5ProxyDouble}
QUERY = {"query": "python 3.15 release", "num_results": 1, "fetch_content": False}


def elsewhere(web: PocketWeb, *providers: str) -> dict[str, str]:
    """The settings of the pocket web, with names that only the proxy knows."""
    return {name: value.replace("127.0.0.1", HOST) for name, value in web.environment(*providers).items()}


async def call(server: Server, settings: Mapping[str, str], tool: str, **arguments: object) -> CallToolResult:
    async with server.here({**settings, "DOWSE_LOG_LEVEL": "debug"}) as http, http.client() as client:
        return await client.call_tool(tool, arguments)


def text(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_providers_remote_mcp_servers_and_pages_pass_the_proxy(
    scheme: str, server: Server, web: PocketWeb
) -> None:
    keyless = {**elsewhere(web), "DOWSE_KEYLESS": "on", "DOWSE_KEYLESS_ORDER": "exa_mcp"}
    async with raw_servers() as serve:
        proxy: ProxyDouble = await start_proxy(serve, SCHEMES[scheme](web.port, USER, PASSWORD))
        way = {"DOWSE_PROXY": f"{scheme}://{USER}:{PASSWORD}@127.0.0.1:{proxy.port}"}
        keyed = await call(server, {**elsewhere(web, "serper"), **way}, "web_search", **QUERY)
        remote = await call(server, {**keyless, **way}, "web_search", **QUERY)
        page = await call(server, {**elsewhere(web), **way}, "get_content", url=f"http://{PUBLIC}/docs/retrying")

    told = [text(keyed), text(remote), text(page)]
    assert "Python 3.15: what changes for your code" in told[0]
    assert "Python 3.15: what changes for your code" in told[1]
    assert not page.is_error, told[2]
    assert set(proxy.places) == {f"{HOST}:{web.port}", f"{PUBLIC}:80"}
    assert PASSWORD not in f"{told} {server.log}"


async def test_a_dead_proxy_is_named_by_both_tools(server: Server, web: PocketWeb) -> None:
    way = {"DOWSE_PROXY": f"socks5://{USER}:{PASSWORD}@127.0.0.1:1"}
    search = await call(server, {**elsewhere(web, "serper", "tavily"), **way}, "web_search", **QUERY)
    page = await call(server, {**elsewhere(web), **way}, "get_content", url=f"http://{PUBLIC}/")

    assert search.is_error
    assert text(search).startswith("Nothing could be reached (DOWSE_PROXY: no connection to the proxy). ")
    assert page.is_error
    assert text(page).endswith("Status: error (DOWSE_PROXY: no connection to the proxy).")
    assert PASSWORD not in f"{text(search)} {text(page)} {server.log}"
