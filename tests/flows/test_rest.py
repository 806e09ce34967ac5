"""REST over real HTTP: every operation answers with its typed output, and every failure is a problem."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from dowse.contracts.endpoint import MAX_BODY_BYTES
from tests.conftest import REMEMBERING, Server
from tests.doubles import PocketWeb
from tests.http import HttpServer
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("rest-api")

SOON_S = 30.0
ARTICLE = "/articles/python-315"
Answered = tuple[int, Mapping[str, str], Any]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def http(module_server: Server, module_web: PocketWeb) -> AsyncIterator[HttpServer]:
    """One server for all: no request may change how it treats the next."""
    environment = {**module_web.environment("serper", "tavily"), "DOWSE_STATE": "memory:"}
    async with module_server.here(environment) as running:
        yield running


@pytest.fixture(autouse=True)
def fresh_web(web: PocketWeb) -> None:
    web.reset()


async def ask(http: HttpServer, method: str, path: str, **options: Any) -> Answered:
    async with http.session.request(method, f"{http.origin}/api/v1{path}", **options) as response:
        body = await response.read()
        is_json = response.headers["Content-Type"].endswith("json")
        return response.status, response.headers, json.loads(body) if is_json else body


async def events(http: HttpServer, path: str, arguments: Mapping[str, object]) -> list[tuple[str, Any]]:
    headers = {"Accept": "text/event-stream"}
    async with http.session.post(f"{http.origin}/api/v1{path}", json=arguments, headers=headers) as response:
        assert (response.status, response.headers["Content-Type"]) == (200, "text/event-stream")
        return [parse(block) for block in (await response.text()).strip().split("\n\n")]


def parse(block: str) -> tuple[str, Any]:
    name, data = block.split("\n")
    return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


async def test_search_gives_the_same_output_as_the_tool(http: HttpServer, web: PocketWeb) -> None:
    arguments = {"query": "python release", "num_results": 2, "max_tokens": 800}
    async with http.post("web_search", arguments) as response:
        expected = (await response.json())["result"]["structuredContent"]
    status, headers, posted = await ask(http, "POST", "/search", json=arguments)
    assert (status, headers["Content-Type"], len(headers["X-Request-Id"])) == (200, "application/json", 8)
    query = {name: str(value) for name, value in arguments.items()}
    _, _, got = await ask(http, "GET", "/search", params=query)
    for output in (expected, posted, got):
        drop_times(output)
    assert posted == got == expected
    assert [each["status"] for each in got["results"]] == ["truncated", "truncated"]


def drop_times(output: Any) -> None:
    """What differs from call to call."""
    del output["stats"], output["attempts"]
    for each in output["results"]:
        del each["fetch_time_ms"]


async def test_read_takes_one_address_or_several(http: HttpServer, web: PocketWeb) -> None:
    address, missing = web.page(ARTICLE), web.page("/nothing-here")
    _, _, one = await ask(http, "GET", "/read", params={"url": address})
    assert (one["status"], one["engine"], one["url"]) == ("ok", "direct", address)
    for method, sent in (
        ("GET", {"params": [("urls", address), ("urls", missing)]}),
        ("POST", {"json": {"urls": [address, missing]}}),
    ):
        status, _, several = await ask(http, method, "/read", **sent)
        assert (status, [each["status"] for each in several["results"]]) == (200, ["ok", "not_found"])
    _, _, failed = await ask(http, "POST", "/read", json={"url": missing})
    assert (failed["status"], failed["page_content"].split("\n")[0]) == (
        "not_found",
        "_Failed to retrieve page content: the page does not exist_",
    )


async def test_answer_extract_and_rerank_answer_typed(http: HttpServer) -> None:
    status, _, answer = await ask(http, "POST", "/answer", json={"question": "When did the harbour bridge reopen?"})
    assert (status, answer["provider"], bool(answer["citations"])) == (200, "dowse-extractive", True)
    page = "<title>Bridge</title><h1>Bridge</h1><p>" + "The harbour bridge opened in 1932, on a windy day. " * 9
    status, _, as_json = await ask(http, "POST", "/extract", json={"html": page, "url": "https://a.example/b"})
    assert (status, as_json["title"], as_json["status"]) == (200, "Bridge", "ok")
    sent = {"data": page, "headers": {"Content-Type": "text/html; charset=utf-8"}}
    _, _, as_html = await ask(http, "POST", "/extract?url=https://a.example/b", **sent)
    assert as_html == as_json
    documents = ["Closed on Mondays.", "The opening year of the bridge was 1932."]
    status, _, ranked = await ask(http, "POST", "/rerank", json={"query": "opening year", "documents": documents})
    assert (status, [each["index"] for each in ranked["results"]]) == (200, [1, 0])


async def test_reports_tell_what_the_server_is(http: HttpServer, web: PocketWeb) -> None:
    _, _, found = await ask(http, "GET", "/providers")
    assert [(each["name"], each["place"]) for each in found["providers"] if each["active"]] == [
        *(("serper", 1), ("tavily", 2))
    ]
    status, _, usage = await ask(http, "GET", "/usage", params={"by": "day"})
    assert status == 200, usage
    assert (usage["by"], usage["total"]["name"]) == ("day", "all")
    _, _, doctor = await ask(http, "GET", "/doctor")
    assert {"search", "store"} <= {each["name"] for each in doctor["checks"]}
    _, _, explained = await ask(http, "GET", "/explain", params={"url": web.page(ARTICLE)})
    assert {each["kept"] for each in explained["blocks"]} == {True, False}


async def test_a_store_that_fails_is_a_problem_without_its_address(server: Server, web: PocketWeb) -> None:
    async with server.here({**web.environment("serper"), "DOWSE_STATE": "sqlite:////dev/null/state.db"}) as http:
        status, _, problem = await ask(http, "GET", "/usage")
    assert (status, problem["code"]) == (503, "store_failed")
    assert "/dev/null" not in json.dumps(problem)


MALFORMED = [
    ("GET", "/search", {}, 400, "invalid_request"),
    ("GET", "/search?query=", {}, 400, "invalid_request"),
    ("GET", "/search?query=a&query=b", {}, 400, "invalid_request"),
    ("GET", "/search?query=a&num_results=many", {}, 400, "invalid_request"),
    ("GET", "/search?" + "&".join(f"a{number}=1" for number in range(600)), {}, 400, "invalid_request"),
    ("POST", "/search", {"data": b""}, 400, "invalid_request"),
    ("POST", "/search", {"data": b"{"}, 400, "invalid_request"),
    ("POST", "/search", {"data": b"\xff\xfe"}, 400, "invalid_request"),
    ("POST", "/search", {"data": b"[]"}, 400, "invalid_request"),
    ("POST", "/search", {"data": b"null"}, 400, "invalid_request"),
    ("POST", "/search", {"data": b'{"query": NaN}'}, 400, "invalid_request"),
    ("POST", "/search", {"data": b"[" * 100_000}, 400, "invalid_request"),
    ("POST", "/search", {"data": b'{"query":' + b"[" * 70 + b"]" * 70 + b"}"}, 400, "invalid_request"),
    ("POST", "/search", {"json": {"query": {"a": 1}}}, 400, "invalid_request"),
    ("POST", "/search", {"json": {"query": "a", "start_date": "soon"}}, 400, "invalid_request"),
    ("POST", "/read", {"json": {}}, 400, "invalid_request"),
    ("POST", "/read", {"json": {"url": "no address"}}, 400, "invalid_request"),
    ("POST", "/extract", {"json": {"html": ""}}, 400, "invalid_request"),
    ("POST", "/rerank", {"json": {"query": "a", "documents": "b"}}, 400, "invalid_request"),
    ("GET", "/usage?by=moon", {}, 400, "invalid_request"),
    ("GET", "/answer", {}, 405, "method_not_allowed"),
    ("DELETE", "/search", {}, 405, "method_not_allowed"),
    ("GET", "/nothing", {}, 404, "not_found"),
    ("GET", "", {}, 404, "not_found"),
]


@each_row(("method", "path", "sent", "status", "code"), MALFORMED)
async def test_a_bad_request_is_a_problem_in_one_sentence(
    http: HttpServer, web: PocketWeb, method: str, path: str, sent: dict[str, Any], status: int, code: str
) -> None:
    got, headers, problem = await ask(http, method, path, **sent)
    assert (got, headers["Content-Type"]) == (status, "application/problem+json")
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["type"].startswith("urn:dowse:problem:")
    assert problem["detail"] and "\n" not in problem["detail"] and "Traceback" not in problem["detail"]
    assert web.serper.requests == []
    if status == 405:
        assert headers["Allow"] in ("POST", "GET, POST")


async def test_a_body_is_bounded(http: HttpServer) -> None:
    body = io.BytesIO(b'{"query": "a", "filler": "' + b"a" * MAX_BODY_BYTES + b'"}')
    status, _, problem = await ask(http, "POST", "/search", data=body)
    assert (status, problem["code"]) == (413, "too_large")


async def test_a_failed_search_names_its_attempts(http: HttpServer, web: PocketWeb, module_server: Server) -> None:
    async with module_server.here(web.environment("serper", "tavily")) as fresh:
        web.serper.fails("500")
        web.tavily.fails("500")
        status, _, problem = await ask(fresh, "POST", "/search", json={"query": "python"})
    assert (status, problem["code"]) == (502, "unavailable")
    assert [each["provider"] for each in problem["attempts"]][:2] == ["serper", "tavily"]


async def test_a_limited_caller_is_told_when_to_come_back(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment("serper"), "DOWSE_LIMIT_WEB_SEARCH": "1/h"}
    search = {"json": {"query": "python", "fetch_content": False}}
    async with server.here(settings) as limited:
        assert (await ask(limited, "POST", "/search", **search))[0] == 200
        status, headers, problem = await ask(limited, "POST", "/search", **search)
        assert (status, problem["code"]) == (429, "limit_reached")
        assert int(headers["Retry-After"]) == problem["retry_after"] > 3500
        # The same window as for the tool.
        async with limited.post("web_search", {"query": "python"}) as response:
            assert (await response.json())["result"]["isError"]


async def test_the_same_get_again_is_not_sent_again(server: Server, web: PocketWeb) -> None:
    async with server.here({**web.environment("serper"), **REMEMBERING}) as http:
        for path in ("/search?query=python&num_results=2", f"/read?url={web.page(ARTICLE)}"):
            status, first, _ = await ask(http, "GET", path)
            assert (status, first["Cache-Control"]) == (200, "private")
            assert "Authorization" in first["Vary"].split(", ")
            async with http.session.head(f"{http.origin}/api/v1{path}") as response:
                assert (response.status, response.headers["ETag"]) == (200, first["ETag"])
            for sent in (first["ETag"], f'"other", {first["ETag"].removeprefix("W/")}', "*"):
                async with http.session.get(f"{http.origin}/api/v1{path}", headers={"If-None-Match": sent}) as response:
                    assert (response.status, await response.read()) == (304, b""), sent
                    assert response.headers["ETag"] == first["ETag"]
            status, again, _ = await ask(http, "GET", path, headers={"If-None-Match": '"other"'})
            assert (status, again["ETag"]) == (200, first["ETag"]), "times and ages are no part of it"


@pytest.mark.promise("rest-stream")
async def test_a_stream_has_attempts_then_hits_then_pages_then_the_result(http: HttpServer, web: PocketWeb) -> None:
    web.serper.fails("500")
    arguments = {"query": "python release", "num_results": 2}
    found = await events(http, "/search", arguments)
    names = [name for name, _ in found if name != "progress"]
    assert names == ["attempts", "hits", "page", "page", "result"]
    parts = dict(found)
    assert [(each["provider"], each["outcome"]) for each in parts["attempts"]["attempts"]][-1] == ("tavily", "ok")
    links = [each["link"] for each in parts["hits"]["hits"]]
    assert {each["link"] for name, each in found if name == "page"} == set(links)
    assert {each["status"] for name, each in found if name == "page"} <= {"ok", "truncated"}
    assert [each["link"] for each in parts["result"]["results"]] == links


@pytest.mark.promise("rest-stream")
async def test_hits_do_not_wait_for_pages(http: HttpServer, web: PocketWeb) -> None:
    """The pages hang until the test has seen the hits: a hit that waited for them would never come."""
    web.serper.replies(json={"organic": [{"title": "Slow", "link": web.page("/slow"), "snippet": "A page."}]})
    web.pages.fails("/slow", "hang")
    headers, wanted = {"Accept": "text/event-stream"}, {"query": "slow page"}
    async with asyncio.timeout(SOON_S):
        async with http.session.post(f"{http.origin}/api/v1/search", json=wanted, headers=headers) as response:
            lines = b""
            while b"event: hits" not in lines:
                lines += await response.content.readany()
            seen = await web.pages.arrived()
        # Leaving ends the work upstream.
        await seen.closed.wait()


async def test_an_error_before_the_first_event_keeps_its_status(http: HttpServer, web: PocketWeb) -> None:
    headers = {"Accept": "text/event-stream"}
    status, got, problem = await ask(http, "POST", "/search", json={"query": ""}, headers=headers)
    assert (status, got["Content-Type"], problem["code"]) == (400, "application/problem+json", "invalid_request")


async def test_an_error_after_the_first_event_is_the_last_one(module_server: Server, web: PocketWeb) -> None:
    async with module_server.here(web.environment("serper")) as fresh:
        web.serper.fails("500")
        found = await events(fresh, "/search", {"query": "python"})
    assert [name for name, _ in found if name != "progress"] == ["error"]
    assert (found[-1][1]["status"], found[-1][1]["code"]) == (502, "unavailable")


async def test_leaving_closes_the_connection_to_the_provider(http: HttpServer, web: PocketWeb) -> None:
    web.serper.fails("hang")
    calling = asyncio.create_task(ask(http, "POST", "/search", json={"query": "python"}))
    seen = await asyncio.wait_for(web.serper.arrived(), SOON_S)
    calling.cancel()
    await asyncio.wait_for(seen.closed.wait(), SOON_S)


async def test_a_call_beyond_the_maximum_is_a_problem_and_says_when_to_come_back(
    server: Server, web: PocketWeb
) -> None:
    async with server.here({**web.environment("serper"), "DOWSE_MAX_CALLS": "1"}) as http:
        web.serper.fails("hang")
        hanging = asyncio.create_task(ask(http, "POST", "/search", json={"query": "python"}))
        await asyncio.wait_for(web.serper.arrived(), SOON_S)
        status, headers, problem = await ask(http, "GET", "/search", params={"query": "perl"})
        assert (status, headers["Retry-After"], problem["code"]) == (503, "1", "overloaded")
        hanging.cancel()


async def test_a_call_in_flight_is_finished_and_a_new_one_refused_while_the_server_ends(
    server: Server, web: PocketWeb
) -> None:
    async with server.here(web.environment("serper")) as http:
        web.serper.fails("hang")
        calling = asyncio.create_task(ask(http, "POST", "/search", json={"query": "python"}))
        await asyncio.wait_for(web.serper.arrived(), SOON_S)
        http.stop()
        while True:
            try:
                status, headers, problem = await ask(http, "POST", "/search", json={"query": "perl"})
            except aiohttp.ClientConnectorError:  # pragma: no cover (the listener is closed after the drain only)
                raise AssertionError("the server closed its door before its calls had ended") from None
            if status == 503:
                break
        assert (problem["code"], headers["Retry-After"]) == ("stopping", "5")
        http.stop()
        assert (await asyncio.wait_for(calling, SOON_S))[0] == 503


async def test_calls_are_counted_by_door(server: Server, web: PocketWeb) -> None:
    async with server.here(web.environment("serper")) as http:
        await ask(http, "POST", "/search", json={"query": "python", "fetch_content": False})
        async with http.post("web_search", {"query": "python", "fetch_content": False}) as response:
            assert response.status == 200
        async with http.session.get(http.origin + "/metrics") as response:
            metrics = await response.text()
    for door in ("rest", "mcp"):
        assert f'dowse_calls_total{{caller="local",door="{door}",tool="web_search"}} 1.0' in metrics
    assert 'mcp_tool_calls_total{provider="serper",tool="web_search"} 2.0' in metrics


async def test_a_page_of_an_allowed_origin_may_call(server: Server, web: PocketWeb) -> None:
    origin = "https://app.example.org"
    settings = {**web.environment("serper"), "DOWSE_ALLOWED_ORIGINS": origin, "DOWSE_TOKENS": "ana:a-token-of-ana-000"}
    async with server.here(settings) as http:
        asked = {
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,x-api-key",
        }
        async with http.session.options(f"{http.origin}/api/v1/search", headers=asked) as response:
            assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (200, origin)
        headers = {"Origin": origin, "X-API-Key": "a-token-of-ana-000"}
        status, got, _ = await ask(http, "GET", "/search?query=python&fetch_content=false", headers=headers)
        assert (status, got["Access-Control-Allow-Origin"]) == (200, origin)
        assert "ETag" in got["Access-Control-Expose-Headers"]
        foreign = {**headers, "Origin": "https://evil.example"}
        assert (await ask(http, "GET", "/search?query=python", headers=foreign))[0] == 403


async def test_the_key_of_a_provider_is_in_no_answer(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment("serper", "tavily")}
    async with server.here(settings) as http:
        web.serper.fails("echo_key")
        web.tavily.fails("echo_key")
        status, headers, problem = await ask(http, "POST", "/search", json={"query": "python"})
        told = json.dumps([dict(headers), problem])
        _, _, echoed = await ask(http, "POST", "/rerank", json={
            "query": web.serper.key, "documents": [web.serper.key], "return_documents": True,
        })  # fmt: skip
        streamed = await events(http, "/search", {"query": "python"})
    for key in (web.serper.key, web.tavily.key):
        assert status != 200
        assert key not in told + json.dumps(echoed) + json.dumps(streamed)
