"""The extra `semantic`: whether it is installed, and the files of its package that are read."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest

from dowse.rank import semantic

TABLE = numpy.array([[1.0, 0.1], [1.0, 0.2], [0.1, 1.0]], dtype=numpy.float16)
TOKENIZERS = """
class Tokenizer:
    @classmethod
    def from_file(cls, path):
        with open(path) as file:
            assert file.read() == "{}"
        return cls()

    def encode(self, text, add_special_tokens):
        assert not add_special_tokens
        self.ids = [["heavy", "weight", "rain"].index(word) for word in text.split()]
        return self
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where packages are found before those of the machine, which may have the extra or not."""
    for name in ("wordllama", "tokenizers"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("tokenizers", None)


def install(packages: Path) -> None:
    (packages / "tokenizers" / "__init__.py").write_text(TOKENIZERS)
    for file in (semantic._TABLE, semantic._TOKENIZER):
        (packages / "wordllama" / file).parent.mkdir()
    (packages / "wordllama" / semantic._TOKENIZER).write_text("{}")
    tensor = {"dtype": "F16", "shape": list(TABLE.shape), "data_offsets": [0, TABLE.nbytes]}
    header = json.dumps({"embedding.weight": tensor}).encode()
    whole = len(header).to_bytes(8, "little") + header + TABLE.tobytes()
    (packages / "wordllama" / semantic._TABLE).write_bytes(whole)


def test_the_extra_is_available_once_its_table_and_tokenizer_are_there(packages: Path) -> None:
    before = semantic.available()
    install(packages)
    assert (before, semantic.available()) == (False, True)


def test_sentences_are_scored_by_the_files_of_the_package(packages: Path) -> None:
    install(packages)
    alike, other = semantic.scores("heavy", ["weight", "rain"])
    assert alike > 0.9 > 0.5 > other


def test_without_the_package_nothing_is_available_and_scoring_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "wordllama", raising=False)

    assert not semantic.available()
    with pytest.raises(ModuleNotFoundError, match="wordllama"):
        semantic.scores("heavy", ["weight"])
