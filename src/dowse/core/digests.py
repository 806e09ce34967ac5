"""Digests of pages for a question: passages, summary, key points, near-duplicates, and whether a page is recent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

OFF_TOPIC = "hardly a word of the query is on this page, so only its best lines are shown"
"""The remark on an off-topic page."""


class Timing(StrEnum):
    """Whether a result was published in the period of the query; `ANY` if that has none."""

    ANY = ""
    INSIDE = "yes"
    CHANGED = "changed"
    UNDATED = "undated"
    OLDER = "older"
    NEWER = "newer"


@dataclass(frozen=True, slots=True)
class Source:
    """A page to digest."""

    text: str
    title: str = ""
    url: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class KeyPoint:
    """An important sentence of a page, and the anchor of its block."""

    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A code block of a page: anchor, language, number of lines, and first telling line."""

    anchor: str
    language: str
    lines: int
    beginning: str


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A section in the outline of a page; `tokens` is an estimate of its length."""

    number: str
    title: str
    level: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Digest:
    """The passages shown of a page, and the results of comparing it with the question and the other pages.

    `anchors` name the shown ones of its `blocks`; empty for the whole page. `tokens` are those of the whole page,
    counted if there is a budget. An off-topic page has hardly a word of the question. `duplicate_of` is the number of
    the earlier page that it repeats; `quality_issues` are phrases.
    """

    text: str
    anchors: tuple[str, ...] = ()
    blocks: int = 0
    tokens: int = 0
    is_off_topic: bool = False
    relevance: float = 0.0
    summary: str = ""
    key_points: tuple[KeyPoint, ...] = ()
    code_blocks: tuple[CodeBlock, ...] = ()
    duplicate_of: int | None = None
    quality_issues: tuple[str, ...] = ()
