"""Brave's LLM context and extra snippets: how many pages, and how much of each."""

from __future__ import annotations

import pytest

from tests.fakes.wiring import PAGE, WireBench

CONTEXT = "/res/v1/llm/context"


@pytest.mark.parametrize(
    ("sent", "results"),
    [
        ({}, 8),
        ({"maximum_number_of_urls": "3"}, 3),
        ({"maximum_number_of_urls": "999"}, 20),
        ({"maximum_number_of_urls": "5", "count": "2"}, 2),
        ({"maximum_number_of_urls": "5", "count": "9"}, 5),
    ],
)
async def test_a_context_has_as_many_pages_as_it_may(sent: dict[str, str], results: int) -> None:
    query = await WireBench("brave").searched("GET", CONTEXT, query={"q": "bridge", **sent})
    assert query.num_results == results


@pytest.mark.parametrize(("sent", "read"), [({}, []), ({"extra_snippets": "true"}, [PAGE])])
async def test_pages_are_read_for_extra_snippets_only(sent: dict[str, str], read: list[str]) -> None:
    bench = WireBench("brave")
    await bench.ask("GET", "/res/v1/web/search", query={"q": "bridge", **sent})
    assert bench.read == read


async def test_fields_may_come_in_a_body_and_unknown_ones_are_named() -> None:
    bench = WireBench("brave")
    reply = await bench.ask("POST", CONTEXT, body={"q": "bridge", "maximum_number_of_urls": 2, "colour": "red"})
    assert bench.bench.provider.asked[0].num_results == 2
    assert reply.headers["X-Dowse-Warnings"] == "without effect here: colour"
