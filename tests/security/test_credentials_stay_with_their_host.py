"""Every credential of the operator goes to the endpoint that it is for, and to no other, whatever a caller asks for."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode

import pytest

from dowse.app import App
from dowse.core.runtime import no_progress
from dowse.settings.sources import load
from tests.doubles import APP_PATHS, PocketWeb
from tests.fakes.wire import Talk, raw_servers

pytestmark = pytest.mark.promise("credential-own-endpoint")

KEYS = {
    **{name: f"{name}-canary-4f81c0a6e5d39b7" for name in ("serper", "exa", "tavily", "openai", "github")},
    "stackexchange": "stackexchange-canary-4f81c0a6",
}
HEADER = "searxng-canary-4f81c0a6e5d39b7"
PASSWORDS = {name: f"{name}-canary-4f81c0a6e5d39b7" for name in ("pypi", "npm")}
# In a header, in the address, and in an argument of the tool.
MCP = {name: f"mcp-{name}-canary-4f81c0a6e5d39b7" for name in ("header", "address", "argument")}
REDIS, BROWSER = "redis-canary-4f81c0a6e5d39b7", "browser-canary-4f81c0a6e5d39b7"
PROVIDERS = ("serper", "exa", "tavily", "searxng", "openai")


def environment(web: PocketWeb) -> dict[str, str]:
    return {
        **web.environment(*PROVIDERS),
        "GITHUB_TOKEN": KEYS["github"],
        "STACKEXCHANGE_KEY": KEYS["stackexchange"],
        "PYPI_URL": _with_password(web.page(web.sites["pypi"].endpoint), PASSWORDS["pypi"]),
        "NPM_REGISTRY_URL": _with_password(web.page(web.sites["npm"].endpoint), PASSWORDS["npm"]),
        "DOWSE_MCP_PROVIDERS": json.dumps({"mine": mcp_server(web)}),
        "SEARXNG_HEADERS_JSON": json.dumps({"X-Gate-Key": HEADER}),
        "DOWSE_STATE": "memory:",
        "DOWSE_ROBOTS": "off",
    }


def _with_password(address: str, password: str) -> str:
    return address.replace("//", f"//otter:{password}@")


def mcp_server(web: PocketWeb) -> dict[str, object]:
    return {
        "url": f"{web.page(web.parallel_mcp.path)}?key={MCP['address']}",
        "tool": "web_search",
        "query": "objective,search_queries[]",
        "arguments": {"session_id": MCP["argument"]},
        "headers": {"Authorization": f"Bearer {MCP['header']}"},
    }


async def run(environment: dict[str, str], *calls: tuple[str, dict[str, object]]) -> None:
    async with App(load({}, environment).settings) as app:
        tools = {tool.name: tool for tool in app.contract.tools}
        for name, arguments in calls:
            await app.dispatcher.call(tools[name], arguments, no_progress)


def where(web: PocketWeb, secret: str) -> set[str]:
    """The endpoints that have received a secret, in any part of a request."""
    seen = [(double.name, request) for double in web.doubles for request in double.requests]
    seen += [("a page", request) for request in web.pages.requests]
    texts = [(name, f"{each.path}{each.params}{each.headers}{each.body!r}") for name, each in seen]
    forms = (secret, b64encode(f"otter:{secret}".encode()).decode())
    return {name for name, text in texts if any(form in text for form in forms)}


async def test_each_credential_is_seen_by_its_own_endpoint_only() -> None:
    async with PocketWeb({**KEYS, "parallel_mcp": MCP["header"]}) as web:
        pages: list[str] = [
            web.page("/"),
            "https://github.com/otterworks/brook",
            "https://github.com/otterworks/brook/issues/12",
            "https://stackoverflow.com/questions/12/title",
            "https://pypi.org/project/otter/",
            "https://www.npmjs.com/package/otter",
        ]
        reads = [("get_content", {"url": url}) for url in pages]
        searches = [("web_search", {"query": f"python {depth}", "depth": depth}) for depth in ("normal", "wide")]
        # Domains of the open APIs, which the keyless pool asks.
        keyless = [
            ("web_search", {"query": "TypeError otter", "include_domains": [domain]})
            for domain in ("github.com", "stackoverflow.com")
        ]
        settings = environment(web)
        await run(settings, *reads, *searches, ("answer_question", {"question": "is it wet in Oslo"}))
        await run({**settings, "DOWSE_READ_ORDER": "scrape-first"}, ("get_content", {"url": web.page("/")}))
        await run({**settings, "DOWSE_SEARCH_ORDER": "mine,serper"}, *searches)
        without = {name: value for name, value in settings.items() if name not in ("SEARXNG_URL",)}
        await run({name: value for name, value in without.items() if not name.endswith("_API_KEY")}, *keyless)
        found = {name: where(web, key) for name, key in (KEYS | PASSWORDS | {"searxng": HEADER}).items()}
        of_mcp = {name: where(web, key) for name, key in MCP.items()}
    # The control: each of them was used.
    assert found == {name: {name} for name in found}
    assert of_mcp == {name: {"parallel_mcp"} for name in MCP}


async def test_the_keys_of_store_and_browser_are_seen_by_these_only() -> None:
    """Both send their key with the first words, and the servers record these and answer nothing."""
    heard = {REDIS: b"", BROWSER: b""}

    def record(key: str) -> Talk:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heard[key] += await reader.read(4096)

        return talk

    async with PocketWeb(KEYS) as web, raw_servers() as serve:
        addresses = {
            "DOWSE_STATE": f"redis://:{REDIS}@127.0.0.1:{await serve(record(REDIS))}",
            "DOWSE_BROWSER_URL": f"ws://127.0.0.1:{await serve(record(BROWSER))}/?token={BROWSER}",
        }
        reads = [("get_content", {"url": web.page(path)}) for path in ("/", APP_PATHS[0])]
        await run({**environment(web), **addresses}, *reads, ("web_search", {"query": "python"}))
        assert [where(web, key) for key in heard] == [set(), set()]
    found = {key: {other for other, text in heard.items() if key.encode() in text} for key in heard}
    assert found == {REDIS: {REDIS}, BROWSER: {BROWSER}}
