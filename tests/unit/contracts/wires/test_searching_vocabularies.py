"""Requests of each wire as searches: the same wishes in every vocabulary."""

from dataclasses import replace
from datetime import date

import pytest

from dowse.contracts.wires import brave, firecrawl, perplexity, searxng, tavily
from dowse.contracts.wires.fields import Fields
from dowse.contracts.wires.searching import Wanted
from dowse.core.errors import InvalidRequest
from dowse.core.models import Category, TimeRange

TODAY = date(2026, 11, 15)


def test_searxng() -> None:
    sent = {
        "q": "x",
        "pageno": "2",
        "categories": "web,news",
        "language": "de-CH",
        "time_range": "week",
        "safesearch": "2",
    }
    assert searxng.to_wanted(Fields(sent)) == Wanted(
        text="x",
        num_results=10,
        page=2,
        category=Category.GENERAL,
        language="de-CH",
        time_range=TimeRange.WEEK,
        safe_search=2,
        timeout_s=10.0,
    )
    assert searxng.to_wanted(Fields({"q": "x", "categories": "news"})).category is Category.NEWS
    assert searxng.to_wanted(Fields({"q": "x", "categories": "shopping", "time_range": "soon"})).category is None
    for wrong in ({"q": ""}, {"q": "x", "format": "html"}, {"q": "x", "safesearch": "3"}, {"q": "x", "pageno": "0"}):
        with pytest.raises(InvalidRequest):
            searxng.to_wanted(Fields(wrong))


def test_tavily() -> None:
    sent = {
        "query": "x",
        "max_results": 50,
        "topic": "news",
        "time_range": "w",
        "include_domains": ["example.org"],
        "chunks_per_source": 2,
        "country": "germany",
        "timeout": 5,
        "end_date": "2026-1-9",
        "safe_search": True,
    }
    assert tavily.to_wanted(Fields(sent), TODAY) == Wanted(
        text="x",
        num_results=20,
        category=Category.NEWS,
        country="germany",
        time_range=TimeRange.WEEK,
        end_date="2026-01-09",
        include_domains=("example.org",),
        safe_search=1,
        passage_tokens=300,
        timeout_s=5,
    )
    usual = Wanted(text="x", num_results=5, passage_tokens=450)
    assert tavily.to_wanted(Fields({"query": "x"}), TODAY) == usual
    assert tavily.to_wanted(Fields({"query": "x", "days": 3}), TODAY) == replace(usual, start_date="2026-11-12")
    assert tavily.to_wanted(Fields({"query": "x", "search_depth": "ultra-fast"}), TODAY).passage_tokens is None
    for wrong in ({}, {"query": "x", "topic": "cats"}, {"query": "x", "start_date": "soon"}):
        with pytest.raises(InvalidRequest):
            tavily.to_wanted(Fields(wrong), TODAY)


def test_firecrawl() -> None:
    sent = {
        "query": "x",
        "limit": 7,
        "tbs": "qdr:m",
        "country": "US",
        "location": "Berlin",
        "categories": [{"type": "github"}],
        "includeDomains": ["a.org"],
        "excludeDomains": ["b.org"],
        "timeout": 7500,
    }
    assert firecrawl.to_wanted(Fields(sent)) == Wanted(
        text="x",
        num_results=7,
        category=Category.IT,
        country="US",
        location="Berlin",
        time_range=TimeRange.MONTH,
        include_domains=("a.org",),
        exclude_domains=("b.org",),
        timeout_s=7.5,
    )


def test_perplexity() -> None:
    sent = {
        "max_results": 4,
        "max_tokens": 800,
        "search_domain_filter": ["a.org", "-b.org"],
        "country": "GB",
        "search_recency_filter": "hour",
        "search_before_date_filter": "12/31/2026",
        "search_language_filter": ["fr"],
    }
    wanted = Wanted(
        text="x",
        num_results=4,
        language="fr",
        country="GB",
        time_range=TimeRange.DAY,
        end_date="2026-12-31",
        include_domains=["a.org"],
        exclude_domains=["b.org"],
        passage_tokens=100,
    )
    assert perplexity.to_wanted(Fields(sent), ["x", "y"]) == [wanted, replace(wanted, text="y")]
    low = {**sent, "search_context_size": "low"}
    assert [each.passage_tokens for each in perplexity.to_wanted(Fields(low), ["x"])] == [50]


def test_brave() -> None:
    sent = {"q": "x", "count": "50", "offset": "2", "freshness": "pw", "safesearch": "strict", "search_lang": "en"}
    assert brave.to_wanted(Fields(sent), 20, None) == Wanted(
        text="x", num_results=20, page=3, language="en", time_range=TimeRange.WEEK, safe_search=2
    )
    between = brave.to_wanted(Fields({"q": "x", "freshness": "2026-01-01to2026-02-01"}), 20, None)
    assert (between.start_date, between.end_date) == ("2026-01-01", "2026-02-01")
    with pytest.raises(InvalidRequest):
        brave.to_wanted(Fields({"q": "x", "offset": "-1"}), 20, None)
