"""Typed results are decoded from JSON: what was encoded comes back, and other shapes are refused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dowse.contracts.output import to_json
from dowse.core.models import CacheState, Status
from dowse.core.text import ArgumentName, Sentence
from dowse.surfaces.python.decoding import decode
from dowse.surfaces.python.results import AnswerResult, PageResult, RerankResults, SearchResults
from tests.support.tables import each_row
from tests.unit.surfaces.python.test_results import page, result, results

RANKED: Mapping[str, object] = {
    "query": "q",
    "results": [{"index": 0, "relevance_score": 1, "document": "d"}],
    "warnings": ["w"],
}


def test_results_survive_json() -> None:
    found = results(result(), warnings=("w",), agreement=2)
    assert decode(SearchResults, to_json(found)) == found
    assert decode(PageResult, to_json(page(status=Status.BLOCKED))) == page(status=Status.BLOCKED)


def test_names_of_json_become_those_of_python() -> None:
    answer = decode(
        AnswerResult,
        {
            "text": "Nine.",
            "citations": [{"url": "u", "title": "t", "textSnippet": "s", "startIndex": 0, "endIndex": 5, "rank": 1}],
            "provider": "p",
            "respondedAt": "now",
            "attempts": [],
            "warnings": [],
            "cache": "hit",
            "cache_age_s": 3,
            "untrusted": True,
        },
    )
    assert (answer.citations[0].text_snippet, answer.responded_at, answer.cache) == ("s", "now", CacheState.HIT)


def test_a_sentence_becomes_a_plain_text_and_a_whole_number_a_float() -> None:
    found = decode(RerankResults, {**RANKED, "warnings": [Sentence(ArgumentName("top_n"), " is large")]})
    assert type(found.warnings[0]) is str
    assert found.warnings == ("top_n is large",)
    assert type(found[0].relevance_score) is float


def test_fields_of_a_newer_server_are_ignored_and_optional_ones_have_their_default() -> None:
    found = decode(RerankResults, {**RANKED, "results": [{"index": 0, "relevance_score": 0.5, "new": {}}], "more": 1})
    assert (found[0].document, found[0].relevance_score) == ("", 0.5)


@each_row(
    "value",
    [
        None,
        [],
        "text",
        {},
        {**RANKED, "results": {}},
        {**RANKED, "results": [1]},
        {**RANKED, "results": [{"index": "0", "relevance_score": 0.5}]},
        {**RANKED, "results": [{"index": True, "relevance_score": 0.5}]},
        {**RANKED, "warnings": [None]},
        {**RANKED, "query": None},
    ],
)
def test_another_shape_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        decode(RerankResults, value)


def test_an_unknown_status_is_refused() -> None:
    with pytest.raises(ValueError, match="strange"):
        decode(PageResult, {**to_json(page()), "status": "strange"})
