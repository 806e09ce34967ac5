"""The console in the real Chromium over the doubles: the main walk, by keyboard, and hostile text."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from tests import realparts
from tests.browser.console import ConsoleTab, View, console_tab
from tests.conftest import REMEMBERING, Server
from tests.doubles import PocketWeb
from tests.http import HttpServer
from tests.support.tables import each_row

TOKEN = "a-token-of-ana-0000"
QUERY = "harbour bridge reopens"
DONE = "document.getElementById('status').textContent.startsWith('Done')"
CANARY = "window.canary = 1; document.title = 'canary'"
MARKUP = f'<script>{CANARY}</script><img src="/canary.png" onerror="{CANARY}"><svg onload="{CANARY}"></svg>'
# A fence has a marker that differs from call to call, and ages grow.
VOLATILE = re.compile(r"\b[0-9a-f]{8,}\b|\d+ (?:ms|s|seconds?)\b")
SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture(autouse=True)
def needs_chromium() -> None:
    realparts.require("chromium")


@pytest.fixture
async def tab() -> AsyncIterator[ConsoleTab]:
    async with console_tab() as opened:
        yield opened


async def search(tab: ConsoleTab, http: HttpServer, query: str) -> None:
    await tab.go(http.origin + "/")
    await tab.type_into("#search-main", query)
    await tab.press("Enter")
    await tab.until(DONE)


async def model_text(http: HttpServer, query: str, token: str) -> str:
    headers = {"Authorization": f"Bearer {token}"}
    async with http.post("web_search", {"query": query}, headers=headers) as response:
        answer = await response.json()
    return str(answer["result"]["content"][0]["text"])


@pytest.mark.promise("console-same-text")
async def test_the_main_walk_by_keyboard_alone(server: Server, web: PocketWeb, tab: ConsoleTab) -> None:
    """Log in, search with a failing first provider, look at the model's text and the dashboard, log out."""
    settings = {**web.environment("serper", "tavily"), **REMEMBERING, "DOWSE_TOKENS": f"ana:{TOKEN}"}
    async with server.here({**settings, "DOWSE_STATE": "memory:", "DOWSE_STRUCTURED": "off"}) as http:
        web.serper.fails("500")
        await tab.go(http.origin + "/")
        assert await tab.evaluate("location.pathname") == "/console/login"
        await tab.type("not-the-token-of-ana")
        await tab.loading(tab.press("Enter"))
        assert "not accepted" in await tab.text(".problem")
        tab.complaints.clear()  # Chromium logs the status 401 of the form.
        await tab.type(TOKEN)
        await tab.loading(tab.press("Enter"))
        assert await tab.evaluate("location.pathname") == "/"
        await tab.press("/")
        assert await tab.evaluate("document.activeElement.id") == "search-main"
        await tab.type(QUERY)
        await tab.press("Enter")
        await tab.until(DONE)
        race = await tab.text("#race")
        assert race.index("serper") < race.index("unavailable") < race.index("tavily") < race.index("\tok")
        assert len(await tab.evaluate("[...document.querySelectorAll('.result')].map((each) => each.innerText)")) == 3
        # Once more, now from the cache as the call by MCP after it.
        await tab.evaluate("document.getElementById('status').textContent = ''")
        await tab.evaluate("document.getElementById('search-main').focus()")
        await tab.press("Enter")
        await tab.until(DONE)
        await tab.evaluate("document.getElementById('tab-results').focus()")
        await tab.press("ArrowRight")
        shown = await tab.evaluate("document.querySelector('#model pre').textContent")
        told = await model_text(http, QUERY, TOKEN)
        assert VOLATILE.sub("#", shown) == VOLATILE.sub("#", told)
        await tab.press("ArrowRight")
        call = json.loads(await tab.evaluate("document.querySelector('#call pre').textContent"))
        assert call["params"] == {"name": "web_search", "arguments": {"query": QUERY}}
        await tab.go(http.origin + "/console/dashboard")
        await tab.until("document.querySelector('#providers tbody')?.innerText.includes('serper')")
        assert "unavailable 1" in await tab.text("#providers")
        await tab.evaluate("document.querySelector('.logout button').focus()")
        await tab.loading(tab.press("Enter"))
        assert await tab.evaluate("location.pathname") == "/console/login"
        await tab.go(http.origin + "/")
        assert await tab.evaluate("location.pathname") == "/console/login"
    assert tab.complaints == []
    assert {urlsplit(each).netloc for each in tab.requests if "://" in each} == {urlsplit(http.origin).netloc}


@pytest.mark.promise("console-inert")
async def test_a_page_full_of_script_and_markup_is_shown_inert(server: Server, web: PocketWeb, tab: ConsoleTab) -> None:
    escaped = MARKUP.replace("<", "&lt;").replace(">", "&gt;")
    web.pages.serves("/hostile", f"<title>{escaped}</title><h1>{escaped}</h1><p>{escaped} a sentence. {'Words. ' * 80}")
    hostile = {"title": MARKUP, "link": web.page("/hostile"), "snippet": MARKUP, "date": MARKUP}
    script = {"title": "A link that runs", "link": f"javascript:{CANARY}", "snippet": MARKUP}
    settings = {**web.environment("serper"), "DOWSE_STATE": "memory:"}
    async with server.here(settings) as http:
        web.serper.replies(json={"organic": [hostile, script]})
        await search(tab, http, MARKUP[:300])
        await tab.evaluate("document.getElementById('tab-model').click(); document.getElementById('tab-call').click()")
        shown = await tab.evaluate("document.body.innerText + document.body.textContent")
        assert "<img src=" in shown and "canary" in shown
        assert await tab.evaluate("typeof window.canary") == "undefined"
        assert await tab.evaluate("document.title") == "Try it · dowse"
        assert await tab.evaluate("document.querySelectorAll('main img, main script, main [onload]').length") == 0
        links = await tab.evaluate("[...document.querySelectorAll('main a')].map((each) => each.protocol)")
        assert set(links) <= {"http:", "https:"}
        requested = {urlsplit(each).path for each in tab.requests}
    assert "/canary.png" not in requested
    assert tab.complaints == []


async def test_a_breaker_that_opens_appears_without_reload(server: Server, web: PocketWeb, tab: ConsoleTab) -> None:
    async with server.here({**web.environment("serper", "tavily"), "DOWSE_STATE": "memory:"}) as http:
        await tab.go(http.origin + "/console/dashboard")
        await tab.until("document.getElementById('live').textContent === 'Live'")
        for number in range(5):
            web.serper.fails("500")
            async with http.session.get(
                f"{http.origin}/api/v1/search", params={"query": f"bridge {number}", "fetch_content": "false"}
            ) as response:
                assert response.status == 200
        await tab.until("document.querySelector('#providers tbody').innerText.includes('open')")
        tile = "[...document.querySelectorAll('.tile')].find((each) => each.innerText.startsWith('Breakers')).innerText"
        assert (await tab.evaluate(tile)).split("\n")[1:] == ["1", "serper"]
    assert tab.complaints == [] or "ERR_" in tab.complaints[0]


@each_row("view", [View(1280), View(768), View(360, 740, "dark")])
async def test_no_page_is_wider_than_its_window(server: Server, web: PocketWeb, view: View) -> None:
    async with console_tab(view) as tab, server.here({**web.environment("serper"), "DOWSE_STATE": "memory:"}) as http:
        await search(tab, http, QUERY)
        for path in ("", "/console/dashboard", "/console/setup"):
            if path:
                await tab.go(http.origin + path)
            if path.endswith("setup"):
                await tab.until("document.querySelectorAll('.checkrow').length > 3")
            assert not await tab.evaluate(SIDEWAYS), path


async def test_read_answer_and_rerank_have_views(server: Server, web: PocketWeb, tab: ConsoleTab) -> None:
    async with server.here({**web.environment("serper"), "DOWSE_STATE": "memory:"}) as http:
        await tab.go(http.origin + "/")
        for mode, main, more in (
            ("read", web.page("/news/harbour-bridge"), ""),
            ("answer", "When did the harbour bridge reopen?", ""),
            ("rerank", "opening year", "Closed on Mondays.\nIn the opening year, 1932, it rained."),
        ):
            await tab.evaluate(f"document.querySelector('input[value={mode}]').click()")
            if more:
                await tab.type_into("#rerank-documents", more)
            await tab.type_into(f"#{mode}-main", main)
            await tab.press("Enter")
            await tab.until(f"{DONE} && document.querySelector('#results .result') !== null")
            assert await tab.text("#results .result")
            assert "tokens" in await tab.text("#model-count")
            await tab.evaluate("document.getElementById('status').textContent = ''")
        assert "1932" in await tab.text("#results .result")
    assert tab.complaints == []
