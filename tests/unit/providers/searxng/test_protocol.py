"""What is made of an instance's answer, whatever is in it."""

from __future__ import annotations

from typing import Any

import pytest

from dowse.core.errors import BadAnswer, Blocked, EnginesFailed
from dowse.core.listings import Listing, Outcome, Row
from dowse.core.models import Category, Query
from dowse.providers.searxng.protocol import SearxngAnswer, from_json, from_listing, web_page
from tests.support.tables import each_row

QUERY = Query("otters")
GOOD = {"title": "Otters", "url": "https://example.org/", "content": "About otters."}


def answer(*results: Any, **further: Any) -> SearxngAnswer:
    return from_json("searxng", {"results": list(results), **further}, QUERY)


@each_row("results", [None, {}, "text", 7])
def test_a_body_without_a_list_of_results_is_no_answer(results: object) -> None:
    with pytest.raises(BadAnswer, match="results"):
        from_json("searxng", {"results": results}, QUERY)


def test_what_is_no_result_is_passed_over() -> None:
    found = answer(None, 5, "x", {}, {"title": "T"}, {"title": "T", "url": 3}, {"url": "https://e.org/"}, GOOD)
    assert [hit.url for hit in found.hits] == ["https://example.org/"]
    assert found.odd_links == 0


@each_row("url", ["javascript:alert(1)", "data:text/html,x", " FILE:///etc/passwd", "ftp://e.org/x"])
def test_links_out_of_the_web_are_counted_and_not_shown(url: str) -> None:
    found = answer({**GOOD, "url": url}, GOOD)
    assert (len(found.hits), found.odd_links) == (1, 1)


@each_row("url", ["/relative", "//example.org/", "", "not a link", "https://", "1:2"])
def test_a_link_that_leads_nowhere_is_no_crime(url: str) -> None:
    assert answer({**GOOD, "url": url}).odd_links == 0


def test_a_page_of_results_has_an_end() -> None:
    many = [{**GOOD, "url": f"https://example.org/{number}"} for number in range(100_000)]
    found = from_json("searxng", {"results": many}, Query("otters", num_results=50))
    assert len(found.hits) == 50


@each_row(
    ("told", "failed"),
    [
        ([["bing", "timeout"]], {"bing": "timeout"}),
        ([["bing", "timeout", "again"], ["bing"], "bing", None], {}),
        ({"bing": "timeout"}, {}),
        (None, {}),
    ],
)
def test_engines_that_failed_are_pairs(told: object, failed: dict[str, str]) -> None:
    assert answer(unresponsive_engines=told).failed == failed


def test_nothing_is_an_answer_only_if_an_engine_looked() -> None:
    failed = {"bing": "timeout", "brave": "access denied"}
    nobody, somebody = SearxngAnswer((), failed=failed), SearxngAnswer((), answers=("42",), failed=failed)
    with pytest.raises(EnginesFailed, match="bing: timeout, brave: access denied"):
        nobody.raise_if_engines_failed("searxng", "")
    with pytest.raises(EnginesFailed):
        nobody.raise_if_engines_failed("searxng", "bing, brave")
    nobody.raise_if_engines_failed("searxng", "bing,mojeek")
    somebody.raise_if_engines_failed("searxng", "")
    SearxngAnswer(()).raise_if_engines_failed("searxng", "bing")


def test_pictures_have_addresses_only_where_pictures_were_asked_for() -> None:
    row = Row("A bridge", "https://example.org/", image_url="https://img.example/1.jpg", duration="3:05")
    listing = Listing(Outcome.RESULTS, (row,))
    as_picture, as_page = (
        from_listing("searxng", listing, Query("bridge", category=category)).hits[0]
        for category in (Category.IMAGES, Category.GENERAL)
    )
    assert (as_picture.image_url, as_picture.duration) == ("https://img.example/1.jpg", "3:05")
    assert (as_page.image_url, as_page.is_media) == ("", False)


def test_what_stands_in_place_of_results_is_an_error() -> None:
    with pytest.raises(Blocked, match="Cloudflare"):
        from_listing("searxng", Listing(Outcome.BLOCKED, detail="challenge page (Cloudflare)"), QUERY)
    with pytest.raises(BadAnswer, match="not a list of results"):
        from_listing("searxng", Listing(Outcome.UNKNOWN), QUERY)
    assert from_listing("searxng", Listing(Outcome.UNKNOWN, odd_links=3), QUERY).odd_links == 3
    assert from_listing("searxng", Listing(Outcome.EMPTY), QUERY).hits == ()


@each_row(
    ("content_type", "charset"),
    [
        ("text/html; charset=UTF-8", "utf-8"),
        ('text/html;charset="iso-8859-1"', "iso-8859-1"),
        ("text/html", ""),
        ("", ""),
    ],
)
def test_a_page_has_the_charset_that_it_came_with(content_type: str, charset: str) -> None:
    assert web_page("https://example.org/", {"content-type": content_type}, b"x").charset == charset
