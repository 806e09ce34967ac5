"""How well titles, authors and dates agree with the truth about a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tools.extractor.metrics import Score

FIELDS = ("title", "author", "published")
_WORD = re.compile(r"[^\W_]+")
# Words between names, and titles and degrees around them, which some sources keep and others drop.
_NOT_NAMES = frozenset("and by und et y dr md phd ph d ms rd rdn ma mba dvm cfp cpa mph jd rn".split())


@dataclass(frozen=True, slots=True)
class Facts:
    """What is said about a page; an empty field is one that nobody gave."""

    title: str
    author: str
    published: str


def metadata_scores(pairs: Iterable[tuple[Facts, Facts]]) -> dict[str, Score]:
    """Precision and recall of each field, from what was found on each page and what is true.

    A field that was found where the truth has none counts as wrong, so precision is a lower bound: people leave
    the date of a page out that has one.
    """
    pages = list(pairs)
    return {
        field: _score([(getattr(found, field), getattr(truth, field)) for found, truth in pages], _SAME[field])
        for field in FIELDS
    }


def same_title(found: str, truth: str) -> bool:
    """Whether two titles have the same words, whatever the punctuation."""
    return _words(found) == _words(truth)


def same_author(found: str, truth: str) -> bool:
    """Whether two lists of authors name the same people, in any order."""
    return {*_words(found)} - _NOT_NAMES == {*_words(truth)} - _NOT_NAMES


def same_day(found: str, truth: str) -> bool:
    """Whether two dates are the same day, or the same month where the truth says no more."""
    return found[: min(len(truth), 10)] == truth[:10]


_SAME: dict[str, Callable[[str, str], bool]] = {"title": same_title, "author": same_author, "published": same_day}


def _score(pairs: list[tuple[str, str]], is_same: Callable[[str, str], bool]) -> Score:
    found = sum(bool(mine) for mine, _ in pairs)
    true = sum(bool(truth) for _, truth in pairs)
    right = sum(bool(mine and truth) and is_same(mine, truth) for mine, truth in pairs)
    return Score(right / found if found else 0.0, right / true if true else 0.0)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.replace("’", "").replace("'", "").casefold())
