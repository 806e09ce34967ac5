"""Key points of a page, and its blocks of code."""

from dowse.core.digests import CodeBlock, KeyPoint
from dowse.document.markdown import Document
from dowse.rank.digest import MAX_CODE_BLOCKS, find_key_points, list_code_blocks
from dowse.rank.passages import Passages
from tests.support.tables import each_row

PAGE = """# Kettles

A kettle boils water. This one is made of **steel**.

## Capacity

The kettle holds [1.7 litres](https://kettles.example/size) of water when it is full.

## Returns

Any kettle may be returned within 30 days of purchase.

## Repeated

The kettle holds 1.7 litres of water when it is full!
"""


def test_key_points_are_plain_sentences_in_order_with_the_blocks_they_stand_in() -> None:
    points = find_key_points(Passages(Document(PAGE), "How many litres of water does the kettle hold?"))
    assert KeyPoint("The kettle holds 1.7 litres of water when it is full.", "b2") in points
    assert [point.anchor for point in points] == sorted(point.anchor for point in points)


def test_no_key_point_says_what_another_says() -> None:
    points = find_key_points(Passages(Document(PAGE), "How many litres of water does the kettle hold?"))
    assert sum("1.7 litres" in point.text for point in points) == 1


@each_row(
    "little",
    ["The kettle and its litres of water:", "| kettle | litres of water |\n| --- | --- |\n| kettle | 1.7 |", "Kettle."],
)
def test_what_says_nothing_alone_makes_room_for_the_next_best(little: str) -> None:
    page = "\n\n".join([little, "The kettle holds water.", "A kettle is made of the finest steel."])
    points = find_key_points(Passages(Document(page), "How many litres of water does the kettle hold?"), 2)
    assert [point.text for point in points] == ["The kettle holds water.", "A kettle is made of the finest steel."]


def test_there_are_no_more_key_points_than_wanted() -> None:
    page = "\n\n".join(f"Kettle number {n} holds {n} litres of water." for n in range(1, 30))
    assert len(find_key_points(Passages(Document(page), "litres of a kettle"))) == 5
    assert len(find_key_points(Passages(Document(page), "litres of a kettle"), 3)) == 3


def test_a_long_key_point_is_cut_at_a_word() -> None:
    (point,) = find_key_points(Passages(Document("The kettle " + "boils and " * 100 + "whistles."), "kettle"))
    assert len(point.text) <= 240
    assert point.text.endswith((" boils…", " and…"))


def test_an_empty_page_has_no_key_points() -> None:
    assert find_key_points(Passages(Document(""), "kettle")) == ()


def test_blocks_of_code_are_listed_with_their_language_size_and_first_telling_line() -> None:
    page = "Text.\n\n```python\n#!/usr/bin/env python\nimport os\n\nprint(os.name)\n```\n\nMore.\n\n~~~\nls -l\n~~~\n"
    assert list_code_blocks(Document(page)) == (
        CodeBlock("b2", "python", 4, "print(os.name)"),
        CodeBlock("b4", "", 1, "ls -l"),
    )


@each_row(
    ("opening", "language"),
    [("```C++", "c++"), ("``` {.rust .numbered}", "rust"), ("```js title=a.js", "js"), ("~~~~c#", "c#"), ("```", "")],
)
def test_the_language_of_code_is_what_its_fence_says(opening: str, language: str) -> None:
    mark = opening[: 4 if opening.startswith("~") else 3]
    assert [block.language for block in list_code_blocks(Document(f"{opening}\nx = 1\n{mark}"))] == [language]


@each_row(
    ("code", "lines", "beginning"),
    [
        ("```\n# only\n# comments\n```", 2, "# only"),
        ("```\n{\n  'a': 1\n}\n```", 3, "'a': 1"),
        ("```\n```", 0, ""),
        ("```\nleft open", 1, "left open"),
        ("- Run\n\n  ```sh\n  make all\n  ```", 1, "make all"),
        ("```\n![x](https://tracker.example/x.png)\n```", 1, "x"),
    ],
)
def test_code_of_any_shape_is_listed(code: str, lines: int, beginning: str) -> None:
    assert [(block.lines, block.beginning) for block in list_code_blocks(Document(code))] == [(lines, beginning)]


def test_a_page_full_of_code_lists_the_first_blocks() -> None:
    blocks = list_code_blocks(Document("".join(f"```\nline {n}\n```\n\n" for n in range(50))))
    assert len(blocks) == MAX_CODE_BLOCKS
    assert blocks[0].beginning == "line 0"


def test_a_page_without_code_lists_none() -> None:
    assert list_code_blocks(Document("Text with `inline code`.")) == ()
