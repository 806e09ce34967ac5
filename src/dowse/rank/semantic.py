"""Semantic similarity of sentences and a question, by a table of word vectors: the extra `semantic`.

The package `wordllama` carries the table (32,000 pieces of words, 256 figures each) and the tokenizer that belongs to
it. The two files are read directly: the package itself would ask a server for one of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy

    Vectors = numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float32]]

_CARRIER = "wordllama"
_TABLE = Path("weights", "l2_supercat_256.safetensors")
_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_TENSOR = "embedding.weight"
# No real sentence is longer; the rest is ignored.
_SENTENCE_CHARS = 2000
# A book is ranked by its words only: vectors would take seconds.
_PAGE_CHARS = 400_000
_AT_ONCE = 256
_LATIN_END = "\u0250"


def available() -> bool:
    """Whether the extra is installed."""
    folder = _folder()
    if not folder or not find_spec("tokenizers"):
        return False
    return (folder / _TABLE).is_file() and (folder / _TOKENIZER).is_file()


def scores(question: str, sentences: Sequence[str]) -> list[float]:
    """The cosine of each sentence and the question; all zero where the table does not help."""
    if not _is_latin(question) or sum(map(len, sentences)) > _PAGE_CHARS:
        return [0.0] * len(sentences)
    folder = _folder()
    if not folder:
        raise ModuleNotFoundError(_CARRIER)
    return _load_vectors(folder).scores(question, sentences)


class SentenceVectors:
    """Vectors of pieces of words. The vector of a text is the mean of its pieces."""

    def __init__(self, table: Vectors, pieces: Callable[[str], list[int]]) -> None:
        self._table = table
        self._pieces = pieces

    def scores(self, question: str, sentences: Sequence[str]) -> list[float]:
        """The cosine of each sentence and the question."""
        asked = self._vectors([question])[0]
        found: list[float] = []
        for start in range(0, len(sentences), _AT_ONCE):
            found += (self._vectors(sentences[start : start + _AT_ONCE]) @ asked).tolist()
        return found

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 for each text; zero for one without pieces."""
        import numpy

        pieces = [self._pieces(text[:_SENTENCE_CHARS]) for text in texts]
        sums = numpy.zeros((len(texts), self._table.shape[1]), dtype=numpy.float32)
        counts = numpy.array(list(map(len, pieces)))
        if counts.any():
            rows = self._rows(list(chain.from_iterable(pieces)))
            starts = numpy.cumsum(counts) - counts
            sums[counts > 0] = numpy.add.reduceat(rows, starts[counts > 0])
        lengths = numpy.linalg.norm(sums, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        found: Vectors = sums / lengths
        return found

    def _rows(self, pieces: Sequence[int]) -> Vectors:
        """The vector of each piece; a repeated one is read and widened once."""
        import numpy

        different, places = numpy.unique(numpy.array(pieces), return_inverse=True)
        wide: Vectors = self._table[different].astype(numpy.float32)
        found: Vectors = wide[places]
        return found


@cache
def _load_vectors(folder: Path) -> SentenceVectors:
    """The vectors of the package; cached, because reading the tokenizer takes longer than a page."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))

    def pieces(text: str) -> list[int]:
        found: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return found

    return SentenceVectors(read_table(folder / _TABLE), pieces)


def read_table(file: Path) -> Vectors:
    """The one table of a safetensors file, memory-mapped: workers share it, and most of it is never read."""
    import numpy

    with file.open("rb") as opened:
        header_bytes = int.from_bytes(opened.read(8), "little")
        tensor = json.loads(opened.read(header_bytes))[_TENSOR]
    kind = {"F16": numpy.float16, "F32": numpy.float32}[tensor["dtype"]]
    start = 8 + header_bytes + tensor["data_offsets"][0]
    return numpy.memmap(file, dtype=kind, mode="r", offset=start, shape=tuple(tensor["shape"]))


def _is_latin(text: str) -> bool:
    """Whether most letters are Latin: of other scripts the table has only single letters, which mean nothing."""
    letters = list(filter(str.isalpha, text))
    return 2 * sum(letter < _LATIN_END for letter in letters) > len(letters)


def _folder() -> Path | None:
    """The folder of the package, found without importing it."""
    spec = find_spec(_CARRIER)
    return Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else None
