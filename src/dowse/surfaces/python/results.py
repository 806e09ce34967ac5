"""Typed results of the Python API: the outputs of the tools, with passages and a readable text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from dowse.contracts.output import (
    AnswerQuestionOutput,
    ExtractOutput,
    GetContentOutput,
    PagesOutput,
    RankedOutput,
    RerankOutput,
    ResultOutput,
    WebSearchOutput,
)
from dowse.core.models import Status
from dowse.core.text import count_noun, enclose, one_line, visible
from dowse.document.cut import GAP

_WIDTH = 100
_EXCERPT_CHARS = 300
_INDENT = "   "


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a page without gaps: `page_content[start:end]` is its `text`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult(ResultOutput):
    """One result of a search, with its page."""

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The parts of the page that are shown; none of a page that was not read."""
        return _find_passages(self.page_content, self.status, is_cut=bool(self.anchors))

    def __str__(self) -> str:
        return "\n".join([one_line(self.title), one_line(self.link), *_excerpt(self)])


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResults(WebSearchOutput):
    """The results of a search, the best one first."""

    results: tuple[SearchResult, ...]

    def __iter__(self) -> Iterator[SearchResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> SearchResult:
        return self.results[index]

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        found = count_noun(len(self.results), "result")
        items = [textwrap.indent(str(result), _INDENT) for result in self.results]
        numbered = [f"{f'{number}.':<3}{item.removeprefix(_INDENT)}" for number, item in enumerate(items, 1)]
        head = f"{one_line(self.query)}: {found} from {one_line(self.engine)}"
        return "\n\n".join([head, *numbered, *_notes(self.warnings)])


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult(GetContentOutput):
    """A page, or the part of it that was asked for. `next_cursor` reads on."""

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The parts of the page that are shown; none of a page that was not read."""
        return _find_passages(self.page_content, self.status, is_cut=bool(self.anchors))

    def __str__(self) -> str:
        head = [one_line(self.title), one_line(self.final_url or self.url)]
        return "\n\n".join(["\n".join(filter(None, head)), visible(self.page_content), *_notes(self.warnings)])


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResults(PagesOutput):
    """Several pages, in the order of their addresses."""

    results: tuple[PageResult, ...]

    def __iter__(self) -> Iterator[PageResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> PageResult:
        return self.results[index]

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.results), *_notes(self.warnings)])


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResult(AnswerQuestionOutput):
    """An answer with its citations, each with its `start_index` and `end_index` in `text`."""

    def __str__(self) -> str:
        # A quoted answer lists its sources itself.
        sources = dict.fromkeys(each.url for each in self.citations if each.url not in self.text)
        listed = "\n".join(f"{number}. {one_line(url)}" for number, url in enumerate(sources, 1))
        return "\n\n".join(filter(None, [visible(self.text), listed, *_notes(self.warnings)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractResult(ExtractOutput):
    """The main content of HTML as Markdown."""

    def __str__(self) -> str:
        return visible(self.page_content)


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankResult(RankedOutput):
    """A document, by its `index` among the given ones, and its relevance from 0 to 1."""

    def __str__(self) -> str:
        return f"{self.relevance_score:.3f}  {one_line(self.document, _WIDTH)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankResults(RerankOutput):
    """The documents, most relevant first."""

    results: tuple[RerankResult, ...]

    def __iter__(self) -> Iterator[RerankResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> RerankResult:
        return self.results[index]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.results), *_notes(self.warnings)])


def _find_passages(text: str, status: Status, *, is_cut: bool) -> tuple[Passage, ...]:
    """The parts of a text between the marks for gaps; a page that is shown whole has no such marks."""
    if not status.readable:
        return ()
    return tuple(_split(text, GAP if is_cut else ""))


def _split(text: str, gap: str) -> Iterator[Passage]:
    start = 0
    while start <= len(text):
        found = text.find(gap, start) if gap else -1
        end = len(text) if found < 0 else found
        part = text[start:end].strip()
        if part:
            first = text.index(part, start)
            yield Passage(part, first, first + len(part))
        start = end + max(1, len(gap))


def _excerpt(result: SearchResult) -> list[str]:
    """A few lines of a result: the summary of its page, else the snippet; why it could not be read."""
    from dowse.document.clean import to_plain_text

    text = to_plain_text(result.summary or result.snippet or (result.page_content if result.status.readable else ""))
    unread = "" if result.status.readable or result.status is Status.NOT_FETCHED else f"({result.status.value})"
    return [*textwrap.wrap(one_line(text, _EXCERPT_CHARS), _WIDTH), *filter(None, [unread])]


def _notes(warnings: tuple[str, ...]) -> list[str]:
    return ["\n".join(enclose("note: ", one_line(warning)) for warning in warnings)] if warnings else []
