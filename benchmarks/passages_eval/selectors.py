"""Ways to cut a page to a budget: dowse's, the beginning of the page, and the best paragraphs by BM25."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from dowse.core.digests import Source
from dowse.document.markdown import Document
from dowse.language.scripts import AGGLUTINATED
from dowse.rank.passages import Passages
from dowse.worker import protocol
from tools.passages.metric import beginning, tokens

if TYPE_CHECKING:
    from rank_bm25 import BM25Okapi

_WORD = re.compile(r"\w{1,100}")
# Pairs of characters, where no blanks stand between words.
_UNSPACED = re.compile(rf"(?=([{AGGLUTINATED}]{{2}}))")
# Beyond that it makes no difference to the mean.
_RANKS = 20
_TIMED_TOKENS = 500
_BLANK_LINE_TOKENS = 2

# A page, a question and budgets; what is shown within each of them.
Select = Callable[[str, str, Sequence[int]], list[str]]
# A page, a question and an offset; which place the block around it has among all, from 1, or 0.
Rank = Callable[[str, str, int], int]


@dataclass(frozen=True, slots=True)
class Selector:
    """A way to cut a page to budgets, and to rank its blocks if it does.

    `timed` is what its CPU time is taken of: the others need a slow tokenizer to fill a budget, which is not theirs.
    """

    name: str
    select: Select
    timed: Callable[[str, str], object]
    rank: Rank | None = None


def dowse() -> Selector:
    """What dowse does."""
    return _own("dowse")


def head() -> Selector:
    """The beginning of the page, whatever was asked."""

    def select(text: str, _: str, budgets: Sequence[int]) -> list[str]:
        return [beginning(text, budget) for budget in budgets]

    return Selector("head", select, lambda text, _: text[:_TIMED_TOKENS])


def paragraphs() -> Selector:
    """The best paragraphs by rank_bm25 over lower-case words, in the order of the page."""
    return Selector(
        "paragraph BM25",
        _best_paragraphs,
        lambda text, question: _order(_index(text), question),
        _paragraph_rank,
    )


def paragraph_scores(question: str, documents: Sequence[str]) -> list[float]:
    """The scores of documents by rank_bm25 over lower-case words."""
    found: list[float] = _last_index("\n\n".join(documents)).get_scores(_words(question)).tolist()
    return found


def missing() -> list[str]:
    """What has to be installed for the comparison and is not."""
    return [name for name in ("rank_bm25", "bpe_openai") if not find_spec(name)]


def _own(name: str) -> Selector:
    def select(text: str, question: str, budgets: Sequence[int]) -> list[str]:
        passages = Passages(Document(_sent(text)), question)
        return [passages.within(budget).text for budget in budgets]

    def rank(text: str, question: str, offset: int) -> int:
        gold = next((f"b{block.number}" for block in Document(text).blocks if block.start <= offset < block.end), "")
        passages = Passages(Document(text), question)
        counts = range(1, _RANKS + 1)
        return next((count for count in counts if gold in {each.anchor for each in passages.best(count)}), 0)

    return Selector(name, select, lambda text, question: select(text, question, [_TIMED_TOKENS]), rank)


def _sent(text: str) -> str:
    """As much of a page as a worker is sent."""
    [source] = protocol.decode_sources(*protocol.encode_sources([Source(text)], _TIMED_TOKENS))
    return source.text


def _best_paragraphs(text: str, question: str, budgets: Sequence[int]) -> list[str]:
    order = _order(_last_index(text), question)
    return [_filled(text.split("\n\n"), order, budget) for budget in budgets]


def _filled(parts: Sequence[str], order: Sequence[int], max_tokens: int) -> str:
    """The best paragraphs, as many as fit, and the beginning of the next one."""
    taken: dict[int, str] = {}
    left = max_tokens
    for index in order:
        cost = tokens(parts[index] + "\n\n")
        if cost > left:
            taken[index] = beginning(parts[index], max(0, left - _BLANK_LINE_TOKENS))
            break
        taken[index] = parts[index]
        left -= cost
    return "\n\n".join(taken[index] for index in sorted(taken))


def _paragraph_rank(text: str, question: str, offset: int) -> int:
    place = _order(_last_index(text), question).index(text[:offset].count("\n\n")) + 1
    return place if place <= _RANKS else 0


def _order(index: BM25Okapi, question: str) -> list[int]:
    """The numbers of the paragraphs, the best one first."""
    scores = index.get_scores(_words(question))
    return sorted(range(len(scores)), key=lambda number: -scores[number])


def _index(text: str) -> BM25Okapi:
    from rank_bm25 import BM25Okapi

    return BM25Okapi([_words(part) for part in text.split("\n\n")])


# All questions to a page follow each other.
_last_index = lru_cache(1)(_index)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower()) + _UNSPACED.findall(text)
