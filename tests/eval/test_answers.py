"""How often an answer without a model is right, and how often it is declined where no page answers.

Each set has 60 questions that a page answers, and 40 that none answers. All are asked through the tool, with a search
that ranks all pages by the words of their text. `own.json` was written before the rules: 55 answers are right and all
40 questions declined. `blind.json` was written without knowledge of the rules, mostly in other words than those of the
pages: 30 and 34. `second_blind.json` was written from the pages alone: 33 and 37. If nothing is declined, 58, 50 and 52
answers are right: the goal of 48 and 36 takes more than shared words. `five_languages.json` has pages of its own, and
most of its unanswerable questions are near misses; it was written before these rules, and they were chosen with it: 47
and 27. Of the blind sets only these totals were looked at while rules and factors were chosen, nine times, so they
are a little less blind. `tools/answer_decisions.py` measures the decision on other pages.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dowse.app import App
from dowse.core.runtime import no_progress
from dowse.language.stopwords import STOP_WORDS
from dowse.language.words import choose_splitter, split_question
from dowse.rank.quotes import NOT_ANSWERED
from dowse.settings.sources import load
from tests.doubles import Listing, PocketWeb, corpus
from tests.doubles.site import PATHS

HERE = Path(__file__).parent
FLOORS = json.loads((HERE / "floors.json").read_text(encoding="utf-8"))["answers"]
# Lists of other pages: they would be found for every question.
INDEXES = ("/", "/elsewhere", "/robots.txt")
STOP = STOP_WORDS["english"] | STOP_WORDS["german"]

Ask = Callable[[str], Awaitable[str]]


@asynccontextmanager
async def asking(web: PocketWeb, pages: list[Listing] | None = None) -> AsyncIterator[Ask]:
    """A function that asks the tool, over these pages or all readable pages of the pocket web."""
    settings = {**web.environment("serper"), "DOWSE_STATE": "memory:", "DOWSE_BROWSER": "off", "DOWSE_KEYLESS": "off"}
    async with App(load({}, settings).settings) as app:
        tool = app.contract.tool("answer_question")
        assert tool is not None
        if pages is None:
            read = [await listing(app, web, path) for path in PATHS if path not in INDEXES]
            pages = [page for page in read if page is not None]

        async def ask(question: str) -> str:
            web.serper.finds(by_overlap(question, pages))
            answer = await app.dispatcher.call(tool, {"question": question}, no_progress)
            assert not answer.is_error, answer.text
            return answer.text

        yield ask


async def listing(app: App, web: PocketWeb, path: str) -> Listing | None:
    """A page as a search engine knows it, by its whole text; `None` if it cannot be read."""
    read = app.contract.tool("get_content")
    assert read is not None
    answer = await app.dispatcher.call(read, {"url": web.page(path), "max_tokens": 2000}, no_progress)
    if answer.is_error:
        return None
    known = corpus.document(path)
    title = known.title if known else path.rpartition("/")[2]
    return Listing(title, web.page(path), known.description if known else "", keywords=answer.text)


def by_overlap(question: str, pages: list[Listing]) -> list[Listing]:
    """The pages with the most words of the question first."""
    split = choose_splitter(question)
    words = set(split_question(question, split)) - STOP
    return sorted(pages, key=lambda page: -len(words & set(split(f"{page.title} {page.snippet} {page.keywords}"))))


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def is_right(shown: str, answer: str) -> bool:
    """Whether a quoted sentence has the answer."""
    return any(letters(answer) in letters(line) for line in shown.split("\n") if line.startswith('"'))


@pytest.mark.parametrize("name", ["own", "blind", "second_blind"])
async def test_answers_are_quoted_and_questions_without_one_are_declined(name: str, web: PocketWeb) -> None:
    questions = json.loads((HERE / "answers" / f"{name}.json").read_text(encoding="utf-8"))
    async with asking(web) as ask:
        wrong = [
            each["question"]
            for each in questions["answerable"]
            if not is_right(await ask(each["question"]), each["answer"])
        ]
        answered = [question for question in questions["unanswerable"] if NOT_ANSWERED not in await ask(question)]
    assert (len(questions["answerable"]), len(questions["unanswerable"])) == (60, 40)
    assert 60 - len(wrong) >= FLOORS[name]["answered"], wrong
    assert 40 - len(answered) >= FLOORS[name]["declined"], answered


async def test_answers_are_quoted_and_questions_declined_in_five_languages(web: PocketWeb) -> None:
    known = json.loads((HERE / "answers" / "five_languages.json").read_text(encoding="utf-8"))
    pages = []
    for page in known["pages"]:
        web.pages.serves(page["path"], page["text"], content_type="text/markdown; charset=utf-8")
        pages.append(Listing(page["title"], web.page(page["path"]), keywords=page["text"]))
    async with asking(web, pages) as ask:
        wrong = [
            each["question"]
            for each in known["answerable"]
            if not is_right(await ask(each["question"]), each["answer"])
        ]
        questions = [each["question"] for each in known["unanswerable"]]
        answered = [question for question in questions if NOT_ANSWERED not in await ask(question)]
    assert (len(known["answerable"]), len(questions)) == (60, 40)
    assert 60 - len(wrong) >= FLOORS["five_languages"]["answered"], wrong
    assert 40 - len(answered) >= FLOORS["five_languages"]["declined"], answered
