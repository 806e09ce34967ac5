"""What counts as an answer, by hand: figures that say nothing wrong are worth more than high ones."""

from __future__ import annotations

import pytest

from tests.support.tables import each_row
from tools.passages.data import Page, Question, language_pages, web_pages
from tools.passages.metric import beginning, is_shown, overlap, tokens

TABLE = "# Lamps\n\n| Mode | Lasts |\n| --- | --- |\n| City | 11 h |\n\n```sh\nlamp on\nlamp off\n```"


def answer(text: str, span: str) -> list[str]:
    start = text.index(span)
    return Page("page", "en", text, ()).answer(Question("", start, start + len(span)))


@each_row(
    ("text", "span", "sentences"),
    [
        (
            "It rained. The boat left at 7.15 p.m. on Sunday. Nobody came.",
            "7.15",
            ["The boat left at 7.15 p.m. on Sunday."],
        ),
        ("Built by E. M. Tolland. It fell.", "Tolland", ["Built by E. M. Tolland."]),
        ("One. Two. Three.", "ne. Tw", ["One.", "Two."]),
        ("- First item. More of it.\n- Second item.", "First", ["First item."]),
        (TABLE, "11 h", ["| City | 11 h |"]),
        (TABLE, "lamp off", ["lamp off"]),
        ("渡海需要五十分钟。票价14克朗。", "五十", ["渡海需要五十分钟。"]),
        ("यह द्वीप है। यहाँ लोग रहते हैं।", "लोग", ["यहाँ लोग रहते हैं।"]),
        ("ตั๋วราคา 14 โครน เด็กจ่ายครึ่ง", "14", ["ตั๋วราคา 14 โครน"]),
    ],
)
def test_an_answer_is_every_sentence_row_or_line_that_it_touches(text: str, span: str, sentences: list[str]) -> None:
    assert answer(text, span) == sentences


def test_an_answer_counts_only_if_all_of_it_is_shown() -> None:
    assert is_shown(["One  two.", "Three."], "# Head\n\nOne\ntwo. […] Three.")
    assert not is_shown(["One two.", "Three."], "One two. […]")
    assert not is_shown(["One two three."], "One two […] three.")


def test_the_beginning_of_a_text_has_as_many_tokens_as_asked_for() -> None:
    text = "渡海需要五十分钟。The crossing takes fifty minutes. " * 20
    assert text.startswith(beginning(text, 50))
    assert 45 <= tokens(beginning(text, 50)) <= 50


def test_overlap_is_the_share_of_the_telling_words_that_the_answer_has() -> None:
    assert overlap("How long does the crossing last?", ["The crossing is long."]) == pytest.approx(2 / 4)


def test_every_page_of_our_own_has_questions_that_it_answers_once() -> None:
    """Reading them would raise otherwise."""
    pages = [*web_pages(), *language_pages()]
    assert len(pages) == 27
    assert all(len(page.questions) >= 9 for page in pages)
