"""Serper's fields of a search and of a scrape."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.wiring import PAGE, WireBench


@pytest.mark.parametrize(
    ("path", "sent", "field", "expected"),
    [
        ("/search", {}, "autocorrect", True),
        ("/search", {"autocorrect": False}, "autocorrect", False),
        ("/search", {"tbs": "qdr:w"}, "time_range", "week"),
        ("/search", {"page": 2, "num": 5}, "page", 2),
        ("/search", {"hl": "de", "gl": "ch"}, "country", "CH"),
        ("/search", {"location": "Basel"}, "location", "Basel"),
        ("/news", {}, "category", "news"),
        ("/images", {}, "category", "images"),
    ],
)
async def test_fields_of_a_search_reach_the_provider(
    path: str, sent: dict[str, object], field: str, expected: object
) -> None:
    query = await WireBench("serper").searched("POST", path, body={"q": "bridge", **sent})
    assert getattr(query, field) == expected


@pytest.mark.parametrize(("sent", "is_shown"), [({}, False), ({"includeMarkdown": True}, True)])
async def test_markdown_is_beside_the_text_on_request(sent: dict[str, object], is_shown: bool) -> None:
    told: Any = await WireBench("serper").post("/scrape", url=PAGE, **sent)
    assert told["text"].split() == "Page The text of the page.".split()
    assert ("markdown" in told) == is_shown
