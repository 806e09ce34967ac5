"""Spans per call, attempt and page, under the caller's trace; nothing private in any of them."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from tests import traced
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.traced import PARENT, TRACE, TRACEPARENT, Trace

ERAS = ["legacy", "2026-07-28"]
QUERY = "quetzal nesting sites"

Traced = Callable[..., Awaitable[Trace]]


@pytest.fixture
def trace_of(server: Server, tmp_path: Path) -> Traced:
    """Calls to a traced server by a client that sends its trace context along; returns the server's spans."""

    async def calls(settings: Mapping[str, str], era: str, *calls: tuple[str, dict[str, object]]) -> Trace:
        file = tmp_path / "spans.jsonl"
        command = traced.command("serve")
        async with server.connect({**settings, **traced.settings(file)}, command=command, mode=era) as client:
            for tool, arguments in calls:
                await client.call_tool(tool, arguments, meta={"traceparent": TRACEPARENT})
        return Trace.read(file)

    return calls


@pytest.mark.parametrize("era", ERAS)
async def test_attempts_and_pages_are_spans_under_the_callers_trace(web: PocketWeb, trace_of: Traced, era: str) -> None:
    web.serper.fails("429")
    settings = web.environment("serper", "tavily")
    trace = await trace_of(settings, era, ("web_search", {"query": QUERY, "num_results": 2}))

    (call,) = trace.named("call web_search")
    (failed,), (answered,) = trace.named("search serper"), trace.named("search tavily")
    pages = trace.named("page")
    assert call.attributes == {"dowse.tool": "web_search", "dowse.outcome": "ok", "dowse.engine": "tavily"}
    attempt = {"dowse.operation": "search"}
    assert failed.attributes == {**attempt, "dowse.provider": "serper", "dowse.outcome": "rate_limited"}
    assert answered.attributes == {**attempt, "dowse.provider": "tavily", "dowse.outcome": "ok"}
    assert (failed.status, answered.status) == ("ERROR rate_limited", "UNSET")
    assert [page.attributes for page in pages] == [
        {"dowse.host": "127.0.0.1", "dowse.outcome": "ok", "dowse.engine": "direct"}
    ] * 2
    for span in (failed, answered, *pages):
        assert trace.above(span) == ["call web_search", "tools/call web_search", PARENT]
        assert span.trace == TRACE


@pytest.mark.parametrize("era", ERAS)
async def test_a_page_that_cannot_be_read_is_a_span_with_its_status(web: PocketWeb, trace_of: Traced, era: str) -> None:
    trace = await trace_of(web.environment(), era, ("get_content", {"url": web.page("/no-such-page")}))
    (page,) = trace.named("page")
    assert page.status == "ERROR not_found"
    assert trace.above(page) == ["call get_content", "tools/call get_content", PARENT]


async def test_a_scrape_api_is_an_attempt_at_its_page(web: PocketWeb, trace_of: Traced) -> None:
    settings = {**web.environment("serper"), "DOWSE_READ_ORDER": "scrape-first"}
    trace = await trace_of(settings, "legacy", ("get_content", {"url": "https://docs.python.org/3/"}))
    attempts = [span for span in trace.spans if span.attributes.get("dowse.operation") == "read"]
    assert [span.name for span in attempts] == ["read serper"]
    assert trace.above(attempts[0]) == ["page", "call get_content", "tools/call get_content", PARENT]


@pytest.mark.parametrize("era", ERAS)
async def test_no_span_holds_a_query_a_path_or_a_key(web: PocketWeb, trace_of: Traced, era: str) -> None:
    """Also where upstream repeats the query in its error, and where the arguments are refused."""
    web.serper.fails("400")
    private = ("quetzal", "nesting", "private-path", web.serper.key, web.serper.key[:8])
    settings = web.environment("serper")
    trace = await trace_of(
        settings,
        era,
        ("web_search", {"query": QUERY}),
        ("web_search", {"query": QUERY, "num_results": "nesting"}),
        ("get_content", {"url": web.page("/private-path?nesting=quetzal")}),
        ("get_content", {"url": "quetzal nesting"}),
    )
    assert [len(trace.named(name)) for name in ("call web_search", "call get_content", "search serper")] == [2, 2, 1]
    assert [word for word in private if word in trace.text] == []


async def test_a_call_that_was_refused_says_by_what(web: PocketWeb, trace_of: Traced) -> None:
    trace = await trace_of(web.environment(), "legacy", ("web_search", {"query": QUERY}))
    (call,) = trace.named("call web_search")
    assert call.status == "ERROR NoProvider"
    assert call.attributes == {"dowse.tool": "web_search", "dowse.outcome": "NoProvider", "dowse.engine": ""}
