"""Index of a page for one question: its pieces, and the terms of the question that each of them contains."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from dowse.document.markdown import Block
from dowse.language.detection import detect_language
from dowse.language.scripts import strip_accents
from dowse.language.stopwords import COMMON, ENGLISH, STOP_WORDS
from dowse.language.words import choose_splitter, load_stemmer, split_question
from dowse.rank.sentences import split_block

# Beyond any real page; the rest of a hostile one is not indexed.
_MAX_PIECES = 100_000
# Words of the page that are enough to detect its language.
_SAMPLE_WORDS = 400
_ANNOUNCING = (":", "?", "：", "？", "か。")
# Beyond any real question; more terms only take time.
_MAX_TERMS = 64
# Words that differ in these first characters are not compared.
_PREFIX = 2
# The strength of a synonym: cost and price, begin and began.
_SYNONYM = 0.45
# Words with a common beginning may be of one family: colony and colonial, invade and invasion.
_FAMILY_PREFIX = 4
_FAMILY_SHARE, _FAMILY_CHARS = 0.6, 5
_FAMILY = 0.3
# A term that is not on the page may be spelled otherwise there, or be part of a longer word: fibre, colour, e-book.
_SPELLED_ALIKE = 0.5
_ALIKE_SHARE, _ALIKE_CHARS = 0.75, 5
_PART_CHARS = 4
# Weights of a term before its rarity on the page is known.
_COMMON, _SINGLE, _CODE = 0.6, 0.7, 1.3
_HAS_DIGIT = re.compile(r"\d")
_SYNONYMS_FILE = Path(__file__).with_name("synonyms.txt")

Counts = Mapping[int, float]
"""How often each term of the question occurs, by the number of the term; a weaker match counts less than 1."""

NO_WORDS: Counts = {}


class Piece(NamedTuple):
    """A sentence, row or some lines of code from `start` to `end`, in the block of that index."""

    block: int
    start: int
    end: int


class Blocks(Protocol):
    """A text and its blocks: a page, or documents that are compared with each other."""

    @property
    def text(self) -> str: ...

    @property
    def blocks(self) -> tuple[Block, ...]: ...


class Index:
    """The pieces of a page, the terms of the question found in each of them, and their lengths in words."""

    def __init__(self, document: Blocks, question: str) -> None:
        self.markdown = markdown = document.text
        self.blocks = document.blocks
        self.pieces = list(islice(self._pieces(), _MAX_PIECES))
        split = choose_splitter(f"{question}\n{markdown}")
        # One object for each word, however often it occurs: the words of a book would take hundreds of megabytes.
        unique: dict[str, str] = {}
        words = [
            list(map(unique.setdefault, found, found))
            for found in (split(markdown[start:end]) for _, start, end in self.pieces)
        ]
        above = {line: split(line) for line in set(chain.from_iterable(map(_lines_above, self.blocks)))}
        asked = split_question(question, split)
        sample = [*asked, *islice(chain.from_iterable(words), _SAMPLE_WORDS)]
        self.terms = Terms(asked, detect_language(sample))
        self._matches = self.terms.matches(unique.keys() | set().union(*above.values()))
        self.lengths = list(map(len, words))
        self.found = list(map(self._counts, words))
        self._found_above = {line: self._counts(line_words) for line, line_words in above.items()}

    def above(self, block: Block) -> Counts:
        """The terms in the headings above a block and in the header of a table."""
        if not block.headings and not block.opening:
            return NO_WORDS
        counts: dict[int, float] = {}
        for line in _lines_above(block):
            for term, count in self._found_above[line].items():
                counts[term] = counts.get(term, 0.0) + count
        return counts

    def title(self) -> Counts:
        """The terms in the first heading of the page."""
        heading = self.blocks[0].headings[0].line if self.blocks and self.blocks[0].headings else ""
        return self._found_above.get(heading, NO_WORDS)

    def without_title(self) -> Self:
        """The same index, in which no block stands below the first heading of the page."""
        title = self.blocks[0].headings[:1] if self.blocks else ()
        index = copy(self)
        index.blocks = tuple(
            replace(block, headings=block.headings[1:]) if title and block.headings[:1] == title else block
            for block in self.blocks
        )
        return index

    def text(self, number: int) -> str:
        """The Markdown of a piece."""
        _, start, end = self.pieces[number]
        return self.markdown[start:end]

    def is_line(self, number: int) -> bool:
        """Whether a piece begins a line."""
        start = self.pieces[number].start
        return not start or self.markdown[start - 1] == "\n"

    def indent(self, number: int) -> int:
        """The number of spaces before the text of a piece."""
        text = self.text(number)
        return len(text) - len(text.lstrip(" "))

    def announces(self, number: int) -> bool:
        """Whether a piece is a question or ends with a colon, so that the next piece belongs to it."""
        _, start, end = self.pieces[number]
        return self.markdown[max(start, end - 6) : end].rstrip("*_ ").endswith(_ANNOUNCING)

    def share_headings(self, one: int, other: int) -> bool:
        """Whether two pieces stand under the same headings."""
        return self.blocks[self.pieces[one].block].headings == self.blocks[self.pieces[other].block].headings

    def _pieces(self) -> Iterator[Piece]:
        for number, block in enumerate(self.blocks):
            for start, end in split_block(self.markdown, block):
                yield Piece(number, start, end)

    def _counts(self, words: Iterable[str]) -> Counts:
        matches = self._matches
        counts: dict[int, float] = {}
        # Most words do not match: `filter` skips them without a step of the interpreter.
        for word in filter(matches.__contains__, words):
            term, strength = matches[word]
            # Many weak matches are no stronger than one.
            counts[term] = counts.get(term, 0.0) + strength if strength == 1.0 else max(counts.get(term, 0.0), strength)
        return counts or NO_WORDS


def _lines_above(block: Block) -> Iterator[str]:
    for heading in block.headings:
        yield heading.line
    if block.opening:
        yield block.opening


class Match(NamedTuple):
    """The term that a word of the page matches, and how well."""

    term: int
    strength: float


class Terms:
    """The terms of a question, numbered: its words without stop words, unless it has no others."""

    def __init__(self, words: Sequence[str], language: str) -> None:
        self.language = language
        small = ENGLISH | STOP_WORDS.get(language, frozenset())
        telling = [word for word in words if word not in small] or list(words)
        by_key: dict[str, str] = {}
        for word, key in zip(telling, self._keys(telling), strict=True):
            by_key.setdefault(key, word)
        self.words = tuple(by_key.values())[:_MAX_TERMS]
        self.weights = tuple(map(_weight, self.words))
        self._numbers = {key: number for number, key in enumerate(list(by_key)[:_MAX_TERMS])}

    def matches(self, vocabulary: Collection[str]) -> dict[str, Match]:
        """The words of a page that match a term."""
        found = self._match_forms(vocabulary)
        on_page = {match.term for match in found.values() if match.strength == 1.0}
        for number, term in enumerate(self.words):
            if number not in on_page:
                match = Match(number, _SPELLED_ALIKE)
                found.update((word, match) for word in _find_alike(term, vocabulary) if word not in found)
        return found

    def _match_forms(self, vocabulary: Collection[str]) -> dict[str, Match]:
        """Words of the same stem as a term, of a synonym's, or of the term's family."""
        keys = self._synonyms() | {key: Match(number, 1.0) for key, number in self._numbers.items()}
        prefixes = {word[:_PREFIX] for word in (*keys, *self.words)}
        # Most words of a page have another prefix: these are not stemmed.
        near = [word for word in vocabulary if word[:_PREFIX] in prefixes or not word.isascii()]
        families = self._families()
        found: dict[str, Match] = {}
        for word, key in zip(near, self._keys(near), strict=True):
            if key in keys:
                found[word] = keys[key]
            elif match := _match_family(word, families.get(word[:_FAMILY_PREFIX], ())):
                found[word] = match
        return found

    def _keys(self, words: Sequence[str]) -> list[str]:
        """The common key of all forms of a word."""
        return make_keys(words, self.language)

    def _synonyms(self) -> dict[str, Match]:
        related = load_synonyms(self.language)
        return {
            other: Match(number, _SYNONYM) for key, number in self._numbers.items() for other in related.get(key, ())
        }

    def _families(self) -> dict[str, list[tuple[int, str]]]:
        """The terms by their prefix."""
        families: dict[str, list[tuple[int, str]]] = {}
        for number, word in enumerate(self.words):
            if len(word) >= _FAMILY_PREFIX:
                families.setdefault(word[:_FAMILY_PREFIX], []).append((number, word))
        return families


def _match_family(word: str, family: Sequence[tuple[int, str]]) -> Match | None:
    for number, term in family:
        shared = _common_prefix(word, term)
        if shared >= _FAMILY_CHARS or shared >= _FAMILY_SHARE * max(len(word), len(term)):
            return Match(number, _FAMILY)
    return None


def _find_alike(term: str, vocabulary: Collection[str]) -> Iterator[str]:
    """Words that contain a term or are contained in it, or differ from it in a letter or two."""
    size = len(term)
    if size < _ALIKE_CHARS or not term.isalpha():
        return
    parts = {term[:end] for end in range(_PART_CHARS, size)} | {term[at:] for at in range(1, size - _PART_CHARS)}
    for word in vocabulary:
        if word in parts or term in word or _is_alike(term, word):
            yield word


def _is_alike(term: str, word: str) -> bool:
    """Whether a word differs in little between a common prefix and a common suffix, or in the order of letters."""
    if word[0] != term[0] or abs(len(word) - len(term)) > 2 or len(word) < _PART_CHARS:
        return False
    same, longest = _common_prefix(term, word) + _common_prefix(term[::-1], word[::-1]), max(len(term), len(word))
    return (longest > _ALIKE_CHARS and same >= _ALIKE_SHARE * longest) or sorted(term) == sorted(word)


def _common_prefix(one: str, other: str) -> int:
    """The length of the common prefix of two words."""
    for count, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return count
    return min(len(one), len(other))


def _weight(word: str) -> float:
    if word in COMMON:
        return _COMMON
    if len(word) == 1 and not word.isascii():
        return _SINGLE
    return _CODE if _HAS_DIGIT.search(word) else 1.0


def make_keys(words: Sequence[str], language: str) -> list[str]:
    """The common key of all forms of each word."""
    return [stem if stem.isascii() else strip_accents(stem) for stem in load_stemmer(language)(words)]


@cache
def load_synonyms(language: str) -> dict[str, frozenset[str]]:
    """The keys of the synonyms of a word's key, from the groups of this language in `synonyms.txt`."""
    _, _, section = _SYNONYMS_FILE.read_text(encoding="utf-8").partition(f"\n[{language}]\n")
    related: dict[str, set[str]] = defaultdict(set)
    for line in takewhile(lambda line: not line.startswith("["), section.splitlines()):
        keys = make_keys(line.split(), language)
        for one in keys:
            related[one].update(keys)
    return {one: frozenset(others - {one}) for one, others in related.items()}
