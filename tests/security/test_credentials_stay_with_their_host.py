"""Every credential of the operator goes to the endpoint that it is for, and to no other, whatever a caller asks for."""

from __future__ import annotations

import json

import pytest

from dowse.app import App
from dowse.core.runtime import no_progress
from dowse.settings.sources import load
from tests.doubles import PocketWeb

pytestmark = pytest.mark.promise("credential-own-endpoint")

KEYS = {
    **{name: f"{name}-canary-4f81c0a6e5d39b7" for name in ("serper", "exa", "tavily", "openai", "github")},
    "stackexchange": "stackexchange-canary-4f81c0a6",
}
HEADER = "searxng-canary-4f81c0a6e5d39b7"
PROVIDERS = ("serper", "exa", "tavily", "searxng", "openai")


def environment(web: PocketWeb) -> dict[str, str]:
    return {
        **web.environment(*PROVIDERS),
        "GITHUB_TOKEN": KEYS["github"],
        "STACKEXCHANGE_KEY": KEYS["stackexchange"],
        "SEARXNG_HEADERS_JSON": json.dumps({"X-Gate-Key": HEADER}),
        "DOWSE_STATE": "memory:",
        "DOWSE_ROBOTS": "off",
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
    return {name for name, text in texts if secret in text}


async def test_each_credential_is_seen_by_its_own_endpoint_only() -> None:
    async with PocketWeb(KEYS) as web:
        pages: list[str] = [
            web.page("/"),
            "https://github.com/otterworks/brook",
            "https://github.com/otterworks/brook/issues/12",
            "https://stackoverflow.com/questions/12/title",
            "https://pypi.org/project/otter/",
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
        without = {name: value for name, value in settings.items() if name not in ("SEARXNG_URL",)}
        await run({name: value for name, value in without.items() if not name.endswith("_API_KEY")}, *keyless)
        found = {name: where(web, key) for name, key in KEYS.items()} | {"searxng": where(web, HEADER)}
    # The control: each of them was used.
    assert found == {name: {name} for name in found}
