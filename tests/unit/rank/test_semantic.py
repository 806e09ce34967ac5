"""Sentences compared by a table of word vectors; a tiny one stands for the one that the extra brings."""

from __future__ import annotations

import json
from pathlib import Path

import numpy
import pytest

from dowse.rank import semantic
from dowse.rank.semantic import SentenceVectors, read_table

WORDS = ["heavy", "weight", "rain", "wet"]
# The first two mean nearly the same, and so do the last two.
TABLE = numpy.array([[1.0, 0.1], [1.0, 0.2], [0.1, 1.0], [0.2, 1.0]], dtype=numpy.float16)


def pieces(text: str) -> list[int]:
    return [WORDS.index(word) for word in text.split() if word in WORDS]


def safetensors(table: numpy.ndarray, kind: str) -> bytes:
    tensor = {"dtype": kind, "shape": list(table.shape), "data_offsets": [0, table.nbytes]}
    header = json.dumps({"embedding.weight": tensor}).encode()
    return len(header).to_bytes(8, "little") + header + table.tobytes()


def test_the_sentence_that_means_the_same_is_closest() -> None:
    alike, other, neither = SentenceVectors(TABLE, pieces).scores(
        "how heavy", ["its weight", "rain and wet", "says nothing"]
    )
    assert alike > 0.9 > 0.5 > other > neither == 0.0


def test_each_of_many_sentences_has_its_score() -> None:
    """They are compared a few hundred at a time."""
    sentences = ["weight", "rain"] * 400
    scores = SentenceVectors(TABLE, pieces).scores("heavy", sentences)
    assert len(scores) == len(sentences)
    assert len(set(scores[::2])) == len(set(scores[1::2])) == 1


@pytest.mark.parametrize(("kind", "type_"), [("F16", numpy.float16), ("F32", numpy.float32)])
def test_the_table_is_read_as_it_was_written(tmp_path: Path, kind: str, type_: type) -> None:
    file = tmp_path / "table.safetensors"
    file.write_bytes(safetensors(TABLE.astype(type_), kind))
    assert numpy.array_equal(read_table(file), TABLE)


def test_a_question_in_another_script_is_left_to_its_words() -> None:
    """The table was made for English; with it, Japanese answers were found less often than without."""
    assert semantic.scores("機械の重さは", ["重さは9キロです。", "雨だった。"]) == [0.0, 0.0]


def test_a_page_as_long_as_a_book_is_left_to_its_words() -> None:
    assert semantic.scores("heavy", ["word " * 1000] * 100) == [0.0] * 100
