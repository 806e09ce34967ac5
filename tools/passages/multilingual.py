"""Pages and questions in fourteen languages: the files of `passages/multilingual`, which their README describes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NotRequired, TypedDict

from tools.passages.data import Page, Question
from tools.passages.sentences import surroundings, touched

Span = tuple[int, int]


class _Part(TypedDict):
    text: str
    start: int


class _Asked(TypedDict):
    """A question; `answers` are alternatives, `sentences` alternatives of several parts."""

    question: str
    answers: NotRequired[list[_Part]]
    sentences: NotRequired[list[list[_Part]]]


class _Paragraph(TypedDict):
    context: str
    questions: list[_Asked]


def multilingual_pages(folder: Path) -> Iterator[Page]:
    """All pages, each under the name of its file; questions without an answer are left out."""
    for file in sorted(folder.glob("*.json")):
        data = json.loads(file.read_text())
        for article in data["articles"]:
            yield _page(file.stem, data["language"], article["paragraphs"])


def _page(name: str, language: str, paragraphs: Sequence[_Paragraph]) -> Page:
    text = "\n\n".join(paragraph["context"] for paragraph in paragraphs)
    questions: list[Question] = []
    at = 0
    for paragraph in paragraphs:
        for asked in paragraph["questions"]:
            if alternatives := _alternatives(asked):
                spans = [[_span(part, at) for part in parts] for parts in alternatives]
                answers = tuple(_sentences(text, language, each) for each in spans)
                questions.append(Question(asked["question"], *spans[0][0], answers))
        at += len(paragraph["context"]) + 2
    return Page(name, language, text, tuple(questions))


def _alternatives(asked: _Asked) -> list[list[_Part]]:
    """The answers of the annotators, each with its parts."""
    if "sentences" in asked:
        return [parts for parts in asked["sentences"] if parts]
    return [[part] for part in asked.get("answers", [])]


def _span(part: _Part, at: int) -> Span:
    start = at + part["start"]
    return start, start + len(part["text"])


def _sentences(text: str, language: str, spans: Sequence[Span]) -> tuple[str, ...]:
    """The sentences that have to be shown."""
    if language == "th":
        found = [surroundings(text, *span) for span in spans]
    else:
        # The question mark of Greek is a semicolon.
        marked = text.replace(";", "?") if language == "el" else text
        found = [each for span in spans for each in touched(marked, *span)]
    return tuple(text[start:end] for start, end in found)
