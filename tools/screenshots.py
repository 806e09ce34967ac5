"""Pictures of the console for the documentation, from a real Chromium over the pocket web: `make screenshots`."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from tests.browser.console import ConsoleTab, View, console_tab
from tests.conftest import Server, pytest_configure
from tests.doubles import PocketWeb
from tests.http import HttpServer

IMAGES = Path(__file__).parent.parent / "docs" / "images"
_VIEWS = (View(1100, 800), View(1100, 800, "dark"))
_QUERIES = ("harbour bridge reopens", "python 3.15")


async def main() -> None:
    pytest_configure()
    with tempfile.TemporaryDirectory() as home:
        async with PocketWeb() as web:
            settings = {**web.environment("serper", "tavily"), "DOWSE_STATE": "memory:"}
            async with Server(Path(home)).here(settings) as http, console_tab() as tab:
                web.serper.fails("500")
                await _call(http, _QUERIES[1])
                for view in _VIEWS:
                    await tab.look(view)
                    await _take(tab, http, "" if view.scheme == "light" else "-dark")


async def _call(http: HttpServer, query: str) -> None:
    async with http.post("web_search", {"query": query}) as response:
        await response.read()


async def _take(tab: ConsoleTab, http: HttpServer, suffix: str) -> None:
    await tab.go(http.origin + "/")
    await tab.type_into("#search-main", _QUERIES[0])
    await tab.press("Enter")
    await tab.until("document.getElementById('status').textContent.startsWith('Done')")
    await _keep(tab, f"console-try{suffix}.png")
    await tab.go(http.origin + "/console/dashboard")
    await tab.until("document.querySelectorAll('#providers tbody tr').length > 1")
    await _keep(tab, f"console-dashboard{suffix}.png")


async def _keep(tab: ConsoleTab, name: str) -> None:
    picture = await tab.picture(most_height=900)
    await asyncio.to_thread((IMAGES / name).write_bytes, picture)


if __name__ == "__main__":
    asyncio.run(main())
