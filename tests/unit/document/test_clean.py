"""Markdown from the web: cleaned the same whoever made it, and turned back into plain text in linear time."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dowse.document.clean import clean, close_code, to_code_block, to_plain_text
from dowse.document.markdown import scan_lines
from tests.support.tables import each_row


@each_row(
    ("written", "shown"),
    [
        ("# Title\n\nText.", "Title\n\nText."),
        ("###### Deep", "Deep"),
        ("#hashtag stays", "#hashtag stays"),
        ("Some **bold**, *slanted* and __both__ _ways_.", "Some bold, slanted and both ways."),
        ("~~gone~~", "gone"),
        ("snake_case_name and 2*3*4", "snake_case_name and 2*3*4"),
        ("a * b * c", "a * b * c"),
        ("[text](https://example.org/a_(b)) and [more][1]", "text and more"),
        ("[**bold** link](/x)", "bold link"),
        ("![alt](https://example.org/x.png)", "alt"),
        ("<https://example.org/>", "https://example.org/"),
        ("Run `make test`, then ``a``.", "Run make test, then a."),
        ("> quoted\n> > twice", "quoted\ntwice"),
        ("- one\n- two\n  - three", "- one\n- two\n  - three"),
        ("1. one\n2. two", "1. one\n2. two"),
        ("before\n\n---\n\nafter", "before\n\nafter"),
        ("| a | b |\n| --- | --- |\n| 1 | 2 |", "a  b\n1  2"),
        ("`**kwargs**` and **`x_y_z`** in [`code`](/x)", "**kwargs** and x_y_z in code"),
        ("1\\. not a list, \\*not\\* slanted", "1. not a list, *not* slanted"),
        ("```python\ndef f():\n    return **x**\n```\nafter", "def f():\n    return **x**\nafter"),
        ("~~~\n# a comment\n~~~", "# a comment"),
        ("```\nnever closed", "never closed"),
        ("", ""),
    ],
)
def test_plain_text_has_the_words_and_not_the_syntax(written: str, shown: str) -> None:
    assert to_plain_text(written) == shown


@given(st.text(st.sampled_from("ab *_~`[]()#>|-\\!<\n1."), max_size=400))
def test_plain_text_is_never_longer_and_invents_no_word(written: str) -> None:
    shown = to_plain_text(written)
    assert len(shown) <= len(written) + 2 * written.count("|")
    assert set(shown) <= set(written) | {" "}


HOSTILE = (
    "[",
    "[a](",
    "[a][",
    "**",
    "*a",
    "_a ",
    "`",
    "`a",
    "~~",
    "<http:",
    "> ",
    "| ",
    "\\",
    "((",
    "[a](b(",
    "- ",
    "1. ",
    "```\n",
    "- ```\n",
    "> ```\n",
    "\t",
    "    \n",
    "> - ",
)


@each_row("piece", HOSTILE)
def test_hostile_text_gains_no_character_and_is_clean_after_one_cleaning(piece: str) -> None:
    written = piece * (500 // len(piece))
    cleaned = clean(written)
    assert set(to_plain_text(written)) <= set(written) | {" "}
    assert clean(cleaned) == cleaned


def test_cleaning_makes_text_visible_and_inert_and_leaves_code_alone() -> None:
    written = "A\u200b ![x](https://evil.example/)B  \n\n\n\n```\n![y](z)\u202e  \n```\n[l](javascript:x)"
    assert clean(written) == "A xB\n\n```\n![y](z)  \n```\n[l](unsafe:x)"


def code_lines(markdown: str) -> list[str]:
    return [line.text.strip() for line in scan_lines(markdown) if line.fence and not line.is_mark]


@each_row(
    "written",
    [
        "    ```\n\n## Heading",
        "\t```\n## Heading",
        "\u00a0```\n## Heading",
        "- a\n\n        ```\n## Heading",
        "- ```\n## Heading",
        "- ```\n ## Heading",
        "> ```\n## Heading",
        "> - ```\n> ## Heading",
        "1. a\n   ```\n## Heading",
        "text\n5. ```\n   ## Heading",
        "-\n\n    ```\n   ## Heading",
        "``` a`b\n## Heading",
    ],
)
def test_what_no_viewer_takes_for_code_is_none(written: str) -> None:
    assert "## Heading" not in code_lines(written)


@each_row(
    "written",
    [
        "```\n# code\n```",
        "   ~~~ sh\n# code",
        "````\n```\n# code\n````",
        "- ```\n  # code\n  ```",
        "- a\n  - b\n\n    ```\n    # code",
        "1. ```\n\n   # code",
        "> > ```\n> > # code",
        "- > ```\n  > # code",
        "\t- ```\n# no list\n```\n# code\n```",
        "text\n1. ```\n   # code",
    ],
)
def test_code_is_code_wherever_it_stands(written: str) -> None:
    assert any(line.endswith("# code") for line in code_lines(written))


LINES = st.lists(
    st.sampled_from(
        ["```", "~~~", "````", "> ", "- ", "  ", "    ", "1. ", "5. ", " ", "# a", "a", "\t", "\n", "\n\n", "* ", "---"]
    ),
    max_size=25,
).map("".join)


@given(LINES)
def test_no_heading_that_a_viewer_shows_is_taken_for_code(written: str) -> None:
    shown = {
        token.map[0]
        for token in MarkdownIt("commonmark").disable("html_block").parse(written)
        if token.type == "heading_open" and token.level == 0 and token.markup.startswith("#") and token.map
    }
    assert not shown & {number for number, line in enumerate(scan_lines(written)) if line.fence}


@each_row(
    ("left_open", "closed"),
    [
        ("```\na", "```\na\n```"),
        ("  ~~~~\na", "  ~~~~\na\n  ~~~~"),
        ("- ```\n  a", "- ```\n  a\n  ```"),
        ("> 1. ```\n>    a", "> 1. ```\n>    a\n>    ```"),
        ("```\na\n```", "```\na\n```"),
        ("- ```\n  a\ntext", "- ```\n  a\ntext"),
    ],
)
def test_code_that_is_left_open_gets_an_end(left_open: str, closed: str) -> None:
    assert close_code(left_open) == closed


@each_row("code", ["a", "", "```", "````\n```", "a ````` b", "~~~", "    ```"])
def test_nothing_in_code_ends_it(code: str) -> None:
    block = to_code_block(code, "py")
    assert code_lines(block) == [line.strip() for line in code.split("\n")]
    assert [line.is_mark for line in scan_lines(block)][-1]
    assert block.lstrip("`").startswith("py\n")
