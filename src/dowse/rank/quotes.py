"""Extractive answers: the sentences of several pages that answer a question best, quoted with their sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dowse.core import urls
from dowse.core.answers import EXTRACTIVE, Citation, CitedAnswer
from dowse.core.text import cut_at_word, without_markup
from dowse.document.cut import GAP
from dowse.document.markdown import Block, BlockKind, Document
from dowse.language.scripts import separate_characters
from dowse.rank.index import Index
from dowse.rank.scoring import score_page, score_pieces
from dowse.rank.summary import strip_item_mark, strip_syntax

MOST_CHARS = 800
"""The limit of all quotes together."""

_MOST_QUOTES = 8
_QUOTE_CHARS = 400
# In bytes of UTF-8, because a character of Chinese says as much as three letters.
_LEAST_BYTES = 20
# Below this share of the best score a sentence is rarely the answer; `tests/eval/test_quotes.py` counts the answers.
_WORTH_QUOTING = 0.4
# A sentence is a repetition if it shares so many words of the shorter one, and all of its numbers.
_SAME_SHARE = 0.8
# The factor for a line of prose that is not a sentence.
_NO_SENTENCE = 0.7
# A shorter announcement of another sentence says little.
_ANNOUNCEMENT_BYTES = 60
_QUESTION_MARKS = ("?", "？", "؟")
_CELLS, _ROWS = " | ", "; "
_BORDER = re.compile(r"(?<!\\)\|")
_TITLE = re.compile(r"\A# .{1,500}\n")
_GAP_BETWEEN_ROWS = re.compile(r"(?<=\|)\n\[…\]\n(?=\|)")
_SENTENCE_ENDS = tuple(".!?…。！？｡।؟۔။។")
_CLOSING = " \"'”’»)]*_」』"
# Marks of notes look like the numbers of our sources. Behind a word they are code such as `list[0]`.
_NOTE_MARKS = re.compile(r"(?<![\w\])])\s{0,3}(?:\[\d{1,3}\]){1,9}")
_WORD = re.compile(r"\w{1,40}")
QUOTED = "Quoted from the pages found; no model wrote this."
QUOTED_SNIPPETS = (
    "Quoted from the snippets of the search engine, because the pages could not be read; no model wrote this."
)
NOTHING_QUOTED = "No sentence of the pages found has to do with the words of the question; no model wrote this."
_TITLE_CHARS = 200
# A bracketed number behind a quotation mark looks like the number of a source.
_FORGED = re.compile(r"""(?<=["”“»«])(?:\s{0,9}[\[［【][\s\d,;–-]{1,99}[\]］】])+""")


class Quote(NamedTuple):
    """A sentence or some rows of a table, and the index of its text."""

    text: str
    source: int


class _Candidate(NamedTuple):
    quote: Quote
    figure: float
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Material:
    """A page to quote from: its passages for the question as Markdown, and the day of its publication if known."""

    url: str
    title: str
    text: str = ""
    published: str = ""


def compose_quotes(question: str, pages: Sequence[Material], opening: str = QUOTED) -> CitedAnswer:
    """The best sentences, one on a line, then their sources in the order of the quotes.

    If no sentence matches the question, the pages are listed.
    """
    quotes = find_quotes(question, [page.text for page in pages])
    if not quotes:
        return _compose_sources(NOTHING_QUOTED, pages)
    numbers = {source: number for number, source in enumerate(dict.fromkeys(quote.source for quote in quotes), 1)}
    text, citations = f"{opening}\n", []
    for quote in quotes:
        page, rank, words = pages[quote.source], numbers[quote.source], _neutralize(quote.text)
        start = len(text) + len('\n"')
        text += f'\n"{words}" [{rank}]'
        citations.append(Citation(_address(page), _title_of(page), words, start, start + len(words), rank))
    lines = [_source_line(pages[source], number) for source, number in numbers.items()]
    return CitedAnswer("\n".join([text, "", "Sources:", *lines]), tuple(citations), EXTRACTIVE)


def list_sources(pages: Sequence[Material]) -> CitedAnswer:
    """A numbered list of the pages; each line is a citation."""
    return _compose_sources("", pages)


def compose_refusal(why: str) -> CitedAnswer:
    """An answer that gives the reason why there is none."""
    return CitedAnswer(why, (), EXTRACTIVE)


def find_quotes(question: str, texts: Sequence[str]) -> list[Quote]:
    """The sentences that answer a question, the best first; empty if none has a term of the question.

    `texts` are passages of pages, as Markdown with marked gaps.
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


def _compose_sources(opening: str, pages: Sequence[Material]) -> CitedAnswer:
    text, citations = f"{opening}\n\n" if opening else "", []
    for rank, page in enumerate(pages, 1):
        start, line = len(text), _source_line(page, rank)
        text += f"{line}\n"
        citations.append(Citation(_address(page), _title_of(page), line, start, start + len(line), rank))
    return CitedAnswer(text.rstrip("\n"), tuple(citations), EXTRACTIVE)


def _source_line(page: Material, rank: int) -> str:
    date = f" ({page.published})" if page.published else ""
    return f"[{rank}] {_title_of(page)} — {_address(page)}{date}"


def _title_of(page: Material) -> str:
    parsed = urls.parse(page.url)
    return _neutralize(without_markup(page.title, _TITLE_CHARS)) or (parsed.host if parsed else "")


def _address(page: Material) -> str:
    return urls.without_tracking(page.url)


def _neutralize(words: str) -> str:
    """Neutralize words that would forge a source, or begin a comment, which would hide the rest."""
    return _FORGED.sub("", words).replace("<!--", "<! --")


def _candidates(question: str, text: str, source: int) -> Iterator[_Candidate]:
    text = _GAP_BETWEEN_ROWS.sub("\n", text)
    # Scores compare the sentences of one page; multiplied by its relevance they compare with other pages.
    weight = score_page(Index(Document(text), question))
    # The title is the same for every sentence: it must not make up for missing terms.
    index = Index(Document(_TITLE.sub("", text)), question)
    figures = {number: figure for number, figure in enumerate(score_pieces(index, question)) if figure is not None}
    for numbers in _group_pieces(index, figures):
        words = _quote_text(index, numbers)
        if len(words.encode()) >= _LEAST_BYTES:
            figure = weight * max(figures.get(number, 0.0) for number in numbers)
            figure *= _NO_SENTENCE if _is_fragment(index, numbers[-1]) else 1.0
            yield _Candidate(
                Quote(words, source), figure, frozenset(_WORD.findall(separate_characters(words.casefold())))
            )


def _group_pieces(index: Index, figures: Mapping[int, float]) -> Iterator[list[int]]:
    """Groups of pieces to quote together: the rows of a table, the best first, or a question and its answer."""
    tables: dict[int, list[int]] = {}
    answered: set[int] = set()
    for number in figures:
        block = index.pieces[number].block
        if index.blocks[block].kind is BlockKind.TABLE:
            tables.setdefault(block, []).append(number)
            continue
        answer = number + 1 if _asks(index, number) else number
        if answer not in answered:
            answered.add(answer)
            yield [answer - 1, answer] if answer and _asks(index, answer - 1) else [answer]
    for rows in tables.values():
        yield sorted(rows, key=lambda number: -figures[number])


def _asks(index: Index, number: int) -> bool:
    """Whether a piece is a question or an announcement, and the next one its answer."""
    following = number + 1
    if following >= len(index.pieces) or not index.announces(number) or not index.share_headings(number, following):
        return False
    asked, answering = (index.pieces[each].block for each in (number, following))
    # Behind a rule another author answers.
    if asked != answering and index.blocks[answering].is_apart:
        return False
    return index.blocks[answering].kind not in (BlockKind.TABLE, BlockKind.CODE)


def _quote_text(index: Index, numbers: Sequence[int]) -> str:
    """The plain words of some pieces; empty if they make no sense on one line."""
    first, last = index.pieces[numbers[0]], index.pieces[numbers[-1]]
    block = index.blocks[last.block]
    if block.kind is BlockKind.TABLE:
        return _quote_table(index, block, numbers)
    markdown = index.markdown[first.start : last.end]
    if block.kind is BlockKind.CODE:
        return without_markup(markdown) if "\n" not in markdown and len(markdown) <= _QUOTE_CHARS else ""
    if _is_cut(index, numbers[-1]):
        return ""
    words = _NOTE_MARKS.sub("", strip_item_mark(strip_syntax(markdown)))
    words = words.removeprefix(GAP).removesuffix(GAP).strip()
    if index.announces(numbers[-1]) and (words.endswith(_QUESTION_MARKS) or len(words.encode()) < _ANNOUNCEMENT_BYTES):
        return ""
    return words if len(words) <= _QUOTE_CHARS else cut_at_word(words, _QUOTE_CHARS - 1) + "…"


def _quote_table(index: Index, block: Block, numbers: Sequence[int]) -> str:
    """The names of the columns, and as many of the best rows as fit, in their order."""
    names = _quote_row(block.opening.partition("\n")[0])
    left = _QUOTE_CHARS - len(names)
    rows: dict[int, str] = {}
    for number in numbers:
        rows[number] = _ROWS.join(map(_quote_row, index.text(number).split("\n")))
        left -= len(_ROWS + rows[number])
        if left < 0:
            del rows[number]
            break
    header = [names] if names.strip(_CELLS) else []
    return _ROWS.join([*header, *(rows[number] for number in sorted(rows))]) if rows else ""


def _quote_row(line: str) -> str:
    cells = _BORDER.split(line.strip())[1:-1]
    return without_markup(_CELLS.join(strip_syntax(cell.strip()) for cell in cells))


def _is_cut(index: Index, number: int) -> bool:
    """Whether the end of a sentence is missing; list items have no full stop that would tell."""
    is_before_gap = number + 1 < len(index.pieces) and index.text(number + 1) == GAP
    return _is_fragment(index, number) and (is_before_gap or index.text(number).endswith(GAP))


def _is_fragment(index: Index, number: int) -> bool:
    """Whether a line of prose does not end like a sentence: names, labels, cut sentences."""
    is_prose = index.blocks[index.pieces[number].block].kind.is_prose
    text = index.text(number).removesuffix(GAP)
    return is_prose and not text.rstrip(_CLOSING).endswith(_SENTENCE_ENDS)


def _is_same(words: frozenset[str], other: frozenset[str]) -> bool:
    shorter, longer = sorted((words, other), key=len)
    shared = shorter & longer
    has_other_numbers = any(word.isdigit() for word in shorter - shared)
    return len(shared) >= _SAME_SHARE * len(shorter) and not has_other_numbers
