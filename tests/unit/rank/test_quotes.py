"""Which sentences of several pages are quoted, and in which words."""

from __future__ import annotations

import pytest

from dowse.core.answers import Material
from dowse.core.digests import Digest
from dowse.rank.quotes import MOST_CHARS, Quote, RankedQuotes, choose_text, rank_quotes
from tests.support.tables import each_row

BRIDGE = """\
# Harbour bridge

The bridge was closed on 10 August. It carries trams and lorries.

[…]

## Costs

The repair cost 2.3 million crowns, a fifth less than planned.
"""


def ranked(question: str, *texts: str, title: str = "") -> RankedQuotes:
    return rank_quotes(question, [Material("", title, text) for text in texts])


def words(question: str, *texts: str) -> list[str]:
    return [quote.text for quote in ranked(question, *texts).quotes]


def test_the_sentence_that_answers_comes_first() -> None:
    assert words("what did the repair cost", BRIDGE)[0] == (
        "The repair cost 2.3 million crowns, a fifth less than planned."
    )


def test_quotes_name_the_text_they_are_from() -> None:
    other = "Trams run every ten minutes. The weather was fine."
    assert ranked("how often do trams run", BRIDGE, other).quotes[0] == Quote("Trams run every ten minutes.", 1)


def test_nothing_is_quoted_that_has_no_word_of_the_question() -> None:
    assert words("recipes for rye bread", BRIDGE) == []


def test_words_of_the_title_do_not_make_a_sentence_an_answer() -> None:
    page = "# How to descale a kettle\n\nOur shop was founded in 1950.\n\nA kettle is descaled with vinegar."
    assert words("how to descale a kettle", page) == ["A kettle is descaled with vinegar."]


def test_what_another_page_says_as_well_is_quoted_once() -> None:
    again = "The repair cost 2.3 million crowns, a fifth less than had been planned."
    assert len(words("what did the repair cost", BRIDGE.partition("## Costs")[2], again)) == 1


def test_sentences_that_differ_in_a_number_are_both_quoted() -> None:
    texts = "In 2019 the river rose by 3 metres.", "In 2021 the river rose by 4 metres."
    assert sorted(words("how much did the river rise", *texts)) == sorted(texts)


def test_all_quotes_together_are_short() -> None:
    sentences = [f"Rule {number} of the river is that {'water ' * 20}flows down hill {number}." for number in range(30)]
    quotes = words("river rules", "\n\n".join(sentences))
    assert len(quotes) > 2
    assert sum(map(len, quotes)) <= MOST_CHARS


def test_a_sentence_that_is_too_long_ends_with_an_ellipsis() -> None:
    (quote,) = words("river", f"The river {'winds and winds ' * 50}to the sea.")
    assert len(quote) <= 400
    assert quote.startswith("The river winds")
    assert quote.endswith("…")


def test_links_emphasis_and_marks_of_lists_are_reduced_to_their_words() -> None:
    page = "- The [**river** Aare](https://example.org/aare) is *288 km* long, says `gauge`."
    assert words("how long is the river", page) == ["The river Aare is 288 km long, says gauge."]


def test_images_tags_and_invisible_characters_are_left_out() -> None:
    page = (
        "The river ![map](https://tracker.example/x.png) is <b>288\u202e km</b>\u200b long. ![x](https://e.example/y)"
    )
    quotes = words("how long is the river", page)
    assert quotes == ["The river map is 288 km long."]


def test_marks_of_notes_are_left_out_because_they_would_look_like_our_sources() -> None:
    page = 'The river is 288 km long.[12] "It floods." [2] "Every river floods", said the mayor [3].'
    assert not any("[" in quote for quote in words("river floods long", page))
    assert words("first item", "Take the first item with items[0] of the list.") == [
        "Take the first item with items[0] of the list."
    ]


def test_a_question_is_quoted_with_its_answer() -> None:
    page = "**Does it float?** Not for long.\n\n**Is it red?** It is blue on the inside."
    assert words("does it float", page)[0] == "Does it float? Not for long."


def test_what_another_author_says_below_a_question_is_not_quoted_with_it() -> None:
    thread = "Do otters eat crabs as well?\n\n---\n\nOtters eat eels here, and I disagree with all that was said."
    assert words("do otters eat crabs", thread) == ["Otters eat eels here, and I disagree with all that was said."]


def test_a_question_without_an_answer_is_no_quote() -> None:
    assert words("how deep is the lake", "How deep is the lake, do you know?") == []


def test_rows_of_a_table_come_with_the_names_of_the_columns() -> None:
    page = "| Mode | Light | Lasts |\n| --- | --- | --- |\n| City | 150 lm | 11 h |\n[…]\n| Boost | 600 lm | 2 h |"
    assert words("how long does boost mode last", page) == [
        "Mode | Light | Lasts; City | 150 lm | 11 h; Boost | 600 lm | 2 h"
    ]


def test_a_table_without_names_and_with_empty_cells_keeps_its_columns() -> None:
    page = f"| | |\n| --- | --- |\n| Weight of the lamp | 138 g |\n| Size | |\n| Note | {'x' * 500} |"
    assert words("weight of the lamp", page) == ["Weight of the lamp | 138 g; Size |"]


def test_code_is_quoted_if_it_is_one_line() -> None:
    line = "larkbox mount nest --read-only"
    assert words("mount the nest", f"```\n{line}\n```") == [line]
    assert words("mount the nest", f"```\n{line}\nls nest\n```") == []


@pytest.mark.parametrize(
    "page",
    ["The river rises in the snow of the\n\n[…]", "The river rises in the snow of the […] Next comes the lake."],
    ids=["at the end", "inside"],
)
def test_a_sentence_that_was_cut_off_is_no_quote(page: str) -> None:
    assert not any("river" in quote for quote in words("where does the river rise", page))


def test_chinese_and_thai_are_quoted_in_sentences() -> None:
    assert words("这座桥有多长", "这座桥建于一九五六年。这座桥全长二百八十八米。天气很好。")[0].startswith("这座桥")
    assert words("แม่น้ำยาวเท่าไร", "แม่น้ำสายนี้ยาวสองร้อยกิโลเมตร")


def hostile(times: int) -> list[tuple[str, int]]:
    """Pages that are made to be slow to cut into sentences, and how many quotes they hold."""
    return [
        ("river " * 40 * times, 1),
        ("| river " * 40 * times, 1),
        ("[1]" * 80 * times, 0),
        ("river [" * 50 * times, 1),
        ("# " * 80 * times, 0),
        ("- river\n" * 30 * times, 0),
        ("river?\n\n" * 30 * times, 0),
    ]


@each_row(("page", "count"), hostile(5))
def test_quotes_of_hostile_pages_are_few_and_bounded(page: str, count: int) -> None:
    quoted = words("how long is the river", page)
    assert len(quoted) == count
    assert all(len(each) <= MOST_CHARS for each in quoted)


SHORE = """\
# Field guide to rock pools

## Rules

1. Wet your hands before you touch anything.
   - Sun cream harms what lives here.
"""
IMPORTS = """\
# Python 3.15

Two rules keep imports predictable: the keyword is only allowed at module level, and errors surface at the first use.
"""


def test_one_shared_word_is_no_answer() -> None:
    assert ranked("What is the rule of twelfths?", SHORE, IMPORTS).support < 1


@each_row(
    ("question", "text", "is_answered"),
    [
        ("what did the repair of the harbour bridge cost", BRIDGE, True),
        ("who designed the harbour bridge", BRIDGE, False),
        ("how tall is the tower of the harbour bridge", BRIDGE, False),
        ("Wann wird der Ofen geliefert?", "# Ofen\n\nDer Ofen wird am 3. Mai geliefert.", True),
        ("Wie heiß wird der Motor?", "# Ofen\n\nDer Ofen wird am 3. Mai geliefert.", False),
        ("这座桥有多长", "# 桥\n\n这座桥全长二百八十八米。", True),
        ("谁发明了望远镜", "# 桥\n\n这座桥全长二百八十八米。", False),
    ],
)
def test_an_answer_has_the_words_that_are_asked_about(question: str, text: str, is_answered: bool) -> None:
    assert (ranked(question, text).support >= 1) is is_answered


def test_words_of_the_topic_do_not_make_up_for_the_one_that_is_asked_about() -> None:
    page = "# Fjell kettle\n\nThe Fjell kettle pours well. The Fjell kettle is light. The kettle has a long spout."
    assert ranked("warranty of the kettle", page).support < ranked("spout of the kettle", page).support


def test_a_name_that_is_asked_for_weighs_more_than_another_word() -> None:
    page = "The river Aare rises at a glacier. It is a river with a weir."
    assert (
        ranked("where does the river Rhine rise", page).support
        < ranked("where does the river Aare start", page).support
    )


def test_where_a_person_is_asked_for_a_name_supports_the_answer() -> None:
    question = "who opened the harbour bridge"
    assert (
        ranked(question, "Crowds opened the harbour bridge today.").support
        < ranked(question, "Today Queen Ada opened the harbour bridge.").support
    )


@each_row(
    ("question", "other", "telling"),
    [
        ("how long is the harbour bridge", "The harbour bridge is long.", "The harbour bridge is 40 m long."),
        ("wie viele Bögen hat die Brücke", "Die Brücke hat Bögen.", "Die Brücke hat vierzig Bögen."),
        ("when was Python 3.15 released", "Python 3.15 was released.", "Python 3.15 was released on Friday."),
        ("was the bridge open in 1998", "The bridge was open in 1999.", "The bridge was open in 1998."),
    ],
)
def test_where_a_number_or_date_is_asked_for_it_supports_the_answer(question: str, other: str, telling: str) -> None:
    assert ranked(question, other).support < ranked(question, telling).support


def test_the_title_is_a_candidate_if_it_says_more_than_the_question() -> None:
    question, text = "how many weeks early did the bridge reopen", "Trams cross the bridge again since this morning."
    title = "Bridge reopens three weeks early"
    assert title in [quote.text for quote in ranked(question, text, title=title).quotes]
    assert [quote.text for quote in ranked(question, text, title="Bridge").quotes] == [text]


def test_the_lead_is_a_candidate_below_a_title_that_has_the_words_of_the_question() -> None:
    lead = "A sport in which people roll downhill inside a large ball."
    found = ranked("what is zorbing", f"{lead} It began in 1994.", title="Zorbing explained")
    assert lead in [quote.text for quote in found.quotes]
    assert found.support >= 1


def test_no_more_sources_are_quoted_than_asked_for() -> None:
    pages = [Material("", "", f"The river rose by {number} metres.") for number in range(1, 6)]
    assert len(rank_quotes("how much did the river rise", pages, most_sources=2).quotes) == 2


def test_the_nearest_pages_come_first() -> None:
    assert ranked("what did the repair of the bridge cost", SHORE, BRIDGE).nearest == [1, 0]


def test_a_short_page_that_seems_off_topic_is_quoted_from_as_a_whole() -> None:
    page = "The deck lifts at dawn. " * 20
    assert choose_text(Digest("Three lines.", is_off_topic=True), page) == page
    assert choose_text(Digest("Passages."), page) == "Passages."
    assert choose_text(Digest("Three lines.", is_off_topic=True), page * 100) == "Three lines."


def test_an_answer_of_the_right_kind_is_quoted_without_a_word_of_the_question() -> None:
    table = "| Property | Value |\n| --- | --- |\n| Power | 1350 W |\n"
    page = f"# Fjell kettle\n\nThe Fjell kettle pours well. The kettle is light.\n\n{table}"
    found = ranked("how many watts does the Fjell kettle have", page)
    assert any("1350 W" in quote.text for quote in found.quotes)
    assert found.support >= 1
    assert ranked("how many bolts does the Fjell kettle have", page).support < 1


@each_row(
    ("question", "answer"),
    [
        ("Wer hat die Bahn errichtet?", "Die Bahn wurde von Anton Reisacher gebaut."),
        ("Qui a créé le moulin ?", "Le moulin fut fondé par Jeanne Cottard."),
        ("¿Quién lideró las protestas?", "Las protestas las encabezó Remedios Luque."),
    ],
)
def test_words_of_nearly_one_meaning_support_an_answer_in_other_languages(question: str, answer: str) -> None:
    other = answer.replace("gebaut", "bemalt").replace("fondé", "peint").replace("encabezó", "evitó")
    assert ranked(question, answer).support > ranked(question, other).support
