"""An answer without a model: sentences of the pages that were found, each with its source, and where they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dowse.core import urls
from dowse.core.answers import EXTRACTIVE, Citation, CitedAnswer
from dowse.core.text import without_markup
from dowse.rank.quotes import best_quotes

QUOTED = "Quoted from the pages found; no model wrote this."
QUOTED_SNIPPETS = "Quoted from what the search engine shows of the pages, which could not be read; no model wrote this."
NOTHING_QUOTED = "No sentence of the pages found has to do with the words of the question; no model wrote this."
_TITLE_CHARS = 200
# Behind a quotation mark a number looks like that of a source, whatever brackets are around it.
_FORGED = re.compile(r"""(?<=["”“»«])(?:\s{0,9}[\[［【][\s\d,;–-]{1,99}[\]］】])+""")


@dataclass(frozen=True, slots=True)
class Material:
    """A page to quote from: what is shown of it for the question, as Markdown; `published` is a day, if it is known."""

    url: str
    title: str
    text: str = ""
    published: str = ""


def quoted(question: str, pages: Sequence[Material], opening: str = QUOTED) -> CitedAnswer:
    """The sentences that answer best, the best first, one on a line; then their sources, in the order of the quotes.

    Where nothing fits the question, the pages are listed.
    """
    quotes = best_quotes(question, [page.text for page in pages])
    if not quotes:
        return _with_sources(NOTHING_QUOTED, pages)
    numbers = {source: number for number, source in enumerate(dict.fromkeys(quote.source for quote in quotes), 1)}
    text, citations = f"{opening}\n", []
    for quote in quotes:
        page, rank, words = pages[quote.source], numbers[quote.source], _harmless(quote.text)
        start = len(text) + len('\n"')
        text += f'\n"{words}" [{rank}]'
        citations.append(Citation(_address(page), _title(page), words, start, start + len(words), rank))
    lines = [_line(pages[source], number) for source, number in numbers.items()]
    return CitedAnswer("\n".join([text, "", "Sources:", *lines]), tuple(citations), EXTRACTIVE)


def listed(pages: Sequence[Material]) -> CitedAnswer:
    """The pages alone, numbered; each line is a citation."""
    return _with_sources("", pages)


def nothing(why: str) -> CitedAnswer:
    """An answer that says why there is none."""
    return CitedAnswer(why, (), EXTRACTIVE)


def _with_sources(opening: str, pages: Sequence[Material]) -> CitedAnswer:
    text, citations = f"{opening}\n\n" if opening else "", []
    for rank, page in enumerate(pages, 1):
        start, line = len(text), _line(page, rank)
        text += f"{line}\n"
        citations.append(Citation(_address(page), _title(page), line, start, start + len(line), rank))
    return CitedAnswer(text.rstrip("\n"), tuple(citations), EXTRACTIVE)


def _line(page: Material, rank: int) -> str:
    date = f" ({page.published})" if page.published else ""
    return f"[{rank}] {_title(page)} — {_address(page)}{date}"


def _title(page: Material) -> str:
    parsed = urls.parse(page.url)
    return _harmless(without_markup(page.title, _TITLE_CHARS)) or (parsed.host if parsed else "")


def _address(page: Material) -> str:
    return urls.without_tracking(page.url)


def _harmless(words: str) -> str:
    """Words that end no quotation with a source of their own, and begin no comment, which would hide what follows."""
    return _FORGED.sub("", words).replace("<!--", "<! --")
