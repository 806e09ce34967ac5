"""Results as text, and the places of their passages."""

from __future__ import annotations

from dowse.core.models import CacheState, Stats, Status
from dowse.surfaces.python.results import (
    AnswerResult,
    ExtractResult,
    PageResult,
    PageResults,
    Passage,
    RerankResult,
    RerankResults,
    SearchResult,
    SearchResults,
)
from tests.support.tables import each_row

URL = "https://example.org/otters"


def result(text: str = "# Otters\n\nThey swim.", **more: object) -> SearchResult:
    fields: dict[str, object] = {
        "title": "Otters",
        "link": URL,
        "snippet": "A snippet.",
        "page_content": text,
        "status": Status.OK,
        "engine": "serper",
        "score": 1.0,
        "published": "",
        "word_count": 3,
        "fetch_time_ms": 1,
        "summary": "",
        "cache": CacheState.MISS,
        "cache_age_s": 0,
        **more,
    }
    return SearchResult(**fields)  # type: ignore[arg-type]  # of a table


def results(*found: SearchResult, **more: object) -> SearchResults:
    fields: dict[str, object] = {
        "query": "otters",
        "engine": "serper",
        "results": found,
        "attempts": (),
        "warnings": (),
        "stats": Stats(),
        "cache": CacheState.MISS,
        "cache_age_s": 0,
        **more,
    }
    return SearchResults(**fields)  # type: ignore[arg-type]  # of a table


def page(text: str = "Text.", **more: object) -> PageResult:
    fields: dict[str, object] = {
        "url": URL,
        "final_url": URL,
        "title": "Otters",
        "page_content": text,
        "status": Status.OK,
        "engine": "direct",
        "attempts": (),
        "warnings": (),
        "total_tokens": 1,
        "next_cursor": "",
        "cache": CacheState.MISS,
        "cache_age_s": 0,
        **more,
    }
    return PageResult(**fields)  # type: ignore[arg-type]  # of a table


@each_row(
    ("text", "passages"),
    [
        ("", []),
        ("One.", ["One."]),
        ("# T\n\nOne.\n\n[…]\n\nTwo. […] Three.\n\n[…]", ["# T\n\nOne.", "Two.", "Three."]),
        ("[…]\n\n[…]\n\nOne.\n\n[…]One.", ["One.", "One."]),
    ],
)
def test_passages_are_between_the_gaps_and_know_their_places(text: str, passages: list[str]) -> None:
    found = result(text, anchors=("b1",)).passages
    assert [each.text for each in found] == passages
    assert all(text[each.start : each.end] == each.text for each in found)
    assert [each.start for each in found] == sorted({each.start for each in found})


def test_a_page_that_is_shown_whole_is_one_passage_whatever_stands_in_it() -> None:
    assert page("It ends so […] and goes on.").passages == (Passage("It ends so […] and goes on.", 0, 27),)


def test_a_note_in_place_of_a_page_is_no_passage() -> None:
    assert page("_Failed_", status=Status.NOT_FOUND).passages == ()
    assert result("_Failed_", status=Status.BLOCKED).passages == ()


def test_a_search_is_printed_with_numbers_addresses_and_notes() -> None:
    found = results(
        result(summary="They\nswim."), result("_Failed_", title="B\x1b[31m", status=Status.BLOCKED), warnings=("w",)
    )
    assert str(found) == (
        "otters: 2 results from serper\n\n"
        f"1. Otters\n   {URL}\n   They swim.\n\n"
        f"2. B[31m\n   {URL}\n   A snippet.\n   (blocked)\n\n"
        "note: w"
    )


def test_results_are_a_sequence_and_an_empty_search_is_still_true() -> None:
    first, second = result(), result(title="B")
    found = results(first, second)
    assert (len(found), list(found), found[1]) == (2, [first, second], second)
    assert results()
    assert str(results()) == "otters: 0 results from serper"


def test_pages_are_printed_below_their_addresses() -> None:
    assert str(page(warnings=("old",))) == f"Otters\n{URL}\n\nText.\n\nnote: old"
    both = PageResults(results=(page(), page(title="")), warnings=())
    assert str(both) == f"Otters\n{URL}\n\nText.\n\n{URL}\n\nText."
    assert (len(both), list(both), both[0]) == (2, [page(), page(title="")], page())


def test_an_answer_is_printed_with_its_sources() -> None:
    from dowse.contracts.output import CitationOutput

    cited = [
        CitationOutput(url=URL, title="", text_snippet="", start_index=0, end_index=1, rank=rank) for rank in (1, 2)
    ]
    answer = AnswerResult(
        text="Nine.",
        citations=tuple(cited),
        provider="openai",
        responded_at="",
        attempts=(),
        warnings=("w",),
        cache=CacheState.MISS,
        cache_age_s=0,
    )
    assert str(answer) == f"Nine.\n\n1. {URL}\n\nnote: w"


def test_extracted_and_ranked_documents_are_printed() -> None:
    extracted = ExtractResult(
        url="", title="", page_content="# A", status=Status.OK, warnings=(), word_count=1, total_tokens=1
    )
    assert str(extracted) == "# A"
    ranked = RerankResult(index=1, relevance_score=0.5, document="An\notter.")
    found = RerankResults(query="q", results=(ranked,), warnings=())
    assert str(found) == "0.500  An otter."
    assert (len(found), list(found), found[0]) == (1, [ranked], ranked)
