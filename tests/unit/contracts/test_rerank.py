"""`rerank` as REST and the Python API have it."""

from __future__ import annotations

import jsonschema
import pytest

from dowse.contracts.dispatch import Answer
from dowse.contracts.rerank import rerank
from dowse.core.errors import InvalidRequest
from dowse.core.runtime import CallContext
from tests.fakes.bench import ContractBench

BRIDGE = "The harbour bridge opened in 1932."
OTTER = "An otter weighs about nine kilograms."


async def call(**given: object) -> Answer:
    return await rerank(ContractBench().services).call(given, CallContext())


async def test_the_whole_typed_answer() -> None:
    answer = await call(query="when did the harbour bridge open", documents=[OTTER, BRIDGE], return_documents=True)
    assert answer.structured is not None
    score = answer.structured["results"][0]["relevance_score"]  # type: ignore[index]  # of a JSON object
    assert 0.5 < score <= 1.0
    assert answer.structured == {
        "query": "when did the harbour bridge open",
        "results": [
            {"index": 1, "relevance_score": score, "document": BRIDGE},
            {"index": 0, "relevance_score": 0.0, "document": OTTER},
        ],
        "warnings": [],
    }
    jsonschema.validate(answer.structured, rerank(ContractBench().services).output_schema())
    assert answer.text == f"{score:.3f} documents[1]\n0.000 documents[0]"


async def test_documents_may_be_objects_and_are_not_repeated_unless_asked_for() -> None:
    answer = await call(query="otter", documents=[{"text": BRIDGE, "id": 7}, {"text": OTTER}], top_k="1")
    assert answer.structured is not None
    ((only),) = answer.structured["results"]  # type: ignore[misc]  # of a JSON object
    assert only["index"] == 1
    assert "document" not in only


async def test_equal_and_blank_documents_are_all_ranked() -> None:
    answer = await call(query="otter", documents=["", OTTER, OTTER, " "])
    assert answer.structured is not None
    assert [each["index"] for each in answer.structured["results"]] == [1, 2, 0, 3]  # type: ignore[attr-defined]  # JSON


async def test_sloppy_values_are_clamped_with_a_note() -> None:
    answer = await call(query="otter", documents=[OTTER], top_n=5000, treshold=1)
    assert answer.structured is not None
    assert answer.structured["warnings"] == [
        'unknown argument "treshold" was ignored.',
        "top_n is at most 1000; 5000 was read as 1000",
    ]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"query": "otter"}, "documents is required."),
        ({"query": "otter", "documents": OTTER}, "documents must be a list of texts."),
        ({"query": "otter", "documents": [1]}, "documents must be a list of texts, or of objects with a text each."),
        (
            {"query": "otter", "documents": [{"title": "x"}]},
            "documents must be a list of texts, or of objects with a text each.",
        ),
        ({"documents": [OTTER]}, "query is required."),
        ({"query": "otter", "documents": [OTTER], "top_n": 0}, "top_n must be a whole number from 1 to 1000, not 0."),
    ],
)
async def test_what_cannot_be_meant_is_refused_in_one_sentence(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        await call(**given)
    assert str(caught.value) == sentence
