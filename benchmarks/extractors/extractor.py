"""What an extractor is to the benchmark: a page in, text out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from dowse.extract.decode import decode
from tools.extractor.data import Sample


@dataclass(frozen=True, slots=True)
class Page:
    """A page as every extractor gets it: decoded, with its address."""

    markup: str
    url: str
    fold: int | None = None
    """That of the model which has not seen it; a page that no model has seen is in none."""

    @classmethod
    def of(cls, sample: Sample) -> Self:
        return cls(decode(sample.html, ""), sample.url, sample.fold)


@dataclass(frozen=True, slots=True)
class Found:
    """What was found on a page, and what kind of page it was taken for, if that was asked."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Extractor:
    """`read` is what CPU time is measured of; `markdown` keeps as much structure as the extractor can."""

    name: str
    read: Callable[[Page], Found]
    markdown: Callable[[Page], str]
    reads_markdown: bool = True
    """Whether the text of `read` is Markdown, whose syntax is no words."""
