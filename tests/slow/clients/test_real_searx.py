"""A real SearXNG: Debian's `searx` on loopback, whose only engine asks the pocket web; in JSON, and by its web page.

What it cannot show: switching JSON off (`search.formats`) came after this version, so the answer to that, 403, is
the double's (tests/flows). An engine it has suspended is not reported at all, hence no ban in the settings below.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from mcp_types import CallToolResult

from tests.conftest import Server
from tests.doubles import PocketWeb, closed_port
from tests.realparts import require

pytestmark = pytest.mark.asyncio(loop_scope="module")

READY_S = 30.0
FORMATS = ("json", "html")
# Debian ships no default settings, so `use_default_settings` would crash and the file has to be complete.
PLACES = "/usr/share/python3-searx"


def settings(port: int, engine: str) -> dict[str, Any]:
    """A whole settings.yml, as JSON, which YAML contains."""
    return {
        "general": {"debug": False, "instance_name": "dowse's tests"},
        "search": {"safe_search": 0, "autocomplete": "", "default_lang": "", "ban_time_on_fail": 0}
        | {"max_ban_time_on_fail": 0},
        "server": {"port": port, "bind_address": "127.0.0.1", "secret_key": "for tests only", "base_url": False}
        | {"image_proxy": False, "http_protocol_version": "1.1", "method": "GET"},
        "ui": {"static_path": f"{PLACES}/static", "templates_path": f"{PLACES}/templates"}
        | {"default_theme": "oscar", "default_locale": "", "theme_args": {"oscar_style": "logicodev"}},
        "outgoing": {"request_timeout": 5.0},
        "plugins": [],
        "enabled_plugins": [],
        "engines": [
            {
                "name": "pocket",
                "engine": "json_engine",
                "shortcut": "po",
                "categories": "general",
                "enable_http": True,  # per engine; under `outgoing` it does nothing
                "paging": True,
                "search_url": engine + "?q={query}&format=json&pageno={pageno}",
                "results_query": "results",
                "url_query": "url",
                "title_query": "title",
                "content_query": "content",
            }
        ],
        "locales": {"en": "English"},
        "doi_resolvers": {"none": "https://doi.example/"},
        "default_doi_resolver": "none",
    }


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_web() -> AsyncIterator[PocketWeb]:
    async with PocketWeb() as pocket_web:
        yield pocket_web


@pytest.fixture
def web(shared_web: PocketWeb) -> PocketWeb:
    """As new, for each test."""
    shared_web.reset()
    return shared_web


@asynccontextmanager
async def running(web: PocketWeb, home: Path) -> AsyncIterator[str]:
    """The address of a running searx; its engine's results are those of the pocket web's SearXNG double."""
    require("searx")
    port, file, command = closed_port(), home / "settings.yml", shutil.which("searx-run")
    assert command
    file.write_text(json.dumps(settings(port, web.page("/searxng/search"))))
    process = await asyncio.create_subprocess_exec(
        command,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "SEARX_SETTINGS_PATH": str(file)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout
    address = f"http://127.0.0.1:{port}"
    try:
        await asyncio.wait_for(_announced(process.stdout, address), READY_S)
        rest = asyncio.create_task(process.stdout.read())
        yield address
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await asyncio.wait_for(process.wait(), READY_S)
    await rest


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def searx(shared_web: PocketWeb, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    async with running(shared_web, tmp_path_factory.mktemp("searx")) as address:
        yield address


async def _announced(output: asyncio.StreamReader, address: str) -> None:
    """Return once searx says where it listens, which it does when it listens."""
    said = b""
    while line := await output.readline():
        said += line
        if f"Running on {address}".encode() in line:
            return
    pytest.fail(f"searx did not start: {said.decode(errors='replace')}")


async def search(
    server: Server, web: PocketWeb, address: str, answer_format: str = "json", **arguments: object
) -> CallToolResult:
    environment = web.environment("searxng") | {"SEARXNG_URL": address, "SEARXNG_FORMAT": answer_format}
    async with server.connect(environment) as client:
        return await client.call_tool("web_search", {"query": "python release", **arguments})


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


@pytest.mark.parametrize(
    ("ending", "answer_format"), [("", "json"), ("/", "json"), ("/search", "json"), ("", "html"), ("", "auto")]
)
async def test_results_come_from_the_engine_and_their_pages_are_read(
    server: Server, web: PocketWeb, searx: str, ending: str, answer_format: str
) -> None:
    result = await search(server, web, searx + ending, answer_format, num_results=2)
    assert not result.is_error, text(result)
    found = result.structured_content
    assert (found["engine"], len(found["results"])) == ("searxng", 2)
    first = found["results"][0]
    assert (first["link"], first["engine"], first["status"]) == (web.page("/articles/python-315"), "pocket", "ok")
    assert [attempt["outcome"] for attempt in found["attempts"]] == ["ok"]


@pytest.mark.parametrize("answer_format", FORMATS)
async def test_further_results_are_asked_for_page_by_page(
    server: Server, web: PocketWeb, searx: str, answer_format: str
) -> None:
    web.searxng.finds([f"/files/{number}" for number in range(25)])
    result = await search(server, web, searx, answer_format, query="files", num_results=23, fetch_content=False)
    links = [item["link"] for item in result.structured_content["results"]]
    assert links == [web.page(f"/files/{number}") for number in range(23)]
    assert [request.params["pageno"] for request in web.searxng.requests] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("trouble", "answer_format"),
    [("500", "json"), ("broken_json", "json"), ("reset", "json"), ("500", "html")],
)
async def test_an_engine_that_fails_is_told_from_an_empty_answer(
    server: Server, web: PocketWeb, searx: str, trouble: str, answer_format: str
) -> None:
    web.searxng.fails(trouble)
    result = await search(server, web, searx, answer_format)
    assert result.is_error
    assert text(result).startswith("searxng answered, but all of its engines had failed: pocket: ")


@pytest.mark.parametrize(("trouble", "answer_format"), [("429", "json"), ("403", "json"), ("429", "html")])
async def test_an_engine_that_refuses_is_told_from_an_empty_answer(
    server: Server, web: PocketWeb, tmp_path: Path, trouble: str, answer_format: str
) -> None:
    """Each in a searx of its own, which does not ask for hours who has refused it, whatever its settings say."""
    web.searxng.fails(trouble)
    async with running(web, tmp_path) as address:
        result = await search(server, web, address, answer_format)
    assert result.is_error
    assert text(result).startswith("searxng answered, but all of its engines had failed: pocket: ")


@pytest.mark.parametrize("answer_format", FORMATS)
async def test_an_empty_answer_is_an_answer(server: Server, web: PocketWeb, searx: str, answer_format: str) -> None:
    web.searxng.finds_nothing()
    result = await search(server, web, searx, answer_format)
    assert not result.is_error
    assert result.structured_content["results"] == []


@pytest.mark.parametrize("answer_format", FORMATS)
async def test_an_address_below_the_base_is_refused_with_its_reason(
    server: Server, web: PocketWeb, searx: str, answer_format: str
) -> None:
    result = await search(server, web, f"{searx}/nowhere", answer_format)
    assert result.is_error
    assert "HTTP 404, SEARXNG_URL is not the base address of a SearXNG" in text(result)


async def test_an_engine_that_fails_leads_to_the_next_provider(server: Server, web: PocketWeb, searx: str) -> None:
    web.searxng.fails("500")
    environment = web.environment("searxng", "tavily") | {"SEARXNG_URL": searx}
    environment["DOWSE_SEARCH_ORDER"] = "searxng,tavily"
    async with server.connect(environment) as client:
        result = await client.call_tool("web_search", {"query": "python release", "num_results": 1})
    attempts = [(attempt["provider"], attempt["outcome"]) for attempt in result.structured_content["attempts"]]
    assert attempts == [("searxng", "engines_failed"), ("tavily", "ok")]
