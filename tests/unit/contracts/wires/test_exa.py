"""Exa's fields of a search and of contents: dates, the parts of each page, and their length."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.wiring import PAGE, WireBench

LONG = "# Page\n\n" + "The bridge is long. " * 50


@pytest.mark.parametrize(
    ("sent", "field", "expected"),
    [
        ({"startPublishedDate": "2026-01-02T00:00:00Z"}, "start_date", "2026-01-02"),
        ({"endPublishedDate": "2026-03-04"}, "end_date", "2026-03-04"),
        ({"category": "Research Paper"}, "category", "science"),
        ({"userLocation": "us"}, "country", "US"),
        ({"includeDomains": ["a.org"]}, "include_domains", ("a.org",)),
        ({"excludeDomains": ["b.org"]}, "exclude_domains", ("b.org",)),
        ({"numResults": 4}, "num_results", 4),
    ],
)
async def test_fields_of_a_search_reach_the_provider(sent: dict[str, object], field: str, expected: object) -> None:
    query = await WireBench("exa").searched("POST", "/search", body={"query": "bridge", **sent})
    assert getattr(query, field) == expected


@pytest.mark.parametrize("name", ["startPublishedDate", "endPublishedDate"])
async def test_a_day_that_is_none_is_refused_by_its_name(name: str) -> None:
    reply = await WireBench("exa").ask("POST", "/search", body={"query": "bridge", name: "soon"})
    assert (reply.status, name in str(reply.data)) == (400, True)


@pytest.mark.parametrize(
    ("contents", "parts"),
    [
        ({}, set()),
        ({"text": True}, {"text"}),
        ({"highlights": {"query": "bridge"}}, {"highlights", "highlightScores"}),
        ({"summary": True}, {"summary"}),
        ({"summary": {"query": "bridge"}, "text": {}}, {"summary", "text"}),
        ({"text": False, "summary": False}, set()),
    ],
)
async def test_a_result_has_the_wanted_parts_of_its_page(contents: dict[str, object], parts: set[str]) -> None:
    told: Any = await WireBench("exa").post("/search", query="bridge", contents=contents)
    (result,) = told["results"]
    assert result.keys() & {"text", "highlights", "highlightScores", "summary"} == parts


async def test_a_text_is_cut_at_the_wanted_length() -> None:
    whole: Any = await WireBench("exa", text=LONG).post("/contents", urls=[PAGE], text=True)
    brief: Any = await WireBench("exa", text=LONG).post("/contents", urls=[PAGE], text={"maxCharacters": 60})
    assert len(whole["results"][0]["text"]) > 900
    assert 0 < len(brief["results"][0]["text"]) <= 60


@pytest.mark.parametrize(("sent", "status"), [({"urls": [PAGE]}, 200), ({"ids": [PAGE]}, 200), ({}, 400)])
async def test_pages_are_named_by_their_addresses_or_ids(sent: dict[str, object], status: int) -> None:
    bench = WireBench("exa")
    reply = await bench.ask("POST", "/contents", body=sent)
    assert (reply.status, bench.read) == (status, [PAGE] if status == 200 else [])


@pytest.mark.parametrize(("hours", "is_fresh"), [(None, False), (-1, False), (2, False), (0, True)])
async def test_a_copy_is_no_older_than_the_caller_takes(hours: int | None, is_fresh: bool) -> None:
    bench = WireBench("exa", is_remembering=True)
    for sent in ({}, {} if hours is None else {"maxAgeHours": hours}):
        await bench.post("/contents", urls=[PAGE], text=True, **sent)
    assert bench.read == [PAGE] * (2 if is_fresh else 1)
