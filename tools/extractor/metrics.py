"""How well a text agrees with the content that a page should give."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

_WORD = re.compile(r"\w+")
_TARGET = re.compile(
    r"\]\((?:<[^<>\n]{0,2000}>|[^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500})?)(?:\s+\"[^\"\n]{0,300}\")?\)"
)
_LINE_SYNTAX = re.compile(
    r"^(?:[ \t]*(?:[-*+>]|\d{1,9}[.)]|#{1,6})[ \t]+|[ \t]*(?:```|~~~).*$|[ \t]*\|?[\s:|-]{3,}\|?[ \t]*$)", re.M
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*\*|__|~~|(?<!\w)[*_]|[*_](?!\w))")
_SHINGLE = 4


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def without_syntax(markdown: str) -> str:
    """The words of Markdown, without its syntax and the targets of its links."""
    text = _TARGET.sub("]", markdown)
    text = _LINE_SYNTAX.sub("", text)
    return _ESCAPE.sub(r"\1", _EMPHASIS.sub("", text))


def word_score(found: Sequence[str], truth: Sequence[str]) -> Score:
    """The agreement of two bags of words."""
    return _agreement(Counter(found), Counter(truth))


def shingle_score(found: Sequence[str], truth: Sequence[str]) -> Score:
    """The agreement of two bags of four words in a row: order counts."""
    return _agreement(Counter(_shingles(found)), Counter(_shingles(truth)))


def share_found(text: str, snippets: Iterable[str]) -> float | None:
    """The share of snippets that are in a text, whatever the blanks and punctuation; `None` where there are none."""
    flat = " ".join(words(text))
    asked = [snippet for each in snippets if (snippet := " ".join(words(each)))]
    return fmean(f" {snippet} " in f" {flat} " for snippet in asked) if asked else None


def _shingles(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    if len(tokens) < _SHINGLE:
        return [tuple(tokens)] if tokens else []
    return list(zip(*(tokens[start:] for start in range(_SHINGLE)), strict=False))


def _agreement(found: Counter[Any], truth: Counter[Any]) -> Score:
    if not truth:
        return Score(float(not found), 1.0)
    common = sum((found & truth).values())
    return Score(common / found.total() if found else 0.0, common / truth.total())
