"""Reranking: the document that answers is first, in any language, and every document has a score from 0 to 1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.rank.rerank import Documents, score_documents

BRIDGE = "The harbour bridge opened in 1932, after eight years of work."
OTTER = "An otter weighs about nine kilograms."
KETTLE = "Kettles boil water in two minutes."


def best(query: str, documents: list[str]) -> int:
    scores = score_documents(query, documents)
    return max(range(len(scores)), key=scores.__getitem__)


def test_the_document_that_answers_is_first_and_unrelated_ones_have_no_score() -> None:
    scores = score_documents("when did the harbour bridge open?", [KETTLE, OTTER, BRIDGE])
    assert scores[0] == scores[1] == 0.0
    assert 0.9 < scores[2] <= 1.0


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("wie schwer ist ein Otter?", "Ein Otter wiegt etwa neun Kilogramm.", "Ein Kessel kocht Wasser."),
        ("когда открылся мост?", "Мост открыли в 1932 году.", "Выдра весит девять килограммов."),
        ("大桥什么时候开通？", "大桥于一九三二年开通。", "水獭体重约九公斤。"),
        ("橋はいつ開通しましたか", "橋は1932年に開通した。", "カワウソの体重は約九キロです。"),
        ("متى افتتح الجسر؟", "افتتح الجسر عام 1932.", "يزن ثعلب الماء تسعة كيلوغرامات."),
        ("पुल कब खुला?", "पुल 1932 में खुला।", "ऊदबिलाव का वज़न नौ किलो होता है।"),
        ("สะพานเปิดเมื่อไร", "สะพานเปิดในปี 1932", "นากมีน้ำหนักประมาณเก้ากิโลกรัม"),
    ],
)
def test_the_right_document_is_first_in_any_language(query: str, right: str, wrong: str) -> None:
    assert best(query, [wrong, right]) == 1
    assert best(query, [right, wrong]) == 0


def test_scores_of_different_calls_compare_by_the_share_of_the_query_that_is_covered() -> None:
    query = "weight of an adult otter in winter"
    (whole,) = score_documents(query, ["In winter the weight of an adult otter is nine kilograms."])
    (part,) = score_documents(query, [OTTER])
    assert 0.0 < part < 0.6 < whole


def test_a_heading_in_one_document_does_not_stand_above_the_next() -> None:
    alone = score_documents("otter weight", ["They swim well.", KETTLE])
    headed = score_documents("otter weight", ["They swim well.\n\n# Otter weight", KETTLE])
    assert alone == [0.0, 0.0]
    assert headed[0] > 0.0 == headed[1]


def test_a_document_of_code_fences_and_tables_is_one_block() -> None:
    documents = ["```\nunclosed", "| a | b |\n| - | - |\n| otter | 9 |", "- item\n\n- otter"]
    joined = Documents.join(documents)
    assert [joined.text[block.start : block.end] for block in joined.blocks] == documents


@pytest.mark.parametrize("documents", [[], [""], ["", " ", "\n\n"], ["???", "\x00"]])
def test_documents_without_words_have_no_score(documents: list[str]) -> None:
    assert score_documents("otter", documents) == [0.0] * len(documents)


def test_a_query_without_words_gives_no_score() -> None:
    assert score_documents("?!", [OTTER, BRIDGE]) == [0.0, 0.0]


def test_the_same_documents_have_the_same_score_wherever_they_stand() -> None:
    scores = score_documents("otter", [OTTER, KETTLE, OTTER])
    assert scores[0] == scores[2] > scores[1]


@given(st.text(max_size=60), st.lists(st.text(max_size=80), max_size=6))
def test_every_document_has_a_score_between_0_and_1(query: str, documents: list[str]) -> None:
    scores = score_documents(query, documents)
    assert len(scores) == len(documents)
    assert all(0.0 <= score <= 1.0 for score in scores)
