"""Long documents of one to two million characters, composed of articles with questions and of pages without.

The pages are the ground truth of `wcxb-dev`; the articles stand among them at even distances. Manuals are of pages of
documentation, papers of articles. Transcripts are of threads, and the text of their articles has no capital letters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tools.passages.data import Page, Question, squad_pages
from tools.passages.multilingual import multilingual_pages

_LONGEST = 1_700_000
_EVERY = 8


def long_pages(data: Path) -> Iterator[Page]:
    """The three documents."""
    squad = list(squad_pages(data / "passages" / "squad-subset.json"))
    clapnq = [page for page in multilingual_pages(data / "passages" / "multilingual") if page.name == "clapnq"]
    pages = data / "wcxb-dev" / "ground-truth"
    yield _compose("manuals", squad, _texts(pages, "documentation"), _EVERY)
    yield _compose("papers", clapnq, _texts(pages, "article"), 1)
    yield _compose("transcripts", list(map(_without_capitals, squad)), _texts(pages, "forum"), _EVERY)


def _texts(folder: Path, kind: str) -> Iterator[str]:
    """The text of each page of a kind."""
    for file in sorted(folder.glob("*.json")):
        page = json.loads(file.read_text())
        if page["_internal"]["page_type"]["primary"] == kind:
            yield page["ground_truth"].get("main_content") or "(empty)"


def _compose(name: str, articles: Sequence[Page], texts: Iterator[str], every: int) -> Page:
    """One document: between two articles as many texts as fit."""
    room = (_LONGEST - sum(len(article.text) for article in articles)) // len(articles)
    whole, questions = "", []
    for article in articles:
        asked = article.questions[::every]
        questions += [replace(each, start=each.start + len(whole), end=each.end + len(whole)) for each in asked]
        whole += f"{article.text}\n\n"
        end = len(whole) + room
        while len(whole) < end and (text := next(texts, "")):
            whole += f"{text}\n\n"
    return Page(name, "en", whole.rstrip(), tuple(questions))


def _without_capitals(page: Page) -> Page:
    """A page as it would be in a transcript; each capital letter becomes one small one, so that all offsets hold."""
    text = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in page.text)
    answers = [page.answer(question) for question in page.questions]
    questions = [
        Question(asked.text, asked.start, asked.end, (tuple(map(str.lower, answer)),))
        for asked, answer in zip(page.questions, answers, strict=True)
    ]
    return replace(page, name=f"{page.name} (transcript)", text=text, questions=tuple(questions))
