"""Tavily's search, extract and map: the parts of each result, and the fields that choose them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.sites import SITE, Cartographer
from tests.fakes.wiring import PAGE, WireBench

RAW = "# Page\n\nThe text of the page."
PLAIN = "Page\n\nThe text of the page."
START = '<a href="/a?x=1">A</a><a href="https://docs.example.org/b">B</a><a href="/c">C</a>'


@pytest.mark.parametrize(
    ("sent", "raw"),
    [
        ({}, None),
        ({"include_raw_content": True}, RAW),
        ({"include_raw_content": "markdown"}, RAW),
        ({"include_raw_content": "text"}, PLAIN),
        ({"include_raw_content": False}, None),
    ],
)
async def test_the_whole_page_is_beside_its_passages_on_request(sent: dict[str, object], raw: str | None) -> None:
    told: Any = await WireBench("tavily").post("/search", query="bridge", **sent)
    (result,) = told["results"]
    assert (result["url"], result["raw_content"]) == (PAGE, raw)


@pytest.mark.parametrize(("depth", "read"), [("basic", [PAGE]), ("ultra-fast", [])])
async def test_pages_are_not_read_where_speed_is_wanted_most(depth: str, read: list[str]) -> None:
    bench = WireBench("tavily")
    await bench.post("/search", query="bridge", search_depth=depth)
    assert bench.read == read


@pytest.mark.parametrize(("sent", "has_answer"), [({}, False), ({"include_answer": "advanced"}, True)])
async def test_an_answer_is_written_on_request(sent: dict[str, object], has_answer: bool) -> None:
    told: Any = await WireBench("tavily").post("/search", query="text of the page", **sent)
    assert bool(told["answer"]) == has_answer


@pytest.mark.parametrize(("sent", "content"), [({}, RAW), ({"format": "text"}, PLAIN)])
async def test_an_extract_has_the_wanted_format_and_names_pages_that_failed(
    sent: dict[str, object], content: str
) -> None:
    told: Any = await WireBench("tavily").post("/extract", urls=[PAGE, "https://gone.test/"], **sent)
    assert [(each["url"], each["raw_content"]) for each in told["results"]] == [(PAGE, content)]
    assert [each["url"] for each in told["failed_results"]] == ["https://gone.test/"]


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        ({}, [f"{SITE}/", f"{SITE}/a?x=1", "https://docs.example.org/b", f"{SITE}/c"]),
        ({"limit": 2}, [f"{SITE}/", f"{SITE}/a?x=1"]),
    ],
)
async def test_a_map_has_subdomains_and_queries(sent: dict[str, object], found: list[str]) -> None:
    told: Any = await WireBench("tavily", site=Cartographer(START)).post("/map", url=SITE, **sent)
    assert (told["base_url"], told["results"]) == (f"{SITE}/", found)
