"""A program that uses the Python API, for the type checker: `make types` proves what calls take and what they give."""

from __future__ import annotations

from datetime import date
from typing import assert_type

from dowse import (
    AnswerResult,
    AsyncClient,
    Client,
    ExtractResult,
    PageResult,
    PageResults,
    Passage,
    RerankResult,
    RerankResults,
    SearchResult,
    SearchResults,
)
from dowse.errors import DowseError, LimitReached


def synchronous(client: Client) -> None:
    found = client.search("otters", num_results=2, start_date=date(2026, 1, 31), include_domains=["example.org"])
    assert_type(found, SearchResults)
    assert_type(found[0], SearchResult)
    assert_type([result.passages for result in found], list[tuple[Passage, ...]])
    assert_type(client.read("https://example.org/", question="how heavy?"), PageResult)
    assert_type(client.read_many(["https://example.org/"]), PageResults)
    assert_type(client.answer("how heavy is an otter?", freshness_hours=24), AnswerResult)
    assert_type(client.extract(b"<p>Otters</p>", url="https://example.org/"), ExtractResult)
    ranked = client.rerank("otter", ["a", {"text": "b"}], top_n=1)
    assert_type(ranked, RerankResults)
    assert_type(list(ranked), list[RerankResult])
    assert_type(ranked[0].relevance_score, float)


async def asynchronous() -> None:
    async with AsyncClient(serper_api_key="x", deadline_s=20) as client:
        assert_type(await client.search("otters"), SearchResults)
        assert_type(await client.answer("how heavy is an otter?"), AnswerResult)


def refused_by_the_checker(client: Client, found: SearchResults) -> None:
    client.search("otters", num_result=2)  # type: ignore[call-arg]  # an unknown argument
    client.search(5)  # type: ignore[arg-type]  # not a text
    client.search("otters", 3)  # type: ignore[call-arg]  # options are keyword-only
    found.query = "other"  # type: ignore[misc]  # frozen
    for _ in client.answer("how heavy is an otter?"):  # type: ignore[attr-defined]  # one answer
        pass


def failures(client: Client) -> float:
    try:
        client.search("otters")
    except LimitReached as error:
        return error.retry_after_s
    except DowseError:
        return 0.0
    return 0.0
