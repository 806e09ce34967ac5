"""What a page has to say to a question: what is shown of it, in short, and whether others say the same."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """A page as it was read, to be cut to what matters."""

    text: str
    title: str = ""
    url: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class KeyPoint:
    """A sentence of the page that says much, and the block it stands in, by which it can be read on."""

    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A block of code on the page: where it is, what it is, and its first line."""

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

    def __str__(self) -> str:
        return f"{self.number} {self.title} ({self.tokens:,} tokens)"


@dataclass(frozen=True, slots=True)
class Digest:
    """What is shown of one page, and what else was found out while it was compared with the others.

    `anchors` name the blocks of which something is shown, out of `blocks` in all; none where it is the whole page.
    `twin` is the number of an earlier page that says the same, `flaws` is what speaks against the page, each a phrase.
    """

    text: str
    anchors: tuple[str, ...] = ()
    blocks: int = 0
    relevance: float = 0.0
    summary: str = ""
    key_points: tuple[KeyPoint, ...] = ()
    code_blocks: tuple[CodeBlock, ...] = ()
    duplicate_of: int | None = None
    quality_issues: tuple[str, ...] = ()
