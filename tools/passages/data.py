"""Pages with questions whose answers are known: whole articles of SQuAD 2.0, and the pages of `tests/eval/passages`.

SQuAD is CC BY-SA 4.0 and is never copied into the project. The other pages were written for it. `multilingual.py` and
`long.py` read further sets.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tools.passages.sentences import touched

OWN = Path(__file__).resolve().parents[2] / "tests" / "eval" / "passages"
_BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"
_QUESTIONS_BELOW = "\n\n<!-- questions -->\n"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and where in the text of its page the answer is.

    `answers` are the alternatives of several annotators, each the sentences that have to be shown together; without
    them, the sentences that the span touches are the answer.
    """

    text: str
    start: int
    end: int
    answers: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A page as Markdown, and what is asked about it."""

    name: str
    language: str
    text: str
    questions: tuple[Question, ...]

    def answer(self, question: Question) -> list[str]:
        """The sentences, rows or lines of code that the answer is in: all of them have to be shown."""
        if question.answers:
            return list(question.answers[0])
        return [self.text[start:end] for start, end in touched(self.text, question.start, question.end)]

    def answers(self, question: Question) -> list[list[str]]:
        """The alternative answers, one of which suffices."""
        return [list(each) for each in question.answers] or [self.answer(question)]


def squad_file(named: str = "") -> Path:
    """Where the articles are: in the folder that was named, or in `DOWSE_EVAL_DATA`, or beside the project."""
    return Path(named or os.environ.get("DOWSE_EVAL_DATA") or _BESIDE) / "passages" / "squad-subset.json"


def squad_pages(file: Path) -> Iterator[Page]:
    """Each article whole, its paragraphs separated by blank lines."""
    for article in json.loads(file.read_text())["articles"]:
        text, questions = "", []
        for paragraph in article["paragraphs"]:
            for asked in paragraph["questions"]:
                answer = asked["answers"][0]
                start = len(text) + answer["start"]
                questions.append(Question(asked["question"], start, start + len(answer["text"])))
            text += paragraph["context"] + "\n\n"
        yield Page(article["title"], "en", text.rstrip(), tuple(questions))


def web_pages() -> Iterator[Page]:
    """Pages in English of the kinds that the web has, such as manuals, threads, articles and terms."""
    return (_page(file, "en") for file in sorted((OWN / "web").glob("*.md")))


def language_pages() -> Iterator[Page]:
    """The same page in many languages; only the one in Burmese is shorter."""
    return (_page(file, file.stem) for file in sorted((OWN / "languages").glob("*.md")))


def _page(file: Path, language: str) -> Page:
    text, _, below = file.read_text().partition(_QUESTIONS_BELOW)
    lines = below.splitlines()
    questions = tuple(
        _asked(file.stem, text, question.removeprefix("? "), answer.removeprefix("= "))
        for question, answer in zip(lines[::2], lines[1::2], strict=True)
    )
    return Page(file.stem, language, text, questions)


def _asked(page: str, text: str, question: str, answer: str) -> Question:
    if text.count(answer) != 1:
        raise ValueError(f"{page}: “{answer}” is on the page {text.count(answer)} times, not once")
    start = text.index(answer)
    return Question(question, start, start + len(answer))


def thinned(pages: Iterable[Page], every: int) -> Iterator[Page]:
    """The same pages with each `every`th question only, so that a run is quick."""
    return (replace(page, questions=page.questions[::every]) for page in pages)
