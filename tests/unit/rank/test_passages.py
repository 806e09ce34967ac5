"""The part of a page that answers a question: what is chosen, and how it is put together again."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.rank.passages import GAP, select
from dowse.text import estimate_tokens

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


def test_the_answer_is_shown_under_its_headings_with_marks_where_something_is_left_out() -> None:
    """The code comes with the sentence that announces it."""
    assert select(PAGE, "How do I install the compiler?", 200) == (
        f"# Otter manual\n\n{GAP}\n\n## Install\n\nOtter needs a compiler. Install it like this:\n\n"
        f"```sh\napt install otter\notter --init\n```\n\n{GAP}"
    )


def test_what_announces_and_what_is_announced_come_with_a_piece() -> None:
    code = "```sh\napt install otter\n```"
    needs = f"It needs beavers, {'many of them, ' * 10}such as:\n\n- one\n- two"
    page = f"{FILLER}\n\n## Setup\n\nDo it like this:\n\n{code}\n\n{needs}\n\n## Rest\n\n{FILLER}"
    assert f"## Setup\n\nDo it like this:\n\n{code}\n\n{GAP}" in select(page, "otter", 150)
    assert f"{needs}\n\n{GAP}" in select(page, "beavers", 150)


def test_a_short_piece_comes_with_the_next_one() -> None:
    page = f"{FILLER}\n\n## Weight\n\nThe otter.\n\nNine kilograms.\n\n## Rest\n\n{FILLER}"
    assert f"The otter.\n\nNine kilograms.\n\n{GAP}" in select(page, "otter", 100)


def test_a_row_of_a_table_comes_with_the_header() -> None:
    found = select(PAGE, "What is the default timeout?", 200)
    table = "| Name | Default |\n| --- | --- |\n| OTTER_TIMEOUT | 30 seconds |\n| OTTER_COLOUR | blue |"
    assert found.endswith(f"## Settings\n\n{table}\n\n{GAP}")


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("installing", "installed"),
        ("query", "queries"),
        ("releases", "released"),
        ("running", "run"),
        ("os", "OS"),
        ("ties", "tie"),
        ("C", "c"),
        ("OTTER_TIMEOUT", "otter_timeout"),
        ("timeout", "OTTER_TIMEOUT"),
        ("東京の天気", "今日の東京は晴れ"),
        ("погода", "погода"),
    ],
)
def test_a_word_is_found_whatever_its_ending(asked: str, written: str) -> None:
    assert f"It says {written} here." in select(f"{FILLER}\n\nIt says {written} here.\n\n{FILLER}", asked, 150)


def test_words_that_every_question_has_do_not_decide() -> None:
    page = f"{FILLER}\n\nWhat is the way that you do it and how is it done?\n\n{FILLER}\n\nOtters swim.\n\n{FILLER}"
    found = select(page, "What is it that otters do, and how?", 100)
    assert "Otters swim." in found
    assert "What is the way" not in found


def test_a_question_of_such_words_only_is_taken_as_it_is() -> None:
    page = f"{FILLER}\n\nWho is who.\n\n{FILLER}"
    assert "Who is who." in select(page, "who is who", 100)


def test_nothing_is_chosen_where_no_word_matches() -> None:
    assert select(PAGE, "quantum chromodynamics", 500) == ""
    assert select("# Otters\n\n## Otters", "otters", 500) == ""
    assert select(PAGE, "?!", 500) == ""


def test_the_heading_above_a_text_counts() -> None:
    page = f"# Book\n\n{FILLER}\n\n## Licence\n\nEverybody may use it for free.\n\n## Sales\n\n{FILLER}"
    assert "Everybody may use it for free." in select(page, "licence", 100)


def test_two_sections_of_one_name_are_two() -> None:
    page = "# T\n\n## Example\n\nOtter one.\n\n## Notes\n\nOtter two.\n\n## Example\n\nOtter three."
    assert select(f"{page}\n\n## Rest\n\n{FILLER}", "otter", 200) == f"{page}\n\n{GAP}"


def test_a_long_paragraph_is_shown_in_parts() -> None:
    sentences = [
        f"Sentence {number} is about nothing that anybody would ask for in particular." for number in range(40)
    ]
    sentences[20] = "The otter weighs nine kilograms."
    found = select(" ".join(sentences), "How much does the otter weigh?", 150)
    assert sentences[20] in found
    assert found.startswith(f"{GAP}\n\nSentence ")
    assert len(found) < 600


def test_parts_of_one_code_block_share_its_fence() -> None:
    lines = [f"value_{number} = compute({number})  # nothing of interest in here" for number in range(60)]
    lines[5], lines[50] = "otter = 1", "otter = 2"
    found = select("```python\n" + "\n".join(lines) + "\n```", "otter", 330)
    assert found.startswith("```python\n")
    assert f"\n{GAP}\n" in found
    assert "otter = 1" in found
    assert "otter = 2" in found
    assert (found.count("```"), found.rstrip(GAP).rstrip().endswith("```")) == (2, True)


def test_what_was_nested_does_not_become_code() -> None:
    items = [f"    - item {number} of a list about gardens and the rain in spring" for number in range(40)]
    items[20] = "    - the otter is deep in the list"
    found = select("- Animals\n" + "\n".join(items), "otter", 300)
    assert "\n- the otter is deep in the list\n" in found
    assert "    " not in found


def test_code_in_a_list_is_code() -> None:
    page = f"- ```sh\n  otter --help\n  ```\n\n# After\n\n{FILLER}"
    assert select(page, "otter", 100).startswith("```sh\notter --help\n```")


def test_a_page_that_ends_inside_code_is_closed() -> None:
    assert select(f"{FILLER}\n\n```\notter", "otter", 100) == f"{GAP}\n\n```\notter\n```"


def test_a_piece_that_is_too_long_alone_is_cut() -> None:
    page = "otter" + "s" * 1000 + f" otter\n\n{FILLER}"
    found = select(page, "otter", 100)
    assert found
    assert estimate_tokens(found) <= 100


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


@given(st.lists(_PARTS, max_size=120).map("".join), st.integers(100, 300))
def test_no_budget_is_exceeded_and_nothing_is_invented(markdown: str, tokens: int) -> None:
    found = select(markdown, "otter word 漢字", tokens)
    assert estimate_tokens(found) <= tokens
    words = set(markdown.replace("`", " ").split())
    assert set(found.replace(GAP, " ").replace("`", " ").split()) <= words


_CHARS = 1_000_000
_HOSTILE = {
    "one word": "a" * _CHARS,
    "blanks": "a" + " " * _CHARS + "b",
    "blank code": "```\n" + " " * 10 * _CHARS,
    "headings": "# otter\n\na\n\n" * (_CHARS // 12),
    "fences": "```\n" * (_CHARS // 4),
    "ends": ". " * (_CHARS // 2),
    "rules": "| a |\n|" + "-" * _CHARS + "x\n| otter |",
    "lines": "otter\n\n" * (_CHARS // 7),
}


@pytest.mark.cost
def test_no_more_pieces_are_looked_at_than_anybody_writes() -> None:
    assert select("a\n\n" * 99_999 + "otter", "otter", 100)
    assert not select("a\n\n" * 100_000 + "otter", "otter", 100)


@pytest.mark.cost
@pytest.mark.parametrize("name", _HOSTILE)
def test_a_hostile_page_costs_seconds_at_most(name: str) -> None:
    """A second for five megabytes, with much to spare here; anything quadratic would take hours."""
    question = " ".join(random.Random(1).sample(["otter", "a", "b", *map(str, range(100, 300))], 100))[:500]
    started = time.process_time()
    select(_HOSTILE[name], question, 2000)
    assert time.process_time() - started < 5
