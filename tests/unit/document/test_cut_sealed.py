"""No text of a page hides the line below it in a Markdown viewer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dowse.document.cut import seal
from tests.support.tables import each_row

ABOVE, BELOW = "<<< above", ">>> below"
FRAGMENTS = (
    *("```", "~~~~", "```py", "``` `x", "`", "<pre>", "</pre>", "<!--", "-->", "<div>", "<script>", "<?", "<!X"),
    *("<![CDATA[a:b", "<textarea", "<a href='", "'>", "text", '[x]: /u "', "===", "---", "| a | b |", "|---|---|"),
    *(":-:", "# h"),
)
MARKS = (
    "",
    "",
    " ",
    "   ",
    "    ",
    "\t",
    "> ",
    ">> ",
    "- ",
    "+ ",
    "1. ",
    "2. ",
    "10) ",
    "- > ",
    "> - ",
    "- - ",
    "-\t",
    "    > ",
    "\t> ",
    "    - ",
)


def is_seen(markdown: str) -> bool:
    """Whether a viewer shows the line below a text as text."""
    seen = MarkdownIt("commonmark").enable("table").parse(f"{ABOVE}\n{markdown}\n{BELOW}")
    return any(child.content == "below" for token in seen for child in token.children or () if child.type == "text")


@pytest.mark.promise("fence-open-code")
@each_row(
    ("left_open", "sealed"),
    [
        ("Text.\n\n```py\ncode", "Text.\n\n```py\ncode\n```"),
        ("~~~~\n```", "~~~~\n```\n~~~~"),
        ("> ```\n> code", "> ```\n> code\n"),
        ("<!-- never closed", "\\<!-- never closed"),
        ("Text.\n<pre>\n```", "Text.\n\\<pre>\n```\n```"),
        ("> <script>", "> \\<script>\n"),
        ("> ```py\n\t> <!X\n>> ```py", "> ```py\n\t> <!X\n>> ```py\n"),
        ("Text.\n\n>\n    > <pre>", "Text.\n\n>\n    > <pre>\n"),
        ("> x\n>\n\t> <script>", "> x\n>\n\t> <script>\n"),
        ("===", "\n==="),
    ],
)
def test_the_line_below_a_text_is_neither_code_nor_html(left_open: str, sealed: str) -> None:
    assert not is_seen(left_open) or left_open == "==="
    assert seal(left_open) == sealed
    assert is_seen(sealed)


@pytest.mark.promise("fence-open-code")
@each_row(
    "closed",
    [
        "Text.\n\n```html\n<pre>\n```\n\nMore.",
        "- a\nb\n   ~~~\nlazy continuation",
        "Text.\n\n- ---\n   ~~~\n~~~\n\n<https://a.example/> and a < b",
        "1. x\n\n       code in a list\n\nText.\n\n    <pre> is code",
        "2. ```",
        "- ```\n  code",
        # Viewers differ in whether the second line goes on with the quotation.
        ">> x\n    - y\nz\n2. ```",
    ],
)
def test_a_text_that_leaves_nothing_open_stays_as_it_is(closed: str) -> None:
    assert seal(closed) == closed
    assert is_seen(closed)


LINES = st.builds(lambda mark, times, text: mark * times + text, *map(st.sampled_from, (MARKS, (1, 2), FRAGMENTS)))


@pytest.mark.promise("fence-open-code")
@given(st.lists(st.one_of(st.just(""), LINES), min_size=1, max_size=8))
def test_no_text_hides_the_line_below_it_in_a_viewer(lines: list[str]) -> None:
    assert is_seen(seal("\n".join(lines)))
