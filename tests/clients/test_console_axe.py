"""The console as axe-core judges it: no violation on any page, in light and dark, from a phone to a wide screen."""

from __future__ import annotations

import json

import pytest

from tests import realparts
from tests.browser.console import ConsoleTab, View, console_tab
from tests.clients.inspector import NODE_MODULES
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpServer

AXE = NODE_MODULES / "axe-core/axe.min.js"
VIEWS = [View(width, 900, scheme) for scheme in ("light", "dark") for width in (1280, 768, 375)]
JUDGE = """
axe.run(document, {resultTypes: ['violations']})
  .then(({violations}) => JSON.stringify(violations.map((each) => [each.impact, each.id, each.nodes[0].html])))
"""
# Each page, what is done there, and the sign that it is complete.
PAGES = {
    "/": ("", "document.readyState === 'complete'"),
    "/?searched": ("harbour bridge", "document.getElementById('status').textContent.startsWith('Done')"),
    "/console/dashboard": ("", "document.querySelectorAll('#providers tbody th').length > 0"),
    "/console/setup": ("", "document.querySelectorAll('.checkrow').length > 3"),
}


async def judge(tab: ConsoleTab, http: HttpServer, path: str) -> list[list[str]]:
    query, is_complete = PAGES[path]
    await tab.go(http.origin + path)
    if query:
        await tab.type_into("#search-main", query)
        await tab.press("Enter")
    await tab.until(is_complete)
    await tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    await tab.evaluate(AXE.read_text(encoding="utf-8") + "; 0")
    found: list[list[str]] = json.loads(await tab.evaluate(JUDGE))
    return found


@pytest.mark.promise("console-accessible")
async def test_axe_finds_no_violation_in_light_and_dark_at_three_widths(server: Server, web: PocketWeb) -> None:
    realparts.require("chromium")
    settings = {**web.environment("serper", "tavily"), "DOWSE_STATE": "memory:"}
    web.serper.fails("500")
    violations = {}
    async with server.here(settings) as http, console_tab() as tab:
        for view in VIEWS:
            await tab.look(view)
            for path in PAGES:
                if found := await judge(tab, http, path):
                    violations[view, path] = found
    assert violations == {}


@pytest.mark.promise("console-accessible")
async def test_axe_finds_no_violation_on_the_login_page(server: Server, web: PocketWeb) -> None:
    realparts.require("chromium")
    settings = {**web.environment("serper"), "DOWSE_STATE": "memory:", "DOWSE_TOKENS": "ana:a-token-of-ana-0000"}
    async with server.here(settings) as http, console_tab() as tab:
        for view in VIEWS:
            await tab.look(view)
            await tab.go(http.origin + "/console/login")
            await tab.type_into("#token", "wrong-token-of-nobody")
            await tab.loading(tab.press("Enter"))
            await tab.evaluate(AXE.read_text(encoding="utf-8") + "; 0")
            assert json.loads(await tab.evaluate(JUDGE)) == [], view
