"""The SDKs of other vendors, unchanged, against a server over the pocket web: what their users get and catch."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests import realparts
from tests.conftest import Server
from tests.doubles import PocketWeb

HERE = Path(__file__).parent / "sdks"
PYTHON, NODE = HERE / ".venv/bin/python", Path(sys.executable).with_name("node")
TOKEN = "dowse_canaryQ7mZ4xTn2LkV9sRbW1cYh6JpD3fGa8Ue0123456789"
TITLE, WAITED = "Harbour bridge reopens three weeks early", "The wait doubles with every attempt"
SNIPPET = "The lift bridge at Nordhaven carries trams again after repairs to its counterweight."
PASSAGE = "The first tram of line 4 rolled onto the bridge at 5.12 a.m."
BAD_TOKEN = "the bearer token is invalid or expired"
pytestmark = pytest.mark.promise("wire-sdks")


class Sdks:
    """SDKs in programs of their own, pointed at one server."""

    def __init__(self, base: str, web: PocketWeb, home: Path) -> None:
        self._base = base
        self._site = web.page("").rstrip("/")
        self._home = home

    async def python(self, sdk: str, *cases: str) -> dict[str, Any]:
        return await self._run(str(PYTHON), str(HERE / "drive.py"), sdk, self._base, TOKEN, self._site, *cases)

    async def node(self, *cases: str) -> dict[str, Any]:
        return await self._run(str(NODE), str(HERE / "drive.mjs"), self._base, TOKEN, self._site, *cases)

    @asynccontextmanager
    async def firecrawl_mcp(self) -> AsyncIterator[Client]:
        """A client of the MCP server, which uses the SDK for JavaScript."""
        environment = {"FIRECRAWL_API_URL": self._base, "FIRECRAWL_API_KEY": TOKEN, "HOME": str(self._home)}
        program = HERE / "node_modules/firecrawl-mcp/dist/index.js"
        parameters = StdioServerParameters(command=str(NODE), args=[str(program)], env=environment)
        async with Client(stdio_client(parameters)) as client:
            yield client

    async def _run(self, *command: str) -> dict[str, Any]:
        """What each case gave."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"HOME": str(self._home), "PATH": f"{NODE.parent}:/usr/bin:/bin"},
        )
        told, complaints = await asyncio.wait_for(process.communicate(), 300)
        assert process.returncode == 0, complaints.decode()[-3000:]
        results: dict[str, Any] = json.loads(told.decode().strip().splitlines()[-1])
        return results


@pytest.fixture
async def sdks(server: Server, web: PocketWeb, tmp_path: Path) -> AsyncIterator[Sdks]:
    async with serving(server, web, tmp_path) as opened:
        yield opened


@asynccontextmanager
async def serving(server: Server, web: PocketWeb, home: Path, **settings: str) -> AsyncIterator[Sdks]:
    if not PYTHON.exists() or not (HERE / "node_modules").exists():
        realparts.missing("The SDKs are not installed; make test-slow installs them.")
    web.pages.fails("/challenge", "challenge").fails("/hang", "hang")
    tokens = {"DOWSE_TOKENS": f"tester:{TOKEN}"}
    async with server.here({**web.environment("serper"), **tokens, **settings}) as http:
        yield Sdks(http.origin, web, home)


def value(results: Mapping[str, Any], case: str) -> Any:
    assert "value" in results[case], results[case]
    return results[case]["value"]


def error(results: Mapping[str, Any], case: str) -> tuple[str, int | None]:
    assert "error" in results[case], results[case]
    assert "Traceback" not in results[case]["said"]
    return results[case]["error"], results[case]["status"]


async def test_tavily_python(sdks: Sdks) -> None:
    found = await sdks.python("tavily", "search", "qna", "extract", "question", "map", "crawl", "no_query", "bad_token")
    first = value(found, "search")["results"][0]
    assert first["title"] == TITLE
    assert PASSAGE in first["content"]
    assert first["raw_content"].startswith("# Harbour bridge")
    assert "bridge" in value(found, "search")["answer"]
    assert "bridge" in value(found, "qna")
    extracted = value(found, "extract")
    assert WAITED in extracted["results"][0]["raw_content"]
    failures = {each["url"].rpartition("/")[2]: each["error"].partition(":")[0] for each in extracted["failed_results"]}
    assert failures == {"challenge": "blocked", "hang": "timeout"}
    assert WAITED in value(found, "question")["results"][0]["raw_content"]
    assert len(value(found, "map")["results"]) == 5
    assert error(found, "crawl") == ("HTTPError", 501)
    assert error(found, "no_query")[0] == "BadRequestError"
    assert error(found, "bad_token")[0] == "InvalidAPIKeyError"
    assert found["bad_token"]["said"] == BAD_TOKEN


async def test_langchain_tavily_and_the_wrappers_of_searxng_and_brave(sdks: Sdks) -> None:
    cases = ("tavily", "tavily_extract", "searx", "searx_path_token", "brave")
    found = await sdks.python("langchain", *cases, "tavily_bad_token", "searx_bad_token", "brave_bad_token")
    assert PASSAGE in value(found, "tavily")["results"][0]["content"]
    assert WAITED in value(found, "tavily_extract")["results"][0]["raw_content"]
    assert SNIPPET in value(found, "searx")["run"]
    listed = [(each["title"], each["snippet"]) for each in value(found, "searx")["results"]]
    assert listed[0] == (TITLE, SNIPPET)
    assert len(listed) == 2
    assert value(found, "searx_path_token") == value(found, "searx")["results"]
    document = value(found, "brave")["documents"][0]
    assert (document["title"], PASSAGE in document["text"]) == (TITLE, True)
    assert BAD_TOKEN in found["tavily_bad_token"]["said"]
    assert "a bearer token is needed" in found["searx_bad_token"]["said"]
    assert found["brave_bad_token"]["said"] == "HTTP error 401"


async def test_exa_py(sdks: Sdks) -> None:
    cases = ("search", "search_and_contents", "contents", "highlights", "answer")
    found = await sdks.python("exa", *cases, "similar", "bad_token")
    first = value(found, "search")["results"][0]
    assert (first["title"], first["published_date"]) == (TITLE, "2026-09-14")
    assert PASSAGE in first["text"]
    assert [each["path"] for each in value(found, "search")["warnings"]] == ["/startCrawlDate"]
    brief = value(found, "search_and_contents")[0]
    assert len(brief["text"]) <= 200
    assert PASSAGE in brief["highlights"][0]
    contents = value(found, "contents")
    assert [WAITED in each["text"] for each in contents["results"]] == [True]
    assert [(each["status"], each["error"] and each["error"]["http_status_code"]) for each in contents["statuses"]] == [
        ("success", None),
        ("error", 403),
    ]
    assert WAITED in "".join(value(found, "highlights")[0]["highlights"])
    assert "bridge" in value(found, "answer")["answer"]
    assert value(found, "answer")["citations"][0]["title"] == TITLE
    assert "501" in found["similar"]["said"]
    assert "401" in found["bad_token"]["said"]
    assert BAD_TOKEN in found["bad_token"]["said"]


async def test_firecrawl_py_v2(sdks: Sdks) -> None:
    cases = ("search", "search_and_scrape", "scrape", "map", "batch", "batch_errors", "cancel")
    failing = ("blocked", "missing", "timeout", "crawl", "bad_token")
    found = await sdks.python("firecrawl", *cases, *failing)
    assert value(found, "search")["web"][0]["title"] == TITLE
    assert PASSAGE in value(found, "search")["web"][0]["description"]
    assert value(found, "search")["news"]
    assert PASSAGE in value(found, "search_and_scrape")["web"][0]["markdown"]
    page = value(found, "scrape")
    assert WAITED in page["markdown"]
    assert (page["metadata"]["title"], page["metadata"]["status_code"]) == ("Retrying requests", 200)
    assert "screenshot" in page["warning"]
    assert value(found, "map")["links"][0]["title"] == "Fjell gooseneck kettle"
    batch = value(found, "batch")
    assert (batch["status"], batch["total"], len(batch["pages"])) == ("completed", 27, 26)
    assert [each["code"] for each in value(found, "batch_errors")["errors"]] == ["SCRAPE_SITE_ERROR"]
    assert value(found, "cancel") == {"cancelled": True, "status": "cancelled"}
    assert {name: error(found, name) for name in failing} == {
        "blocked": ("WebsiteNotSupportedError", 403),
        "missing": ("FirecrawlError", 404),
        "timeout": ("RequestTimeoutError", 408),
        "crawl": ("FirecrawlError", 501),
        "bad_token": ("UnauthorizedError", 401),
    }


async def test_firecrawl_py_v1(sdks: Sdks) -> None:
    found = await sdks.python("firecrawl", "v1_search", "v1_scrape", "v1_map", "v1_batch", "v1_blocked", "v1_bad_token")
    assert next((each["title"], each["description"]) for each in value(found, "v1_search")["data"]) == (TITLE, SNIPPET)
    assert WAITED in value(found, "v1_scrape")["markdown"]
    assert all(each.startswith("http") for each in value(found, "v1_map")["links"])
    assert [WAITED in each for each in value(found, "v1_batch")["pages"]] == [True]
    assert error(found, "v1_blocked") == ("HTTPError", 403)
    assert error(found, "v1_bad_token") == ("HTTPError", 401)


async def test_cohere(sdks: Sdks) -> None:
    found = await sdks.python("cohere", "rerank", "rerank_v1", "no_documents", "bad_token")
    ranked = value(found, "rerank")["results"]
    assert next(each["index"] for each in ranked) == 0
    assert len(ranked) == 2
    assert value(found, "rerank_v1")["results"][0]["document"]["text"] == "The harbour bridge reopens on Monday."
    assert error(found, "no_documents") == ("BadRequestError", 400)
    assert error(found, "bad_token") == ("UnauthorizedError", 401)


async def test_perplexityai(sdks: Sdks) -> None:
    found = await sdks.python("perplexity", "search", "filters", "bad_query", "bad_token")
    results = value(found, "search")["results"]
    assert (results[0]["title"], PASSAGE in results[0]["snippet"], len(results)) == (TITLE, True, 3)
    assert value(found, "filters")["results"][0]["date"] == "2026-09-14"
    assert error(found, "bad_query") == ("BadRequestError", 400)
    assert error(found, "bad_token") == ("AuthenticationError", 401)


async def test_litellm_searches_through_seven_wires(sdks: Sdks) -> None:
    found = await sdks.python("litellm", "search", "rerank", "bad_token")
    answers = value(found, "search")
    assert {name: results[0]["title"] for name, results in answers.items()} == dict.fromkeys(answers, TITLE)
    assert len(answers) == 7
    with_pages = {name for name, results in answers.items() if PASSAGE in results[0]["snippet"]}
    assert with_pages == {"perplexity", "tavily", "exa_ai", "firecrawl"}
    assert value(found, "rerank")[0]["index"] == 1
    assert error(found, "bad_token") == ("AuthenticationError", 401)


async def test_the_packages_for_javascript(sdks: Sdks) -> None:
    good = ("tavily_search", "tavily_extract", "tavily_map", "exa_search", "exa_contents", "exa_answer")
    scraping = ("firecrawl_search", "firecrawl_scrape", "firecrawl_map", "firecrawl_batch")
    failing = ("exa_bad_token", "firecrawl_blocked", "firecrawl_timeout", "firecrawl_crawl", "firecrawl_bad_token")
    found = await sdks.node(*good, *scraping, "tavily_bad_token", *failing)
    assert PASSAGE in value(found, "tavily_search")["results"][0]["content"]
    assert WAITED in value(found, "tavily_extract")["results"][0]["rawContent"]
    assert [each["error"].partition(":")[0] for each in value(found, "tavily_extract")["failedResults"]] == ["blocked"]
    assert len(value(found, "tavily_map")["results"]) == 3
    assert PASSAGE in value(found, "exa_search")["results"][0]["highlights"][0]
    assert [each["status"] for each in value(found, "exa_contents")["statuses"]] == ["success", "error"]
    assert value(found, "exa_answer")["citations"][0]["title"] == TITLE
    assert PASSAGE in value(found, "firecrawl_search")["web"][0]["description"]
    assert WAITED in value(found, "firecrawl_scrape")["markdown"]
    assert len(value(found, "firecrawl_map")["links"]) == 3
    assert [WAITED in each["markdown"] for each in value(found, "firecrawl_batch")["data"]] == [True]
    assert found["tavily_bad_token"]["said"] == BAD_TOKEN
    assert {name: error(found, name)[1] for name in failing} == {
        "exa_bad_token": 401,
        "firecrawl_blocked": 403,
        "firecrawl_timeout": 408,
        "firecrawl_crawl": 501,
        "firecrawl_bad_token": 401,
    }


# What each SDK makes of providers that ask to slow down, and of providers that are down.
FAILURES = {
    ("tavily", "search"): (("UsageLimitExceededError", None), ("HTTPError", 503)),
    ("firecrawl", "search"): (("RateLimitError", 429), ("FirecrawlError", 503)),
    ("firecrawl", "v1_search"): (("HTTPError", 429), ("HTTPError", 503)),
    ("exa", "search"): (("ValueError", None), ("ValueError", None)),
    ("perplexity", "search"): (("RateLimitError", 429), ("InternalServerError", 503)),
    ("langchain", "tavily"): (("ValueError", None), ("ValueError", None)),
    ("langchain", "searx"): (("ValueError", None), ("ValueError", None)),
    ("langchain", "brave"): (("Exception", None), ("Exception", None)),
    ("litellm", "search"): (("RateLimitError", 429), ("ServiceUnavailableError", 503)),
}
STATUSES = ("429", "503")
SCRIPTS = ("tavily_search", "exa_search", "firecrawl_search")


@pytest.mark.parametrize(("place", "misbehaviour"), [(0, "429"), (1, "500")])
async def test_providers_that_fail_are_errors_that_the_sdk_knows(
    server: Server, web: PocketWeb, tmp_path: Path, place: int, misbehaviour: str
) -> None:
    web.serper.fails(misbehaviour)
    async with serving(server, web, tmp_path) as sdks:
        caught, codes = {}, (misbehaviour, STATUSES[place], "rate limit", "slow down", "breaker open")
        for sdk in dict.fromkeys(sdk for sdk, _ in FAILURES):
            found = await sdks.python(sdk, *(case for each, case in FAILURES if each == sdk))
            caught |= {(sdk, case): error(found, case) for case in found}
            said = {case: each["said"] for case, each in found.items()}
            assert {case: text for case, text in said.items() if not any(code in text for code in codes)} == {}
        scripts = await sdks.node(*SCRIPTS)
    assert caught == {case: expected[place] for case, expected in FAILURES.items()}
    assert [found["said"] for found in scripts.values() if "serper" not in found["said"]] == []


async def test_cohere_is_told_of_a_limit(server: Server, web: PocketWeb, tmp_path: Path) -> None:
    async with serving(server, web, tmp_path, DOWSE_LIMIT_RERANK="1/10m") as sdks:
        found = await sdks.python("cohere", "limited")
    assert error(found, "limited") == ("TooManyRequestsError", 429)


async def test_firecrawl_mcp(server: Server, web: PocketWeb, tmp_path: Path) -> None:
    async with serving(server, web, tmp_path) as sdks, sdks.firecrawl_mcp() as client:
        site = web.page("").rstrip("/")
        names = {tool.name for tool in (await client.list_tools()).tools}
        page = await client.call_tool("firecrawl_scrape", {"url": f"{site}/docs/retrying", "formats": ["markdown"]})
        found = await client.call_tool("firecrawl_search", {"query": "harbour bridge", "limit": 2})
        links = await client.call_tool("firecrawl_map", {"url": f"{site}/", "limit": 3})
        blocked = await client.call_tool("firecrawl_scrape", {"url": f"{site}/challenge"})
    assert {"firecrawl_scrape", "firecrawl_search", "firecrawl_map"} <= names
    assert WAITED in page.content[0].text
    assert TITLE in found.content[0].text
    assert f"{site}/docs/retrying" in links.content[0].text
    assert blocked.is_error
    assert "refused or challenged" in blocked.content[0].text
