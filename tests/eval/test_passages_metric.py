"""What counts as an answer, by hand: figures that say nothing wrong are worth more than high ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.tables import each_row
from tools.passages.data import Page, Question, language_pages, web_pages
from tools.passages.long import long_pages
from tools.passages.metric import beginning, is_shown, overlap, tokens
from tools.passages.multilingual import multilingual_pages
from tools.passages.sentences import surroundings

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


def test_an_answer_in_thai_is_shown_with_its_surroundings_up_to_a_blank() -> None:
    text = "กกกกกกกกกกกกกกกกกก ขขข 139 คคค งงงงงงงงงงงงงงงงงงงงงง\nจจจ"
    first, last = surroundings(text, text.index("139"), text.index("139") + 3)
    assert text[first:last] == "ขขข 139 คคค"


def write_set(folder: Path, name: str, language: str, paragraphs: list[object]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    data = {"language": language, "articles": [{"title": name, "paragraphs": paragraphs}]}
    (folder / f"{name}.json").write_text(json.dumps(data))


def test_each_annotator_is_an_alternative_and_unanswered_questions_are_left_out(tmp_path: Path) -> None:
    spans = [{"text": "Rain", "start": 0}, {"text": "melts", "start": 17}]
    several = {"question": "Why?", "sentences": [spans, [spans[1]], []]}
    write_set(
        tmp_path,
        "set",
        "en",
        [
            {"context": "First.", "questions": []},
            {"context": "Rain falls. Snow melts.", "questions": [several, {"question": "Who?", "sentences": []}]},
        ],
    )
    [page] = multilingual_pages(tmp_path)
    assert page.text == "First.\n\nRain falls. Snow melts."
    [asked] = page.questions
    assert page.answers(asked) == [["Rain falls.", "Snow melts."], ["Snow melts."]]


def test_the_question_mark_of_greek_ends_a_sentence(tmp_path: Path) -> None:
    asked = {"question": "?", "answers": [{"text": "γη", "start": 9}]}
    write_set(tmp_path, "set", "el", [{"context": "Τι είναι γη; Πλανήτης.", "questions": [asked]}])
    [page] = multilingual_pages(tmp_path)
    assert page.answers(page.questions[0]) == [["Τι είναι γη;"]]


def test_answers_in_long_documents_are_where_their_questions_say(tmp_path: Path) -> None:
    asked = {"question": "What fell?", "answers": [{"text": "Rain", "start": 8}], "sentences": []}
    paragraph = {"context": "It was. Rain fell in May. It went.", "questions": [asked]}
    write_set(tmp_path / "passages", "squad-subset", "en", [paragraph])
    clapnq = {**asked, "sentences": [[{"text": "Rain", "start": 8}]]}
    write_set(tmp_path / "passages" / "multilingual", "clapnq", "en", [{**paragraph, "questions": [clapnq]}])
    texts = tmp_path / "wcxb-dev" / "ground-truth"
    texts.mkdir(parents=True)
    (texts / "1.json").write_text(
        json.dumps({"_internal": {"page_type": {"primary": "forum"}}, "ground_truth": {"main_content": "A thread."}})
    )
    manuals, papers, transcripts = long_pages(tmp_path)
    assert manuals.answers(manuals.questions[0]) == papers.answers(papers.questions[0]) == [["Rain fell in May."]]
    assert transcripts.answers(transcripts.questions[0]) == [["rain fell in may."]]
    assert transcripts.text == "it was. rain fell in may. it went.\n\nA thread."
