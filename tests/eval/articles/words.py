"""What stands around the articles, by language: labels, teasers of other stories, comments of readers."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "words"


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language; `teasers` are pairs of headline and summary, `comments` of name and text."""

    labels: dict[str, str]
    teasers: tuple[tuple[str, str], ...]
    comments: tuple[tuple[str, str], ...]


@functools.cache
def words_of(language: str) -> Words:
    """The words of a language, as `words/LANGUAGE.txt` has them."""
    labels, teasers, comments = (
        part.strip().splitlines()
        for part in (_FOLDER / f"{language}.txt")
        .read_text(encoding="utf-8")
        .replace("# comments", "# headlines")
        .split("# headlines")
    )
    return Words(dict(_split(line, ": ") for line in labels), _pairs(teasers), _pairs(comments))


def _pairs(lines: list[str]) -> tuple[tuple[str, str], ...]:
    return tuple(_split(line, " | ") for line in lines)


def _split(line: str, separator: str) -> tuple[str, str]:
    first, found, second = line.partition(separator)
    assert found, f"no {separator!r} in {line!r}"
    return first, second
