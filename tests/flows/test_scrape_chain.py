"""The scrape chain and the `jan` contract, by a real MCP client over stdio and over HTTP at /v1/mcp."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from tests.conftest import Server
from tests.doubles import EXA_KEY, MISBEHAVIOURS, SERPER_KEY, TAVILY_KEY, PocketWeb, ReaderDouble, closed_port

# A name that no DNS knows, so that nothing leaves the machine; the APIs might know it.
URL = "https://docs.pocket.example/guide"
ORDER = ["serper", "exa", "tavily", "direct"]
TRANSPORTS = ["stdio", "http"]
SILENT = ("hang", "stall", "trickle")
OUTCOMES = {
    **dict.fromkeys(("400", "404", "410", "451"), "bad_request"),
    **dict.fromkeys(("401", "403"), "key_rejected"),
    **dict.fromkeys(("402", "432", "433", "not_enough_credits"), "quota_spent"),
    **dict.fromkeys(("408", "500", "502", "503", "504", "echo_key"), "unavailable"),
    **dict.fromkeys(("reset", "wrong_length", "huge", "bomb"), "network_error"),
    **dict.fromkeys(("broken_json", "json_array", "json_null", "empty_body", "html"), "bad_answer"),
    **dict.fromkeys(("redirect", "redirect_loop"), "redirected"),
    **dict.fromkeys(SILENT, "timeout"),
    "429": "rate_limited",
    "challenge": "blocked",
}


@asynccontextmanager
async def jan(server: Server, settings: Mapping[str, str], transport: str = "http") -> AsyncIterator[Client]:
    """A client of a server of its own; tests that are not about the transport take the one that starts at once."""
    chosen = {**settings, "DOWSE_CONTRACT": "jan"}
    if transport == "stdio":
        async with server.connect(chosen) as client:
            yield client
        return
    async with server.http(chosen) if transport == "http process" else server.here(chosen) as http:
        http.url = f"{http.origin}/v1/mcp"
        async with http.client() as client:
            yield client


async def scrape(client: Client, url: str = URL, **arguments: Any) -> CallToolResult:
    return await client.call_tool("scrape", {"url": url, **arguments})


def everyone(web: PocketWeb, **settings: str) -> dict[str, str]:
    return web.environment("serper", "exa", "tavily") | settings


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


def attempts(result: CallToolResult) -> list[tuple[str, str]]:
    told = result.structured_content
    tried = told["attempts"] if "attempts" in told else told["metadata"]["attempts"]
    return [(attempt["provider"], attempt["outcome"]) for attempt in tried]


def failing_until(web: PocketWeb, name: str) -> ReaderDouble:
    """The double of this name, with all the readers before it unable to read the page."""
    for reader in web.readers:
        if reader.name == name:
            return reader
        reader.cannot_read(URL)
    raise AssertionError(name)


def test_the_table_knows_every_misbehaviour() -> None:
    assert set(OUTCOMES) == set(MISBEHAVIOURS)


@pytest.mark.parametrize("name", ORDER[:-1])
async def test_every_failure_of_a_reader_leads_to_the_next(web: PocketWeb, server: Server, name: str) -> None:
    assert await fallbacks(web, server, name, list(OUTCOMES)) == expected_fallbacks(name, list(OUTCOMES))


@pytest.mark.parametrize("name", ORDER[:-1])
async def test_over_stdio_a_failure_of_a_reader_leads_to_the_next(web: PocketWeb, server: Server, name: str) -> None:
    """Every reader, and every failure of one of them: what leads on knows nothing of the transport."""
    troubles = list(OUTCOMES)[ORDER.index(name) :: len(ORDER) - 1]
    assert await fallbacks(web, server, name, troubles, "stdio") == expected_fallbacks(name, troubles)


Fallback = tuple[list[tuple[str, str]], int]
"""The attempt of a reader and the one after it, and how many warnings the answer carries."""


async def fallbacks(
    web: PocketWeb, server: Server, name: str, troubles: list[str], transport: str = "http"
) -> dict[str, Fallback]:
    """What becomes of a page when this reader, to whom the others before it leave it, has each of these troubles."""
    reader, seen = failing_until(web, name), {}
    async with jan(server, everyone(web), transport) as client:
        for trouble in set(troubles) - set(SILENT):
            reader.fails(trouble)
            seen[trouble] = fallback(await scrape(client), name)
            # A success in between: the table is about single failures, not about the breaker.
            reader.works()
            assert (await scrape(client)).structured_content["metadata"]["engine"] == name, trouble
    # Apart from the others, which may take their time on a busy machine: no answer to these comes in time.
    async with jan(server, everyone(web, **{f"{name.upper()}_TIMEOUT": "200ms"}), transport) as client:
        for trouble in set(troubles) & set(SILENT):
            reader.fails(trouble)
            seen[trouble] = fallback(await scrape(client), name)
    return seen


def fallback(result: CallToolResult, name: str) -> Fallback:
    return attempts(result)[ORDER.index(name) :][:2], len(result.structured_content["metadata"]["warnings"])


def expected_fallbacks(name: str, troubles: list[str]) -> dict[str, Fallback]:
    following = ORDER[ORDER.index(name) + 1]
    # No DNS knows the page, so direct reading is reached, and fails.
    last = (following, "error" if following == "direct" else "ok")
    return {trouble: ([(name, OUTCOMES[trouble]), last], ORDER.index(following)) for trouble in troubles}


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_page_that_an_api_cannot_read_is_read_by_the_next(
    web: PocketWeb, server: Server, transport: str
) -> None:
    """Serper sends no text, Exa says so in `statuses`, Tavily in `failed_results`, all with HTTP 200."""
    async with jan(server, everyone(web), transport) as client:
        found = []
        for reader in (None, *web.readers):
            if reader:
                reader.cannot_read(URL, "SOURCE_NOT_AVAILABLE")
            found.append(await scrape(client))
    assert [attempts(result)[-1] for result in found] == [
        ("serper", "ok"),
        ("exa", "ok"),
        ("tavily", "ok"),
        ("direct", "error"),
    ]
    assert attempts(found[-1])[:-1] == [(name, "not_read") for name in ORDER[:-1]]
    assert [result.structured_content["cache_status"] for result in found] == ["live", "fallback", "fallback", "error"]
    warnings = found[-1].structured_content["metadata"]["warnings"]
    assert [warning.split()[0] for warning in warnings] == ORDER[:-1]
    assert all("SOURCE_NOT_AVAILABLE" in warning for warning in warnings[1:])


async def test_a_refused_connection_leads_to_the_next_reader(web: PocketWeb, server: Server) -> None:
    nobody = f"http://127.0.0.1:{closed_port()}/"
    async with jan(server, everyone(web, SERPER_SCRAPE_ENDPOINT=nobody, EXA_CONTENTS_ENDPOINT=nobody)) as client:
        result = await scrape(client)
    assert attempts(result) == [("serper", "network_error"), ("exa", "network_error"), ("tavily", "ok")]


async def test_readers_that_all_hang_leave_direct_reading_its_turn(web: PocketWeb, server: Server) -> None:
    for reader in web.readers:
        reader.fails("hang")
    async with jan(server, everyone(web, DOWSE_DEADLINE_S="4s")) as client:
        result = await scrape(client)
    assert attempts(result) == [("serper", "timeout"), ("exa", "timeout"), ("tavily", "timeout"), ("direct", "error")]
    assert result.is_error


async def test_readers_come_in_their_own_order_and_only_active_ones(web: PocketWeb, server: Server) -> None:
    """The order of searches says nothing about them."""
    for reader in web.readers:
        reader.cannot_read(URL)
    settings = everyone(web, DOWSE_SEARCH_ORDER="searxng,tavily", EXA_ENABLED="false")
    async with jan(server, settings | web.environment("searxng")) as client:
        result = await scrape(client)
    assert [provider for provider, _ in attempts(result)] == ["serper", "tavily", "direct"]
    assert web.exa_contents.requests == []


PRIVATE = [
    *("http://127.0.0.1/", "http://2130706433/", "http://0x7f000001/", "http://[::1]/", "http://[::ffff:127.0.0.1]/"),
    *("http://10.0.0.5/", "http://192.168.0.1/admin", "http://169.254.169.254/latest/meta-data/", "http://[fd00::1]/"),
    *("http://intranet/", "http://localhost:8080/", "http://printer.local/", "http://wiki.internal/"),
    *("http://host.docker.internal/", "https://user:pass@docs.pocket.example/", "https://docs.pocket.example:6379/"),
    *("file:///etc/passwd", "ftp://docs.pocket.example/", "javascript:alert(1)", "data:text/html,x"),
]


@pytest.mark.promise("case-47", "case-48")
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_denied_or_private_address_is_not_passed_on(web: PocketWeb, server: Server, transport: str) -> None:
    """Acceptance cases 47 and 48."""
    async with jan(server, everyone(web), transport) as client:
        results = {url: await scrape(client, url) for url in PRIVATE}
    denied = {url: (True, [("direct", "denied")]) for url in PRIVATE}
    assert {url: (result.is_error, attempts(result)) for url, result in results.items()} == denied
    assert {text(result) for result in results.values()} == {"scrape failed: the address is not allowed"}
    assert [reader.requests for reader in web.readers] == [[], [], []]


async def test_an_allowed_pair_is_read_directly_and_not_passed_on(web: PocketWeb, server: Server) -> None:
    async with jan(server, everyone(web)) as client:
        result = await scrape(client, web.page("/docs/retrying"))
    assert attempts(result) == [("direct", "ok")]
    assert result.structured_content["cache_status"] == "live"
    assert result.structured_content["text"].startswith("Retrying requests\n")
    assert [reader.requests for reader in web.readers] == [[], [], []]


async def test_results_of_a_search_are_read_by_the_same_chain(web: PocketWeb, server: Server) -> None:
    web.serper.finds([URL, web.page("/docs/retrying"), "http://10.0.0.5/", "http://wiki.internal/"])
    web.serper_scrape.fails("401")
    async with server.connect(everyone(web, DOWSE_READ_ORDER="scrape-first")) as client:
        result = await client.call_tool("web_search", {"query": "retrying requests", "num_results": 4})
    found = result.structured_content
    assert [(item["link"], item["status"]) for item in found["results"]] == [
        (web.page("/docs/retrying"), "ok"),
        (URL, "ok"),
        ("http://10.0.0.5/", "denied"),
        ("http://wiki.internal/", "denied"),
    ]
    assert "Read by **exa**" in found["results"][1]["page_content"], "of few words, and so behind the other"
    assert [(reader.name, len(reader.requests)) for reader in web.readers] == [("serper", 1), ("exa", 1), ("tavily", 0)]
    (warning,) = found["warnings"]
    said = 'HTTP 401, "The key was not recognised."; check SERPER_API_KEY'
    assert warning.startswith(f"while reading pages, serper rejected its key: {said}")


async def test_get_content_tells_who_read_the_page_and_who_failed(web: PocketWeb, server: Server) -> None:
    web.serper_scrape.fails("500")
    async with server.connect(everyone(web, DOWSE_READ_ORDER="scrape-first")) as client:
        result = await client.call_tool("get_content", {"url": URL})
    found = result.structured_content
    assert (found["engine"], attempts(result)) == ("exa", [("serper", "unavailable"), ("exa", "ok")])
    assert found["warnings"] == ["serper is unavailable: HTTP 500, Something broke on our side."]
    assert "Note: serper is unavailable" in text(result)


@pytest.mark.parametrize("settings", [{}, {"DOWSE_CONTRACT": "jan", "DOWSE_READ_ORDER": "direct-first"}])
async def test_direct_first_asks_no_scrape_api(web: PocketWeb, server: Server, settings: dict[str, str]) -> None:
    tool = "scrape" if settings else "get_content"
    async with server.connect(everyone(web, **settings)) as client:
        result = await client.call_tool(tool, {"url": URL})
    assert attempts(result) == [("direct", "error")]
    assert [reader.requests for reader in web.readers] == [[], [], []]


@pytest.mark.promise("case-32")
async def test_the_breaker_of_reading_opens_without_touching_that_of_searching(web: PocketWeb, server: Server) -> None:
    """Acceptance case 32."""
    web.serper_scrape.fails("500")
    async with jan(server, everyone(web)) as client:
        for _ in range(6):
            scraped = await scrape(client)
        searched = await client.call_tool("google_search", {"q": "python"})
    assert len(web.serper_scrape.requests) == 5
    assert attempts(scraped) == [("serper", "skipped"), ("exa", "ok")]
    assert attempts(searched) == [("serper", "ok")]


async def test_pages_that_cannot_be_read_do_not_open_a_breaker(web: PocketWeb, server: Server) -> None:
    web.exa_contents.cannot_read(URL)
    async with jan(server, web.environment("exa")) as client:
        for _ in range(7):
            await scrape(client)
    assert len(web.exa_contents.requests) == 7
    assert '"breaker changed"' not in server.log


# What clients of the contract check.


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_search_has_results_and_citations(web: PocketWeb, server: Server, transport: str) -> None:
    async with jan(server, everyone(web), transport) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("google_search", {"q": "python release", "request_id": "r-1"})
    found = result.structured_content
    assert names == ["google_search", "scrape"]
    assert (found["engine"], found["live"], found["cache_status"]) == ("serper", True, "live")
    assert len(found["results"]) == len(found["citations"]) == 10
    assert [item["source_url"] for item in found["results"]] == found["citations"]
    assert found["raw"]["searchParameters"]["engine"] == "serper"
    assert found["metadata"]["warnings"] == []
    assert web.pages.requests == [], "no page is read"


async def test_the_fallback_of_a_search_names_the_engine_that_answered(web: PocketWeb, server: Server) -> None:
    """A rejected key moves on too: that is this contract's default."""
    web.serper.fails("403")
    web.exa.fails("402")
    async with jan(server, everyone(web)) as client:
        result = await client.call_tool("google_search", {"q": "python", "num": 1})
    assert attempts(result) == [("serper", "key_rejected"), ("exa", "quota_spent"), ("tavily", "ok")]
    assert result.structured_content["engine"] == "tavily"
    assert result.structured_content["raw"]["searchParameters"]["engine"] == "tavily"


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_scrape_has_a_preview_and_a_cache_status(web: PocketWeb, server: Server, transport: str) -> None:
    async with jan(server, everyone(web), transport) as client:
        plain, rich = await scrape(client), await scrape(client, includeMarkdown=True)
    found = plain.structured_content
    assert (found["source_url"], found["cache_status"]) == (URL, "live")
    assert found["text"] == found["text_preview"] == f"Page at {URL}\n\nNobody wrote it. Read by serper for you."
    assert rich.structured_content["text"].endswith(f"Read by **serper** for [you]({URL}).")


@pytest.mark.parametrize("provider", ["serper", "exa", "tavily", "searxng"])
async def test_a_domain_filter_only_cites_what_it_allows(web: PocketWeb, server: Server, provider: str) -> None:
    links = ["https://docs.python.org/3/", "https://evil.example/", "https://python.org/", "https://notpython.org/"]
    getattr(web, provider).finds(links)
    async with jan(server, web.environment(provider)) as client:
        result = await client.call_tool("google_search", {"q": "python", "domain_allow_list": ["www.python.org"]})
    assert sorted(result.structured_content["citations"]) == ["https://docs.python.org/3/", "https://python.org/"]


@pytest.mark.promise("case-33")
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("how", ["argument", "setting"])
async def test_offline_is_an_explicit_error(web: PocketWeb, server: Server, transport: str, how: str) -> None:
    """Acceptance case 33."""
    settings = everyone(web, **({"DOWSE_OFFLINE": "true"} if how == "setting" else {}))
    flag = {"offline_mode": True} if how == "argument" else {}
    async with jan(server, settings, transport) as client:
        searched = await client.call_tool("google_search", {"q": "python", **flag})
        scraped = await scrape(client, **flag)
    assert (searched.is_error, text(searched)) == (True, "search unavailable: offline mode is enabled")
    assert (scraped.is_error, text(scraped)) == (True, "scrape unavailable: offline mode is enabled")
    assert searched.structured_content["engine"] == "error"
    assert searched.structured_content["cache_status"] == scraped.structured_content["cache_status"] == "disabled"
    assert all(double.requests == [] for double in web.doubles)
    assert web.pages.requests == []


# In a process of its own, all that it writes anywhere is in the log.
@pytest.mark.promise("case-34")
@pytest.mark.parametrize("transport", ["stdio", "http process"])
async def test_no_key_is_in_a_result_or_a_log_although_every_api_repeats_it(
    web: PocketWeb, server: Server, transport: str
) -> None:
    """Acceptance case 34."""
    keys = (SERPER_KEY, EXA_KEY, TAVILY_KEY)
    for double in web.doubles:
        double.fails("echo_key")
    async with jan(server, everyone(web), transport) as client:
        failed = [await client.call_tool("google_search", {"q": "python"}), await scrape(client)]
        for reader, key in zip(web.readers, keys, strict=True):
            reader.works().reads(URL, f"# The key is {key}", title=key)
            failed.append(await scrape(client))
            reader.cannot_read(URL, f"bad key {key}")
    assert [result.is_error for result in failed] == [True, True, False, False, False]
    told = "".join(result.model_dump_json() for result in failed) + server.log
    assert not any(key in told for key in keys)


async def test_plain_text_is_the_readers_own_where_it_gave_one(web: PocketWeb, server: Server) -> None:
    """Serper sends both kinds: its plain text is for callers who did not ask for Markdown."""
    web.serper_scrape.replies(json={"text": "Serper's words", "markdown": "# Serper's *Markdown*"})
    async with jan(server, everyone(web)) as client:
        plain, markdown = await scrape(client), await scrape(client, includeMarkdown=True)
    assert plain.structured_content["text"] == "Serper's words"
    assert markdown.structured_content["text"] == "# Serper's *Markdown*"


async def test_when_no_reader_succeeds_the_error_names_all_that_tried(web: PocketWeb, server: Server) -> None:
    for reader in web.readers:
        reader.fails("401")
    async with jan(server, everyone(web)) as client:
        result = await scrape(client)
    first, *further = text(result).splitlines()
    assert first.startswith("scrape failed: ")
    assert [line.split(":")[1].split()[0] for line in further] == ["serper", "exa", "tavily"]
    assert "check SERPER_API_KEY" in further[0]
