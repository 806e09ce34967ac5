"""How often reranking puts the right document first, on paragraphs of articles and of pages in fourteen languages.

`benchmarks/rerank.py` measures BM25 over the same documents; its figures are pinned beside ours.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.rerank import LEAD, all_cases, cases, first_right
from dowse.rank.rerank import score_documents
from tests.eval.test_passages import FLOORS
from tests.realparts import missing
from tools.passages.data import language_pages, squad_file, web_pages

EVERY = 10


@pytest.fixture(scope="module")
def passages() -> Path:
    file = squad_file()
    if not (file.is_file() and (file.parent / "multilingual").is_dir()):
        missing(f"{file.parent} lacks passages; name the folder that holds them in DOWSE_EVAL_DATA")
    return file


def test_the_right_document_is_first_as_often_as_before(passages: Path) -> None:
    asked = list(all_cases(passages, EVERY))
    squad = [each for each in asked if each.set == "squad"]
    assert first_right(score_documents, squad) >= FLOORS["rerank"]["squad"]
    assert first_right(score_documents, asked) >= FLOORS["rerank"]["all"]


def test_the_right_part_of_a_web_page_and_in_each_language_is_first_as_often_as_before() -> None:
    assert first_right(score_documents, list(cases(list(web_pages())))) >= FLOORS["rerank"]["web"]
    assert first_right(score_documents, list(cases(list(language_pages())))) >= FLOORS["rerank"]["languages"]


@pytest.mark.promise("rerank-first")
@pytest.mark.parametrize("name", ["squad", "all"])
def test_the_floors_are_five_points_above_bm25(name: str) -> None:
    assert FLOORS["rerank"][name] >= FLOORS["rerank"]["bm25"][name] + LEAD
