"""A page in blocks: what belongs together, where it is, and what stands above it."""

import pytest

from dowse.document.markdown import BlockKind, Document
from tests.support.tables import each_row

PAGE = """\
# Otters

They swim.
They eat fish.

## Care

- feed them
  - twice a day
1. wash them

| Food | Grams |
| --- | --- |
| trout | 200 |

```py
feed()
```

| not | a table |

> A quotation."""


def test_blocks_are_numbered_over_the_page_and_keep_their_place() -> None:
    found = list(Document(PAGE).blocks)
    assert [block.anchor for block in found] == ["b1", "b2", "b3", "b4", "b5", "b6"]
    assert [PAGE[block.start : block.end].partition("\n")[0] for block in found] == [
        "They swim.",
        "- feed them",
        "| Food | Grams |",
        "```py",
        "| not | a table |",
        "> A quotation.",
    ]
    assert PAGE[found[1].start : found[1].end] == "- feed them\n  - twice a day\n1. wash them"


def test_a_block_is_prose_a_list_a_table_or_code() -> None:
    kinds = [block.kind for block in Document(PAGE).blocks]
    assert kinds == [
        BlockKind.PARAGRAPH,
        BlockKind.LIST,
        BlockKind.TABLE,
        BlockKind.CODE,
        BlockKind.PARAGRAPH,
        BlockKind.QUOTE,
    ]


def test_what_frames_a_block_is_known() -> None:
    frames = {block.kind: (block.opening, block.closing) for block in Document(PAGE).blocks}
    assert frames[BlockKind.TABLE] == ("| Food | Grams |\n| --- | --- |", "")
    assert frames[BlockKind.CODE] == ("```py", "```")


def test_headings_lead_to_a_block_and_end_with_their_section() -> None:
    page = "# A\n\none\n\n### B\n\ntwo\n\n## C\n\nthree"
    lines = [[heading.line for heading in block.headings] for block in Document(page).blocks]
    assert lines == [["# A"], ["# A", "### B"], ["# A", "## C"]]


def test_a_heading_in_code_is_code() -> None:
    (block,) = Document("```\n# no heading\n\ntext\n```").blocks
    assert (block.kind, block.is_closed) == (BlockKind.CODE, True)


def test_code_that_is_never_closed_is_told_from_code_that_is() -> None:
    assert [block.is_closed for block in Document("```\none\n```\n\n```\ntwo").blocks] == [True, False]


def test_a_heading_with_nothing_below_it_is_a_block() -> None:
    page = "# News\n\n## Otters are back\n\n## Voles\n\nThey left.\n\n## Last"
    found = [
        (page[block.start : block.end], [above.line for above in block.headings]) for block in Document(page).blocks
    ]
    assert found == [
        ("## Otters are back", ["# News"]),
        ("They left.", ["# News", "## Voles"]),
        ("## Last", ["# News"]),
    ]


def test_a_long_heading_is_shown_without_the_targets_of_its_links() -> None:
    (block,) = Document(f"## [Otters](https://otter.example/{'x' * 100}) are back\n\nText.").blocks
    assert block.headings[0].line == "## Otters are back"
    assert block.headings[0].whole.endswith(") are back")


def test_a_page_without_text_has_no_blocks() -> None:
    assert not list(Document("\n\n  \n").blocks)


def test_no_more_blocks_are_looked_at_than_a_page_can_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dowse.document.markdown._MAX_BLOCKS", 1_000)
    assert sum(1 for _ in Document("a\n\n" * 1_001).blocks) == 1_000


@each_row("rule", ["---", "* * *", "___", "-----"])
def test_a_rule_is_no_block_but_keeps_two_apart(rule: str) -> None:
    page = f"First post.\n\n{rule}\n\nSecond post.\n\nStill the second.\n\n{rule}\n\n# Last\n\nThird."
    found = list(Document(page).blocks)
    assert [page[block.start : block.end] for block in found] == [
        "First post.",
        "Second post.",
        "Still the second.",
        "Third.",
    ]
    assert [block.is_apart for block in found] == [False, True, False, False]


def test_what_only_looks_like_a_rule_is_text() -> None:
    page = "---\ntitle: Otters\n---\n\nTitle\n---\n\n```\n\n---\n```\n\n- - a\n\n--\n\n---x"
    assert [page[block.start : block.end] for block in Document(page).blocks] == [
        "---\ntitle: Otters\n---",
        "Title\n---",
        "```\n\n---\n```",
        "- - a",
        "--",
        "---x",
    ]
