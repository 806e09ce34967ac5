"""What the body text of a document looks like, and how its lines are put together again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from dowse.extract.formats.pdf.lines import Line

_USUAL_LEADING = 1.2
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_LONGEST_WORD = 60
_BROKEN = re.compile(r"([^\W\d_]+)[-‐]$")
_REST = re.compile(r"[^\W\d_]+")
# Scripts that are written without blanks between words.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60\u3001-\u303f]")


@dataclass(frozen=True, slots=True)
class Body:
    """The look of ordinary text: most characters of a document have it."""

    size: float
    leading: float
    is_bold: bool
    is_mono: bool
    words: frozenset[str]
    """Every word that stands unbroken somewhere, to tell `co-operate` from a word that was divided."""


def body_of(pages: Iterable[Sequence[Line]]) -> Body:
    looks: Counter[tuple[float, bool, bool]] = Counter()
    steps: list[float] = []
    words: set[str] = set()
    for lines in pages:
        for line in lines:
            looks[rounded(line.size), line.is_bold, line.is_mono] += len(line.text)
            words.update(word.lower() for word in _WORD.findall(line.text)[1:-1])
        for upper, lower in pairwise(lines):
            step = (upper.baseline - lower.baseline) / max(lower.size, 1.0)
            if 0.8 < step < 2.5 and rounded(upper.size) == rounded(lower.size):
                steps.append(step)
    size, is_bold, is_mono = looks.most_common(1)[0][0] if looks else (0.0, False, False)
    return Body(size, median(steps) if steps else _USUAL_LEADING, is_bold, is_mono, frozenset(words))


def rounded(size: float) -> float:
    """To half a point: the same font comes in sizes that differ by scaling errors."""
    return round(size * 2) / 2


def joined(text: str, following: str, words: frozenset[str]) -> str:
    """Two lines of one paragraph as one, a divided word whole again."""
    broken, rest = _BROKEN.search(text[-_LONGEST_WORD:]), _REST.match(following)
    if broken and rest:
        return (text[:-1] if _was_divided(broken[1], rest[0], words) else text) + following
    if text.endswith("-") and following[:1].isdecimal():
        return text + following
    if _UNSPACED.match(text[-1:]) and _UNSPACED.match(following):
        return text + following
    return f"{text} {following}"


def _was_divided(start: str, rest: str, words: frozenset[str]) -> bool:
    """Whether the hyphen is the typesetter's; where the document itself does not tell, it nearly always is."""
    if not rest[0].islower():
        return False
    if (start + rest).lower() in words:
        return True
    return f"{start}-{rest}".lower() not in words
