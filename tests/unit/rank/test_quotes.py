"""Which sentences of several pages are quoted, and in which words."""

from __future__ import annotations

import pytest

from dowse.rank.quotes import MOST_CHARS, Quote, find_quotes
from tests.support.tables import each_row

BRIDGE = """\
# Harbour bridge

The bridge was closed on 10 August. It carries trams and lorries.

[…]

## Costs

The repair cost 2.3 million crowns, a fifth less than planned.
"""


def words(question: str, *texts: str) -> list[str]:
    return [quote.text for quote in find_quotes(question, texts)]


def test_the_sentence_that_answers_comes_first() -> None:
    assert words("what did the repair cost", BRIDGE)[0] == (
        "The repair cost 2.3 million crowns, a fifth less than planned."
    )


def test_quotes_name_the_text_they_are_from() -> None:
    other = "Trams run every ten minutes. The weather was fine."
    assert find_quotes("how often do trams run", [BRIDGE, other])[0] == Quote("Trams run every ten minutes.", 1)


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


def test_what_somebody_else_says_below_a_question_is_not_quoted_with_it() -> None:
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
