"""How much of a budget is used by what is shown of pages, counted by a real tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle

from dowse.core.digests import Source
from dowse.document.cut import BEGINNING, next_part
from dowse.rank.digest import digest
from tools.passages.metric import tokens

BUDGETS = (250, 1000, 6000)
USED = 0.85
# A part ends between sentences, of which the smallest budget holds few.
USED_IN_PARTS = 2 / 3
# Lines of code and rows of tables are not divided either, and some of them are long.
LESS_USED_IN_PARTS = 0.02
LESS_USED_IN_PASSAGES = 0.05
_TOGETHER = 5


@dataclass(frozen=True, slots=True)
class Share:
    """How much of its budget a page has used, which may be less where that is all of it."""

    page: str
    used: float
    has_more: bool


def of_beginnings(pages: Iterable[Source]) -> list[Share]:
    """Those of the beginning of each page, with one budget after the other."""
    shares = []
    for source, budget in zip(pages, cycle(BUDGETS), strict=False):
        shown = next_part(source.text, BEGINNING, budget)
        shares.append(Share(source.url or source.title, tokens(shown.text) / budget, bool(shown.rest)))
    return shares


def of_answers(pages: Iterable[Source]) -> list[Share]:
    """Those of what answers the question that is the title of each page, with one budget after the other."""
    shares = []
    for source, budget in zip(pages, cycle(BUDGETS), strict=False):
        (shown,) = digest(source.title, [source], budget)
        shares.append(Share(source.url or source.title, tokens(shown.text) / budget, bool(shown.anchors)))
    return shares


def of_several(pages: Sequence[Source], every: int) -> list[float]:
    """Those of five pages together, beginning at each `every`th."""
    shares = []
    for first in range(0, len(pages) - _TOGETHER, every):
        shown = digest(pages[first].title, pages[first : first + _TOGETHER], BUDGETS[-1])
        shares.append(sum(tokens(each.text) for each in shown) / BUDGETS[-1])
    return shares


def above(shares: Iterable[Share]) -> list[str]:
    """The pages that exceed their budgets."""
    return [share.page for share in shares if share.used > 1]


def little_used(shares: Iterable[Share], least: float = USED) -> float:
    """Of those that have more to show, the part that leaves much of its budget."""
    used = [share.used for share in shares if share.has_more]
    return sum(each < least for each in used) / len(used)
