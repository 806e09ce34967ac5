"""The part of a page that answers a question: what is chosen, and how it is put together again."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.core.tokens import estimate_tokens
from dowse.document.clean import close_code
from dowse.document.cut import GAP
from dowse.document.markdown import Document
from dowse.rank.passages import Passages
from tests.support.tables import each_row

FILLER = "\n\n".join(f"Paragraph {number} speaks of gardens, rain and the old town at length." for number in range(40))
PAGE = f"""\
# Otter manual

Otters live in rivers and eat fish.

{FILLER}

## Install

Otter needs a compiler. Install it like this:

```sh
apt install otter
otter --init
```

## Use

{FILLER}

## Settings

| Name | Default |
| --- | --- |
| OTTER_TIMEOUT | 30 seconds |
| OTTER_COLOUR | blue |

{FILLER}"""


def shown(page: str, question: str, max_tokens: int) -> str:
    return Passages(Document(page), question).within(max_tokens).text


def test_the_answer_comes_with_the_title_and_its_heading_and_gaps_are_marked() -> None:
    """The code comes with the sentence that announces it."""
    text = shown(PAGE, "How do I install the compiler?", 90)
    answer = "Otter needs a compiler. Install it like this:\n\n```sh\napt install otter\notter --init\n```"
    assert text.startswith("# Otter manual\n\n")
    assert f"{GAP}\n\n## Install\n\n{answer}\n\n" in text
    assert text.endswith(f"\n\n{GAP}")


def test_the_first_sentence_is_shown_in_a_large_budget_only() -> None:
    first = "Nine rivers meet here."
    page = f"{first}\n\n{FILLER}\n\n{FILLER}\n\nThe otter weighs nine kilograms."
    assert shown(page, "otter weight and gardens", 500).startswith(first)
    assert first not in shown(page, "otter weight and gardens", 60)


def test_marks_without_a_word_are_no_filler() -> None:
    page = f"{FILLER}\n\n。\n\n***\n\nThe otter weighs nine kilograms."
    assert "。" not in shown(page, "otter weight in kilograms", 60)


def test_a_page_that_fits_is_shown_whole() -> None:
    page = "# Otters\n\nThey swim.\n\n```\nswim()"
    found = Passages(Document(page), "otters").within(100)
    assert (found.text, found.anchors) == (f"{page}\n```", ())


def test_anchors_name_the_blocks_of_which_something_is_shown() -> None:
    page = f"Otters swim.\n\n{FILLER}\n\nThe otter weighs nine kilograms."
    found = Passages(Document(page), "otter weight in kilograms").within(60)
    assert (found.anchors[0], found.anchors[-1]) == ("b1", "b42")
    assert Passages(Document(page), "otter").blocks == 42


def test_only_the_nearest_heading_is_shown_where_tokens_are_few() -> None:
    page = f"# Book\n\nA book.\n\n## Animals\n\n### Otters\n\nAn otter weighs nine kilograms.\n\n## Rest\n\n{FILLER}"
    assert "## Animals" not in shown(page, "otter weighs", 100).split("\n")
    assert "## Animals\n\n### Otters\n\nAn otter weighs" in shown(page, "otter weighs", 500)


def test_a_row_of_a_large_table_comes_with_the_header_and_the_gap_is_marked() -> None:
    rows = [f"| OPTION_{number} | {number} | means nothing in particular to anybody |" for number in range(60)]
    rows[30] = "| OTTER_TIMEOUT | 30 | seconds until the otter gives up |"
    text = shown("| Name | Default | Meaning |\n| --- | --- | --- |\n" + "\n".join(rows), "otter timeout", 120)
    assert text.startswith("| Name | Default | Meaning |\n| --- | --- | --- |\n")
    assert f"\n{rows[30]}\n" in text
    assert f"\n{GAP}\n| " in text


def test_parts_of_one_code_block_share_its_fence() -> None:
    lines = [f"value_{number} = compute({number})  # nothing of interest in here" for number in range(60)]
    lines[5], lines[50] = "otter = 1", "otter = 2"
    text = shown("```python\n" + "\n".join(lines) + "\n```", "otter", 330)
    assert text.startswith(f"{GAP}\n\n```python\n")
    assert f"\n{GAP}\nvalue_" in text
    assert {"otter = 1", "otter = 2"} <= set(text.split("\n"))
    assert text.removesuffix(GAP).rstrip().endswith("\n```")
    assert text.count("```") == 2


def test_sentences_of_a_long_paragraph_are_shown_alone() -> None:
    sentences = [f"Sentence {number} is about nothing that anybody would ask for." for number in range(40)]
    sentences[20] = "The otter weighs nine kilograms."
    text = shown(" ".join(sentences), "How much does the otter weigh?", 100)
    assert f". {GAP} {sentences[20]}" in text.replace(sentences[19], GAP).replace(f"{GAP} {GAP}", GAP)
    assert text.startswith("Sentence 0 ")


def test_with_many_tokens_the_neighbours_of_the_best_sentence_are_shown() -> None:
    sentences = [f"Sentence {number} is about nothing that anybody would ask for." for number in range(200)]
    sentences[100] = "The otter weighs nine kilograms."
    text = shown(" ".join(sentences), "How much does the otter weigh?", 600)
    assert " ".join(sentences[99:102]) in text


def test_what_was_nested_comes_with_what_it_is_nested_in() -> None:
    items = [f"    - item {number} of a list about gardens and the rain in spring" for number in range(40)]
    items[20] = "    - the otter is deep in the list"
    text = shown("- Plants\n- Animals\n" + "\n".join(items), "otter", 100)
    assert "- Animals\n" in text
    assert "\n    - the otter is deep in the list" in text


def test_what_was_nested_does_not_become_code() -> None:
    items = [f"    - item {number} of a list about gardens and the rain in spring" for number in range(40)]
    items[20] = "    - the otter is deep in the list"
    text = shown(f"{FILLER}\n\n- Animals\n\n" + "\n".join(items), "otter", 100)
    assert "\n- the otter is deep in the list" in text


def test_code_in_a_list_is_code() -> None:
    assert "```sh\notter --help\n```" in shown(f"- ```sh\n  otter --help\n  ```\n\n# After\n\n{FILLER}", "otter", 100)


def test_a_page_that_ends_inside_code_is_closed() -> None:
    assert shown(f"{FILLER}\n\n```\notter", "otter", 100).endswith("```\notter\n```")


@each_row(
    ("asked", "written"),
    [
        ("installing", "installed"),
        ("OTTER_TIMEOUT", "otter_timeout"),
        ("timeout", "OTTER_TIMEOUT"),
        ("price", "costs"),
        ("東京の天気", "今日の東京は晴れ"),
        ("погода", "погоды"),
        ("สภาพอากาศกรุงเทพ", "วันนี้กรุงเทพฝนตก"),
        ("मौसम", "मौसम"),
    ],
)
def test_a_word_is_found_whatever_its_form(asked: str, written: str) -> None:
    page = f"{FILLER}\n\nThere it says {written} in the middle.\n\n{FILLER}"
    assert f"There it says {written} in the middle." in shown(page, asked, 60)


def test_words_that_every_question_has_do_not_decide() -> None:
    page = f"{FILLER}\n\nWhat is the way that you do it and how is it done?\n\n{FILLER}\n\nOtters swim.\n\n{FILLER}"
    text = shown(page, "What is it that otters do, and how?", 50)
    assert "Otters swim." in text
    assert "What is the way" not in text


def test_a_number_is_preferred_where_one_is_asked_for() -> None:
    page = f"{FILLER}\n\nThe otter was measured by many.\n\n{FILLER}\n\nThe otter measured 92 cm then.\n\n{FILLER}"
    assert (
        Passages(Document(page), "How long did the otter measure?").best(1)[0].text == "The otter measured 92 cm then."
    )


def test_the_heading_above_a_text_counts() -> None:
    page = f"# Book\n\n{FILLER}\n\n## Licence\n\nEverybody may use it for free.\n\n## Sales\n\n{FILLER}"
    assert "## Licence\n\nEverybody may use it for free." in shown(page, "licence", 60)


def test_the_answer_below_a_question_is_shown_with_it() -> None:
    page = f"{FILLER}\n\n**Can my otter come along?**\n\nYes, on a leash.\n\n{FILLER}"
    assert "**Can my otter come along?**\n\nYes, on a leash." in shown(page, "bring an otter", 60)


def test_a_headline_without_text_is_found() -> None:
    page = f"# News\n\n{FILLER}\n\n## Otters are back\n\n## Voles left\n\n{FILLER}"
    assert f"{GAP}\n\n## Otters are back\n\n" in shown(page, "otters", 60)


def test_two_sections_of_one_name_are_two() -> None:
    page = "# T\n\n## Example\n\nOtter one.\n\n## Notes\n\nOtter two.\n\n## Example\n\nOtter three."
    assert shown(f"{page}\n\n## Rest\n\n{FILLER}", "otter", 450).startswith(page)


def test_a_page_without_the_words_has_no_merit_and_shows_its_beginning() -> None:
    found = Passages(Document(PAGE), "quantum chromodynamics")
    assert found.relevance == 0
    assert found.within(100).text.startswith("# Otter manual\n\nOtters live in rivers and eat fish.\n\nParagraph 0 ")
    assert Passages(Document(""), "otter").within(100).text == ""
    assert Passages(Document("# Only a heading"), "?!").within(100).text == "# Only a heading"


def test_a_page_with_all_words_in_one_place_has_more_merit_than_one_with_some_or_scattered_ones() -> None:
    question = "weight of the giant otter"
    together = Passages(Document(f"{FILLER}\n\nThe weight of a giant otter is known."), question).relevance
    scattered = Passages(Document(f"A giant town.\n\n{FILLER}\n\nAn otter.\n\nThe weight."), question).relevance
    one_often = Passages(Document(f"{FILLER}\n\n" + "An otter is an otter is an otter.\n\n" * 20), question).relevance
    assert 1 >= together > scattered > one_often > 0


def test_the_best_pieces_are_of_different_blocks_and_in_order() -> None:
    page = f"{FILLER}\n\nAn otter. The giant otter eats.\n\n{FILLER}\n\nThe weight of the giant otter.\n\n{FILLER}"
    found = Passages(Document(page), "weight of a giant otter")
    assert [point.text for point in found.best(2)] == ["The giant otter eats.", "The weight of the giant otter."]
    assert [point.anchor for point in found.best(2)] == ["b41", "b82"]
    assert found.best(1)[0] in found.best(2)
    assert len(found.best(5)) == 5


def test_most_of_the_budget_is_used_and_never_more() -> None:
    for tokens in (60, 120, 250, 700):
        # Whole sentences only, so that a small budget may not be used up.
        assert 0.8 * tokens <= estimate_tokens(shown(PAGE, "otter", tokens)) <= tokens


@each_row("tokens", [60, 75, 90, 120, 150])
def test_cuts_fall_between_sentences_never_inside_a_word_or_a_link(tokens: int) -> None:
    sentences = [
        f"The otter of weir {number}, see [its page](https://example.org/otters/{number}?a=1), eats fish."
        for number in range(9)
    ]
    text = shown(" ".join(sentences), "what does the otter of weir 3 eat", tokens)
    kept = [part.strip() for part in text.replace("[…]", "\0").split("\0") if part.strip()]
    assert kept
    for part in kept:
        assert part in " ".join(sentences) and part.startswith("The otter") and part.endswith("eats fish.")


def test_a_piece_that_is_too_long_alone_is_cut() -> None:
    text = shown("otter" + "s" * 3000 + f" otter\n\n{FILLER}", "otter", 100)
    assert text
    assert estimate_tokens(text) <= 100
    assert shown(f"```\n{'x = 1; ' * 900}\n```", "x", 100).startswith("```\nx = 1;")


_PARTS = st.sampled_from(
    [
        "otter",
        "# ",
        "## x\n",
        "\n",
        "\n\n",
        "```",
        "```py\n",
        "- ",
        "    ",
        "| a |\n",
        "|---|\n",
        "word. ",
        "漢字。",
        "> ",
        ":",
    ]
)


@given(st.lists(_PARTS, max_size=120).map("".join), st.integers(50, 300))
def test_no_budget_is_exceeded_and_nothing_is_invented(markdown: str, tokens: int) -> None:
    text = shown(markdown, "otter word 漢字", tokens)
    assert estimate_tokens(text) <= tokens
    assert close_code(text) == text
    words = set(markdown.replace("`", " ").split())
    assert set(text.replace(GAP, " ").replace("`", " ").split()) <= words


def hostile(chars: int) -> dict[str, str]:
    """Pages that are made to be slow to cut and to rank."""
    return {
        "one word": "a" * chars,
        "blanks": "a" + " " * chars + "b",
        "blank code": "```\n" + " " * chars,
        "headings": "# otter\n\na\n\n" * (chars // 12),
        "fences": "```\n" * (chars // 4),
        "ends": "A. " * (chars // 3),
        "initials": "A.\n" * (chars // 3),
        "rules": "| a |\n|" + "-" * chars + "x\n| otter |",
        "lines": "otter\n\n" * (chars // 7),
        "open links": "[otter](" * (chars // 8),
        "nested": "".join(" " * (number % 300) + "- otter\n" for number in range(chars // 160)),
        "characters": "獭" * chars,
    }


LONG_QUESTION = " ".join(random.Random(1).sample(["otter", "a", "b", *map(str, range(100, 300))], 100))[:500]


@each_row(("name", "page"), hostile(10_000).items())
def test_passages_of_a_hostile_page_fit(name: str, page: str) -> None:
    passages = Passages(Document(page), LONG_QUESTION)
    text = passages.within(500).text
    assert estimate_tokens(text) <= 500
    assert passages.relevance <= 1


def test_posts_that_are_shown_one_after_the_other_are_apart() -> None:
    posts = [
        "Otters eat trout.",
        "Do otters eat eels too?",
        "My otters eat crabs.",
        *(f"Nothing to add, {i}." for i in range(90)),
    ]
    made = shown("# Otters\n\n" + "\n\n---\n\n".join(posts), "What do otters eat?", 60)
    assert "trout.\n\n---\n\nDo otters" in made
    assert f"---\n\n{GAP}" not in made and f"{GAP}\n\n---" not in made


def test_a_rule_below_a_heading_is_not_put_above_it() -> None:
    page = "# Otters\n\nThey swim at dawn.\n\n## Food\n\n---\n\nOtters eat eels.\n\n" + "Nothing more to say. " * 90
    assert "dawn.\n\n## Food\n\nOtters eat eels." in shown(page, "What do otters eat at dawn?", 60)


@pytest.mark.parametrize("max_tokens", [0, 1])
def test_a_page_of_one_letter_fits_or_is_left_out(max_tokens: int) -> None:
    assert shown("x", "q", max_tokens) in ("", "x", GAP)
