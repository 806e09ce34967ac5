"""How well summaries agree with what pages say of themselves in their descriptions, on the pages of WCXB.

The description is kept from the summary, which has to make do with the page's text. Beside it stand the first 500
characters of the page. The measure is ROUGE-1: the words that two texts share. Some sites cut their descriptions off
the beginning of the page; nothing can beat the beginning there, so those pages are counted apart.

    python -m tools.summary_scores --every 3
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from dowse.core.digests import Source
from dowse.core.errors import PageUnreadable
from dowse.core.text import one_line
from dowse.document.clean import to_plain_text
from dowse.document.markdown import Document
from dowse.extract import html
from dowse.extract.decode import decode
from dowse.rank.summary import MAX_CHARS, summarize
from tools.extractor.data import folder, samples
from tools.extractor.metrics import Score, word_score, words

_LEAST_CHARS = 80
_BEGINNING = 3_000
# So many words in a row are no accident.
_COPIED_WORDS = 12


@dataclass(frozen=True, slots=True)
class Described:
    """A page without its description, and the description; `is_copied` if that is the beginning of the page."""

    page: Source
    description: str
    is_copied: bool


@dataclass(frozen=True, slots=True)
class Figures:
    """Agreement with each description, in words of its own or copied, and the CPU time of a summary."""

    own: Sequence[Score]
    copied: Sequence[Score]
    ms: float


def table(data: Path, every: int = 1) -> str:
    """The figures as lines of text."""
    pages = list(described(data, every))
    ways = {
        "first 500 characters": lambda page: one_line(to_plain_text(page.text[:_BEGINNING]), MAX_CHARS),
        "summary": lambda page: summarize(page, Document(page.text), ""),
    }
    lines = [f"{'ROUGE-1 with descriptions':26}{'in own words':>14}{'F':>7}{'copied':>14}{'F':>7}{'CPU ms':>9}"]
    for name, summarise in ways.items():
        found = figures(pages, summarise)
        lines.append(f"{name:26}{_shown(found.own)}{_shown(found.copied)}{found.ms:9.2f}")
    return "\n".join(lines)


def described(data: Path, every: int = 1) -> Iterator[Described]:
    """The pages that have a description, and a text."""
    for sample in samples(data, every):
        try:
            text = html.to_text(decode(sample.html), sample.url)
        except PageUnreadable:
            continue
        description = text.facts.description
        if text.markdown and _LEAST_CHARS <= len(description) < MAX_CHARS:
            beginning = " ".join(words(to_plain_text(text.markdown[:_BEGINNING])))
            is_copied = " ".join(words(description)[:_COPIED_WORDS]) in beginning
            yield Described(Source(text.markdown, text.title, sample.url), description, is_copied)


def figures(pages: Iterable[Described], summarise: Callable[[Source], str]) -> Figures:
    """What one way to summarise a page reaches."""
    scores: dict[bool, list[Score]] = {False: [], True: []}
    spent = 0.0
    for each in pages:
        started = time.process_time()
        found = summarise(each.page)
        spent += time.process_time() - started
        scores[each.is_copied].append(word_score(words(found), words(each.description)))
    return Figures(scores[False], scores[True], 1000 * spent / max(1, sum(map(len, scores.values()))))


def _shown(scores: Sequence[Score]) -> str:
    """Recall and F, and of how many pages."""
    if not scores:
        return f"{'-':>21}"
    recall, f1 = fmean(score.recall for score in scores), fmean(score.f1 for score in scores)
    return f"{f'{recall:.1%} ({len(scores)})':>14}{f1:7.1%}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Agreement of summaries with the descriptions of pages.")
    parser.add_argument("--data", default="", help="the folder that holds wcxb-dev")
    parser.add_argument("--every", type=int, default=1, help="read each Nth page only")
    arguments = parser.parse_args()
    data = folder(arguments.data)
    if not data.is_dir():
        print(f"{data} is missing: name the folder that holds wcxb-dev with --data or DOWSE_EVAL_DATA", file=sys.stderr)
        return 2
    print(table(data, arguments.every))
    return 0


if __name__ == "__main__":
    sys.exit(main())
