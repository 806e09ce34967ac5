"""Ways to cut a page to a budget: dowse's, the beginning of the page, and the best paragraphs by BM25."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from dowse.document.markdown import Document
from dowse.rank import semantic
from dowse.rank.passages import Passages
from tools.passages.metric import beginning, tokens

_WORD = re.compile(r"\w{1,100}")
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
    return _own("dowse", None)


def dowse_semantic() -> Selector:
    """What dowse does with the extra `semantic`."""
    return _own("dowse[semantic]", semantic.scores)


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
        lambda text, question: _order(text.split("\n\n"), question),
        _paragraph_rank,
    )


def missing() -> list[str]:
    """What has to be installed for the comparison and is not."""
    return [name for name in ("rank_bm25", "bpe_openai") if not find_spec(name)]


def _own(name: str, blend: Callable[[str, Sequence[str]], Sequence[float]] | None) -> Selector:
    def select(text: str, question: str, budgets: Sequence[int]) -> list[str]:
        passages = Passages(Document(text), question, blend=blend)
        return [passages.within(budget).text for budget in budgets]

    def rank(text: str, question: str, offset: int) -> int:
        gold = next((f"b{block.number}" for block in Document(text).blocks if block.start <= offset < block.end), "")
        passages = Passages(Document(text), question, blend=blend)
        counts = range(1, _RANKS + 1)
        return next((count for count in counts if gold in {each.anchor for each in passages.best(count)}), 0)

    return Selector(name, select, lambda text, question: select(text, question, [_TIMED_TOKENS]), rank)


def _best_paragraphs(text: str, question: str, budgets: Sequence[int]) -> list[str]:
    parts = text.split("\n\n")
    order = _order(parts, question)
    return [_filled(parts, order, budget) for budget in budgets]


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
    place = _order(text.split("\n\n"), question).index(text[:offset].count("\n\n")) + 1
    return place if place <= _RANKS else 0


def _order(parts: Sequence[str], question: str) -> list[int]:
    """The numbers of the paragraphs, the best one first."""
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([_words(part) for part in parts])
    scores = index.get_scores(_words(question))
    return sorted(range(len(parts)), key=lambda number: -scores[number])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
