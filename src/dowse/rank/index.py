"""A page in pieces, and how often each of them has the words of a question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import NamedTuple

from dowse.document.markdown import Block, Document
from dowse.language.detection import detect_language
from dowse.language.words import choose_splitter, split_question
from dowse.rank.sentences import pieces
from dowse.rank.terms import Terms

# More than any page has that somebody wrote; what a hostile one has beyond is not looked at.
_MOST_PIECES = 100_000
# So many words tell the language of a page.
_SAMPLE_WORDS = 400
_ANNOUNCING = (":", "?", "：", "？", "か。")

Counts = Mapping[int, float]
"""For words of the question, by their numbers, how often they are there; what stands for a word counts less."""

NO_WORDS: Counts = {}


class Piece(NamedTuple):
    """A sentence, row or some lines from `start` to `end`; `block` is the place of its block among the others."""

    block: int
    start: int
    end: int


class Index:
    """The pieces of a page, what is found of the question in each of them, and how many words they have."""

    def __init__(self, document: Document, question: str) -> None:
        self.markdown = markdown = document.text
        self.blocks = document.blocks
        self.pieces = list(islice(self._pieces(), _MOST_PIECES))
        split = choose_splitter(f"{question}\n{markdown}")
        words = [split(markdown[start:end]) for _, start, end in self.pieces]
        above = {line: split(line) for line in {line for block in self.blocks for line in _lines_above(block)}}
        asked = split_question(question, split)
        sample = [*asked, *islice(chain.from_iterable(words), _SAMPLE_WORDS)]
        self.terms = Terms(asked, detect_language(sample))
        self._matches = self.terms.matches(set().union(*words, *above.values()))
        self.lengths = list(map(len, words))
        self.found = list(map(self._counts, words))
        self._found_above = {line: self._counts(line_words) for line, line_words in above.items()}

    def above(self, block: Block) -> Counts:
        """What the headings of a block have, and those of the columns of a table."""
        if not block.headings and not block.opening:
            return NO_WORDS
        counts: dict[int, float] = {}
        for line in _lines_above(block):
            for term, count in self._found_above[line].items():
                counts[term] = counts.get(term, 0.0) + count
        return counts

    def text(self, number: int) -> str:
        """A piece as it is on the page."""
        _, start, end = self.pieces[number]
        return self.markdown[start:end]

    def is_line(self, number: int) -> bool:
        """Whether a piece begins a line."""
        start = self.pieces[number].start
        return not start or self.markdown[start - 1] == "\n"

    def indent(self, number: int) -> int:
        """How many blanks are before the text of a piece."""
        text = self.text(number)
        return len(text) - len(text.lstrip(" "))

    def announces(self, number: int) -> bool:
        """Whether a piece is a question or ends with a colon: what it is about comes next."""
        _, start, end = self.pieces[number]
        return self.markdown[max(start, end - 6) : end].rstrip("*_ ").endswith(_ANNOUNCING)

    def share_headings(self, one: int, other: int) -> bool:
        """Whether two pieces stand under the same headings."""
        return self.blocks[self.pieces[one].block].headings == self.blocks[self.pieces[other].block].headings

    def _pieces(self) -> Iterator[Piece]:
        for number, block in enumerate(self.blocks):
            for start, end in pieces(self.markdown, block):
                yield Piece(number, start, end)

    def _counts(self, words: Iterable[str]) -> Counts:
        matches = self._matches
        counts: dict[int, float] = {}
        # Most words are none of the question, and are passed over without a step of the interpreter.
        for word in filter(matches.__contains__, words):
            term, strength = matches[word]
            counts[term] = counts.get(term, 0.0) + strength
        return counts or NO_WORDS


def _lines_above(block: Block) -> Iterator[str]:
    for heading in block.headings:
        yield heading.line
    if block.opening:
        yield block.opening
