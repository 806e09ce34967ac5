"""`python -m tools.answer_decisions`: how well the extractive answer tells questions with an answer from those without.

Each question of `tests/eval/passages/web` and of SQuAD is asked twice over all pages of its set: with its answer on
the page, and with the sentences of the answer taken out. For each set three figures are printed: how often the answer
is quoted if no question is declined; how often if nine tenths of the others are; and how often the support of an
answered question is higher than that of one without an answer (AUC: 0.5 is chance).
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from dowse.core.answers import Material
from dowse.core.digests import Source
from dowse.rank.digest import digest
from dowse.rank.quotes import RankedQuotes, choose_text, rank_quotes
from dowse.rank.summary import strip_syntax
from tools.passages.data import Page, Question, squad_file, squad_pages, thinned, web_pages
from tools.passages.sentences import touched

_TOKENS_PER_PAGE = 500
_DECLINED = 0.9
_NO_WORD = re.compile(r"[\W_]+")


class Case(NamedTuple):
    """The support of a question with its answer on the page, whether that is quoted, and the support without it."""

    support: float
    is_quoted: bool
    support_without: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="", help="the folder that holds passages/squad-subset.json")
    parser.add_argument("--every", type=int, default=10, help="ask each of so many questions of SQuAD")
    asked = parser.parse_args()
    print("web  ", describe(list(ask_twice(list(web_pages())))))
    print("SQuAD", describe(list(ask_twice(list(thinned(squad_pages(squad_file(asked.data)), asked.every))))))


def ask_twice(pages: Sequence[Page]) -> Iterator[Case]:
    """A case for each question about the pages."""
    for number, page in enumerate(pages):
        for question in page.questions:
            found = quote(question, pages)
            shown = [letters(each.text) for each in found.quotes]
            is_quoted = all(any(letters(part) in text for text in shown) for part in page.answer(question))
            without = [*pages[:number], remove_answer(page, question), *pages[number + 1 :]]
            yield Case(found.support, is_quoted, quote(question, without).support)


def quote(question: Question, pages: Sequence[Page]) -> RankedQuotes:
    digests = digest(question.text, [Source(page.text) for page in pages], _TOKENS_PER_PAGE * len(pages))
    texts = [choose_text(each, page.text) for each, page in zip(digests, pages, strict=True)]
    return rank_quotes(question.text, [Material("", "", text) for text in texts])


def remove_answer(page: Page, question: Question) -> Page:
    """The page without the sentences that have a part of the answer."""
    text = page.text
    for start, end in reversed(touched(text, question.start, question.end)):
        text = text[:start] + text[end:]
    return replace(page, text=text)


def letters(markdown: str) -> str:
    return _NO_WORD.sub(" ", strip_syntax(markdown)).strip().casefold()


def describe(cases: Sequence[Case]) -> str:
    """The figures of a set as one line."""
    without = sorted(case.support_without for case in cases)
    threshold = without[int(_DECLINED * len(without)) - 1]
    quoted = sum(case.is_quoted for case in cases) / len(cases)
    right = sum(case.is_quoted and case.support > threshold for case in cases) / len(cases)
    higher = sum(case.support > other for case in cases for other in without) / len(cases) ** 2
    return f"quoted {quoted:.2f}, with {_DECLINED:.0%} of the others declined {right:.2f}, AUC {higher:.2f}"


if __name__ == "__main__":
    main()
