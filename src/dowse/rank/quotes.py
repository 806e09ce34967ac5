"""The sentences of several pages that answer a question best, as they can be quoted: plain text on one line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dowse.core.text import cut_at_word, without_markup
from dowse.document.cut import GAP
from dowse.document.markdown import Block, BlockKind, Document
from dowse.language.scripts import separate_characters
from dowse.rank.index import Index
from dowse.rank.scoring import merit, scores
from dowse.rank.summary import plain_words, without_item_mark

MOST_CHARS = 800
"""Of all quotes together."""

_MOST_QUOTES = 8
_QUOTE_CHARS = 400
# In bytes of UTF-8, because a character of Chinese says as much as three letters.
_LEAST_BYTES = 20
# What fits less well beside the best one is rarely the answer; `tests/eval/test_quotes.py` counts the answers.
_WORTH_QUOTING = 0.4
# Of two sentences that share so many words of the shorter one, and all of its numbers, the second says nothing new.
_SAME_SHARE = 0.8
# A line of prose that is no sentence says less than one.
_NO_SENTENCE = 0.7
# What announces something else says little, unless it is longer than this.
_ANNOUNCEMENT_BYTES = 60
_QUESTION_MARKS = ("?", "？", "؟")
_CELLS, _ROWS = " | ", "; "
_BORDER = re.compile(r"(?<!\\)\|")
_TITLE = re.compile(r"\A# .{1,500}\n")
_GAP_BETWEEN_ROWS = re.compile(r"(?<=\|)\n\[…\]\n(?=\|)")
_SENTENCE_ENDS = tuple(".!?…。！？｡।؟۔။។")
_CLOSING = " \"'”’»)]*_」』"
# Marks of notes look like the numbers of our sources. In code such as `list[0]` they stand behind a word.
_NOTE_MARKS = re.compile(r"(?<![\w\])])\s{0,3}(?:\[\d{1,3}\]){1,9}")
_WORD = re.compile(r"\w{1,40}")


class Quote(NamedTuple):
    """A sentence or some rows of a table, and which of the texts has them, counted from 0."""

    text: str
    source: int


class _Candidate(NamedTuple):
    quote: Quote
    figure: float
    words: frozenset[str]


def best_quotes(question: str, texts: Sequence[str]) -> list[Quote]:
    """What answers the question, the best first; `texts` are what is shown of pages, as Markdown with marked gaps.

    Empty if nothing has to do with a word of the question.
    """
    found = [candidate for source, text in enumerate(texts) for candidate in _candidates(question, text, source)]
    found.sort(key=lambda candidate: -candidate.figure)
    chosen: list[_Candidate] = []
    left = MOST_CHARS
    for candidate in found:
        if len(chosen) == _MOST_QUOTES or candidate.figure < _WORTH_QUOTING * found[0].figure:
            break
        cost = len(candidate.quote.text)
        if cost <= left and not any(_is_same(candidate.words, other.words) for other in chosen):
            chosen.append(candidate)
            left -= cost
    return [candidate.quote for candidate in chosen]


def _candidates(question: str, text: str, source: int) -> Iterator[_Candidate]:
    text = _GAP_BETWEEN_ROWS.sub("\n", text)
    # Figures compare the sentences of one page; how well the page fits makes them comparable with those of others.
    weight = merit(Index(Document(text), question))
    # The title says of every sentence the same: it must not make up for what they lack themselves.
    index = Index(Document(_TITLE.sub("", text)), question)
    figures = {number: figure for number, figure in enumerate(scores(index, question)) if figure is not None}
    for numbers in _together(index, figures):
        words = _quotable(index, numbers)
        if len(words.encode()) >= _LEAST_BYTES:
            figure = weight * max(figures.get(number, 0.0) for number in numbers)
            figure *= _NO_SENTENCE if _is_fragment(index, numbers[-1]) else 1.0
            yield _Candidate(
                Quote(words, source), figure, frozenset(_WORD.findall(separate_characters(words.casefold())))
            )


def _together(index: Index, figures: Mapping[int, float]) -> Iterator[list[int]]:
    """The pieces that are quoted together: the rows of a table, the best first, or a question and its answer."""
    tables: dict[int, list[int]] = {}
    told: set[int] = set()
    for number in figures:
        block = index.pieces[number].block
        if index.blocks[block].kind is BlockKind.TABLE:
            tables.setdefault(block, []).append(number)
            continue
        answer = number + 1 if _asks(index, number) else number
        if answer not in told:
            told.add(answer)
            yield [answer - 1, answer] if answer and _asks(index, answer - 1) else [answer]
    for rows in tables.values():
        yield sorted(rows, key=lambda number: -figures[number])


def _asks(index: Index, number: int) -> bool:
    """Whether a piece is a question or an announcement, and the next one is what it is about."""
    following = number + 1
    if following >= len(index.pieces) or not index.announces(number) or not index.share_headings(number, following):
        return False
    asked, told = (index.pieces[each].block for each in (number, following))
    # Somebody else answers: in the words of two people, neither would say it.
    if asked != told and index.blocks[told].is_apart:
        return False
    return index.blocks[told].kind not in (BlockKind.TABLE, BlockKind.CODE)


def _quotable(index: Index, numbers: Sequence[int]) -> str:
    """The words of some pieces of one kind; empty for what makes no sense on a line."""
    first, last = index.pieces[numbers[0]], index.pieces[numbers[-1]]
    block = index.blocks[last.block]
    if block.kind is BlockKind.TABLE:
        return _table(index, block, numbers)
    markdown = index.markdown[first.start : last.end]
    if block.kind is BlockKind.CODE:
        return without_markup(markdown) if "\n" not in markdown and len(markdown) <= _QUOTE_CHARS else ""
    if _is_cut(index, numbers[-1]):
        return ""
    words = _NOTE_MARKS.sub("", without_item_mark(plain_words(markdown)))
    words = words.removeprefix(GAP).removesuffix(GAP).strip()
    if index.announces(numbers[-1]) and (words.endswith(_QUESTION_MARKS) or len(words.encode()) < _ANNOUNCEMENT_BYTES):
        return ""
    return words if len(words) <= _QUOTE_CHARS else cut_at_word(words, _QUOTE_CHARS - 1) + "…"


def _table(index: Index, block: Block, numbers: Sequence[int]) -> str:
    """The names of the columns, and in their order as many of the rows as there is room for, the best ones."""
    names = _row(block.opening.partition("\n")[0])
    left = _QUOTE_CHARS - len(names)
    rows: dict[int, str] = {}
    for number in numbers:
        rows[number] = _ROWS.join(map(_row, index.text(number).split("\n")))
        left -= len(_ROWS + rows[number])
        if left < 0:
            del rows[number]
            break
    told = [names] if names.strip(_CELLS) else []
    return _ROWS.join([*told, *(rows[number] for number in sorted(rows))]) if rows else ""


def _row(line: str) -> str:
    cells = _BORDER.split(line.strip())[1:-1]
    return without_markup(_CELLS.join(plain_words(cell.strip()) for cell in cells))


def _is_cut(index: Index, number: int) -> bool:
    """Whether the end of a sentence was left out; items of lists have no full stop that would tell."""
    is_before_gap = number + 1 < len(index.pieces) and index.text(number + 1) == GAP
    return _is_fragment(index, number) and (is_before_gap or index.text(number).endswith(GAP))


def _is_fragment(index: Index, number: int) -> bool:
    """Whether a line of prose does not end like a sentence: names, labels, what was cut off."""
    is_prose = index.blocks[index.pieces[number].block].kind.is_prose
    text = index.text(number).removesuffix(GAP)
    return is_prose and not text.rstrip(_CLOSING).endswith(_SENTENCE_ENDS)


def _is_same(words: frozenset[str], other: frozenset[str]) -> bool:
    shorter, longer = sorted((words, other), key=len)
    shared = shorter & longer
    has_other_numbers = any(word.isdigit() for word in shorter - shared)
    return len(shared) >= _SAME_SHARE * len(shorter) and not has_other_numbers
