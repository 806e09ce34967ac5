"""Extractive answers: the sentences of several pages that answer a question best, quoted with their sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from dowse.core import urls
from dowse.core.answers import EXTRACTIVE, Citation, CitedAnswer, Material
from dowse.core.digests import Digest
from dowse.core.text import cut_at_word, without_markup
from dowse.document.cut import GAP
from dowse.document.markdown import Block, BlockKind, Document
from dowse.language.scripts import AGGLUTINATED, separate_characters
from dowse.rank.answer_types import Expectation
from dowse.rank.index import Index
from dowse.rank.scoring import (
    Coverage,
    matches_inside,
    matches_near,
    score_page,
    score_pieces,
)
from dowse.rank.summary import strip_item_mark, strip_syntax

MOST_CHARS = 800
"""The limit of all quotes together."""

_MOST_QUOTES = 8
_QUOTE_CHARS = 400
# In bytes of UTF-8, because a character of Chinese says as much as three letters.
_LEAST_BYTES = 20
_LEAST_AMOUNT_BYTES = 6
_SHORT_CHARS = 8_000
# Below this share of the best score a sentence is rarely the answer; `tests/eval/test_quotes.py` counts the answers.
_WORTH_QUOTING = 0.4
# The part of the score in the support of a quote, and the support of an answer. `tests/eval/test_answers.py` counts
# answers and refusals.
_SCORE = 0.05
_ENOUGH = 0.79
# In scripts without spaces pairs of characters are compared, and those at the joints of words differ.
_ENOUGH_UNSPACED = 0.61
# The part of the words inside the quote itself in its coverage.
_INSIDE = 0.15
# The factor for the score of another kind of answer than is asked for.
_OTHER_KIND = 0.8
# The score of a piece that has only the type and the context of an answer, as a share of the best one of its page.
_TYPE_ONLY = 0.6
# The factor for a number of the question that is neither in the sentence nor in its context: another year or version.
_OTHER_NUMBER = 0.7
_DIGIT = re.compile(r"\d")
_MOST_NEAREST = 3
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
_UNSPACED = re.compile(f"[{AGGLUTINATED}]")
QUOTED = "Quoted from the pages found; no model wrote this."
QUOTED_SNIPPETS = (
    "Quoted from the snippets of the search engine, because the pages could not be read; no model wrote this."
)
NOT_ANSWERED = "No passage found answers this."
_TITLE_CHARS = 200
# A bracketed number behind a quotation mark looks like the number of a source.
_FORGED = re.compile(r"""(?<=["”“»«])(?:\s{0,9}[\[［【][\s\d,;–-]{1,99}[\]］】])+""")


class Quote(NamedTuple):
    """A sentence or some rows of a table, and the index of its text."""

    text: str
    source: int


class RankedQuotes(NamedTuple):
    """Quotes, the best first; their support, from 1 on that of an answer; and the pages by relevance."""

    quotes: list[Quote]
    support: float
    nearest: list[int]


class _Candidate(NamedTuple):
    quote: Quote
    figure: float
    support: float
    words: frozenset[str]


def compose_quotes(
    question: str, pages: Sequence[Material], opening: str = QUOTED, *, most_sources: int = 5
) -> CitedAnswer:
    """The best sentences, one on a line, then their sources in the order of the quotes.

    If none is supported enough to be an answer, the answer is `NOT_ANSWERED` with the nearest pages.
    """
    quotes, support, nearest = rank_quotes(question, pages, most_sources)
    if support < 1.0:
        return _compose_sources(
            f"{NOT_ANSWERED} Nearest sources:",
            [pages[source] for source in nearest[: min(_MOST_NEAREST, most_sources)]],
        )
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


def choose_text(digest: Digest, page: str) -> str:
    """The text of a page to quote from: its passages, or all of a short one that seems off topic.

    The digest of such a page has a few lines only, and the page may answer in other words than the question has.
    """
    return page if digest.is_off_topic and len(page) <= _SHORT_CHARS else digest.text


def rank_quotes(question: str, pages: Sequence[Material], most_sources: int = 5) -> RankedQuotes:
    """The sentences of pages that answer a question best, with their support.

    The support of a sentence is its coverage of the question (`Coverage`) plus a part of its score, as a share of a
    threshold; less without a name or number where one is asked for, or without a number that the question has. It was
    measured on SQuAD, CLAPnq and XQuAD, with the answers on the pages and with their paragraphs taken out.
    """
    scored = [ScoredPage(question, page) for page in pages]
    coverage = Coverage([page.index for page in scored], question)
    best = max((figure for page in scored for figure in page.figures.values()), default=0.0)
    # Half as much, because the best piece may be no quote.
    least = _WORTH_QUOTING / 2 * best
    found = [each for source, page in enumerate(scored) for each in _candidates(page, coverage, source, least)]
    found.sort(key=lambda candidate: -candidate.figure)
    nearest = sorted(range(len(scored)), key=lambda source: -scored[source].relevance)
    support = max((candidate.support for candidate in found), default=0.0)
    return RankedQuotes([candidate.quote for candidate in _choose(found, most_sources)], support, nearest)


def _choose(found: Sequence[_Candidate], most_sources: int) -> list[_Candidate]:
    """The best candidates that fit into the limit and do not repeat each other."""
    # Always the best supported one, although others may have more of the words.
    chosen = sorted(found, key=lambda candidate: -candidate.support)[:1]
    left = MOST_CHARS - sum(len(candidate.quote.text) for candidate in chosen)
    for candidate in found:
        if len(chosen) == _MOST_QUOTES or candidate.figure < _WORTH_QUOTING * found[0].figure:
            break
        cost = len(candidate.quote.text)
        if cost <= left and _adds_to(chosen, candidate, most_sources):
            chosen.append(candidate)
            left -= cost
    return sorted(chosen, key=lambda candidate: -candidate.figure * candidate.support)


def _adds_to(chosen: Sequence[_Candidate], candidate: _Candidate, most_sources: int) -> bool:
    """Whether a candidate repeats none of the chosen ones, and is of no source too many."""
    sources = {other.quote.source for other in chosen} | {candidate.quote.source}
    return len(sources) <= most_sources and not any(_is_same(candidate.words, other.words) for other in chosen)


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


class ScoredPage:
    """A page with its sentences scored for a question."""

    def __init__(self, question: str, page: Material) -> None:
        text = _GAP_BETWEEN_ROWS.sub("\n", page.text)
        body = _TITLE.sub("", text)
        self.title = without_markup(page.title, _TITLE_CHARS)
        heading = text[: len(text) - len(body)].removeprefix("# ").strip()
        headline = " ".join(dict.fromkeys(filter(None, (self.title, heading))))
        index = Index(Document(f"# {headline}\n\n{body}" if headline else body), question)
        # The title is the same for every sentence: it must not make up for missing terms.
        self.index = index.without_title() if headline else index
        found = index.title().items() if headline else ()
        self.in_title = {index.terms.words[term]: min(1.0, count) for term, count in found}
        # Scores compare the sentences of one page; multiplied by its relevance they compare with other pages.
        self.relevance = score_page(index)
        scores = enumerate(score_pieces(self.index, question))
        self.figures = {number: self.relevance * score for number, score in scores if score is not None}
        self.question = question
        self.expectation = Expectation(question)
        self.enough = _ENOUGH_UNSPACED if _UNSPACED.search(question) else _ENOUGH

    def takes(self, quote: str) -> bool:
        """Whether a quote is long enough; an amount may be short where a number is asked for."""
        is_amount = self.expectation.is_amount and _DIGIT.search(quote)
        return len(quote.encode()) >= (_LEAST_AMOUNT_BYTES if is_amount else _LEAST_BYTES)

    def rate_numbers(self, near: Mapping[str, float]) -> float:
        """The factor for a number of the question that is not near: another year or version."""
        lacks = any(word.isdigit() and near.get(word, 0.0) < 1.0 for word in self.index.terms.words)
        return _OTHER_NUMBER if lacks else 1.0


def _candidates(page: ScoredPage, coverage: Coverage, source: int, least: float) -> Iterator[_Candidate]:
    """The sentences of a page with at least this score, or else its lead; and a title that says more."""
    index = page.index
    covered = coverage.measure(index, page.in_title, page.in_title)
    of_title = _NO_SENTENCE * covered * covered * max(page.figures.values(), default=page.relevance)
    if of_title and _says_more(page.title, page.question):
        yield _candidate(page, coverage, Quote(page.title, source), of_title, page.in_title, page.in_title)
    figures = page.figures or dict.fromkeys(_find_lead(index) if of_title else (), of_title)
    figures |= _find_typed(page, coverage)
    for numbers in _group_pieces(index, figures):
        figure = max(figures.get(number, 0.0) for number in numbers)
        figure *= _NO_SENTENCE if _is_fragment(index, numbers[-1]) else 1.0
        words = _quote_text(index, numbers) if figure >= least else ""
        if page.takes(words):
            near, inside = matches_near(index, numbers, page.in_title), matches_inside(index, numbers)
            yield _candidate(page, coverage, Quote(words, source), figure, near, inside)


def _candidate(
    page: ScoredPage,
    coverage: Coverage,
    quote: Quote,
    figure: float,
    near: Mapping[str, float],
    inside: Mapping[str, float],
) -> _Candidate:
    """A quote with this score, by the words of the question near it and inside it."""
    around, within = (coverage.measure(page.index, words, page.in_title) for words in (near, inside))
    fit = page.expectation.rate(quote.text, inside, page.index.terms.language)
    covered = (1 - _INSIDE) * around + _INSIDE * within
    support = (covered + _SCORE * figure) / page.enough * fit * page.rate_numbers(near)
    # Another kind of answer is quoted after the others, and hardly counts as one.
    return _Candidate(quote, figure if fit >= 1.0 else _OTHER_KIND * figure, support, _words(quote.text))


def _find_typed(page: ScoredPage, coverage: Coverage) -> dict[int, float]:
    """Pieces without a word of the question that have an answer of its type, by the words in title and headings."""
    best, index = max(page.figures.values(), default=0.0), page.index
    if not page.expectation.has_types or not best:
        return {}
    return {
        number: _TYPE_ONLY * best * coverage.measure(index, matches_near(index, [number], page.in_title), page.in_title)
        for number in range(len(index.pieces))
        if number not in page.figures and page.expectation.has_type(index.text(number))
    }


def _find_lead(index: Index) -> list[int]:
    """The first piece of prose."""
    prose = (number for number, piece in enumerate(index.pieces) if index.blocks[piece.block].kind.is_prose)
    return list(islice(prose, 1))


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
    words = _NOTE_MARKS.sub("", strip_item_mark(strip_syntax(markdown)))
    words = words.removeprefix(GAP).removesuffix(GAP).strip()
    if _is_cut(index, numbers[-1]) or (index.announces(numbers[-1]) and _is_announcement(words)):
        return ""
    return words if len(words) <= _QUOTE_CHARS else cut_at_word(words, _QUOTE_CHARS - 1) + "…"


def _is_announcement(words: str) -> bool:
    return words.endswith(_QUESTION_MARKS) or len(words.encode()) < _ANNOUNCEMENT_BYTES


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


def _says_more(title: str, question: str) -> bool:
    """Whether a title is no question, and has words that the question does not have."""
    return not title.endswith(_QUESTION_MARKS) and bool(_words(title) - _words(question))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(separate_characters(text.casefold())))


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
