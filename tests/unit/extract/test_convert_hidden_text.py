"""Text that nobody sees who looks at a document does not come out of it, whatever its format."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dowse.core.models import Body
from dowse.document.clean import clean, strip_comments
from dowse.extract.convert import to_text
from dowse.extract.formats.plain import without_hidden_elements
from tests.fakes.office import WORD, docx, paragraph
from tests.support.tables import each_row

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def read(source: str, media_type: str = "text/markdown", name: str = "notes") -> str:
    return to_text(Body(f"https://files.example/{name}", source.encode(), media_type)).markdown


@each_row(
    ("written", "shown"),
    [
        ("a <!-- SECRET --> b", "a  b"),
        ("a\n\n<!-- SECRET\n\nSECRET -->\n\nb", "a\n\nb"),
        ("a\n\n<!-- SECRET to the end\n\nSECRET", "a"),
        ("- a\n\n    <!-- SECRET -->", "- a"),
        ("> <!-- SECRET\n> SECRET -->a", "> a"),
        ("<!--\n```\n-->\na <!-- SECRET -->", "a"),
        ("a\\\\<!-- SECRET -->", "a\\\\"),
        ("<!-- SECRET --><!-- SECRET -->a<!-->b", "ab"),
    ],
)
def test_comments_are_left_out_of_all_markdown(written: str, shown: str) -> None:
    assert clean(written) == shown


@each_row(
    "written",
    [
        "Write `<!-- so -->` for a comment.",
        "```html\n<!-- so -->\n```",
        "- in a list\n\n  ```html\n  <!-- so -->\n  ```",
        "    <!-- code without a fence -->",
        "Write \\<!-- so --> for a comment.",
        "It begins with <!-- and\n\nends with --> here.",
        "It begins with <!-- and never ends.",
    ],
)
def test_comments_that_a_reader_sees_are_kept(written: str) -> None:
    assert clean(written) == written


def test_no_comment_is_made_of_the_rest_of_others() -> None:
    assert clean("<!-<!-- x -->- shown -->") == "<!- - shown -->"


@given(st.lists(st.sampled_from(["<", "<!", "<!--", "-->", "--", "`", "```", "\n", "\n\n", "a", "\\", "> ", "    "])))
def test_cleaning_twice_changes_nothing(pieces: list[str]) -> None:
    once = clean("".join(pieces))

    assert clean(once) == once


# A piece of which very many are made to be slow to read, and what a reader sees of three with a comment behind them.
HOSTILE = {
    "a <!--\n": "a ",
    "a <!--\n\n": "a <!--\n\n" * 3,
    "<!-- --> ": "   ",
    "` <!-- x ": "` <!-- x ` ",
    "\\<!--": "\\<!--" * 3,
    "<!-": "<!-<!-<!- ",
    "x<!-- ": "x",
    "<a '": "<a '" * 3,
    "<p hidden>": "",
}


@each_row(("piece", "shown"), HOSTILE.items())
def test_hidden_text_is_found_among_forged_beginnings(piece: str, shown: str) -> None:
    assert without_hidden_elements(strip_comments(piece * 3 + "<!-- x -->")) == shown


@each_row(
    "element",
    [
        '<p style="display:none">SECRET</p>',
        "<div hidden>\n\nSECRET\n\n<div>SECRET</div>\n\nSECRET</div>",
        '<span title="a>b" style="color:#fff;background:#fff">SECRET</span>',
        "<!-- SECRET -->",
        "<p hidden>SECRET\n",
    ],
)
@each_row(("media_type", "name"), [("text/markdown", "notes"), ("text/plain", "README.md")])
def test_hidden_elements_are_left_out_of_markdown(element: str, media_type: str, name: str) -> None:
    markdown = read(f"# Notes\n\nSome words: i <j and more.\n\n{element}\n\nMore words.", media_type, name)

    assert "SECRET" not in markdown
    assert markdown.startswith("# Notes\n\nSome words: i <j and more.")
    assert markdown.endswith("More words.")


@each_row("shown", ["`<p hidden>x</p>`", "```html\n<p hidden>x</p>\n```", '<p align="center">x</p>', "a <b and c> d"])
def test_html_that_hides_nothing_stays(shown: str) -> None:
    assert read(f"Before.\n\n{shown}\n\nBehind.") == f"Before.\n\n{shown}\n\nBehind."


def test_a_plain_text_shows_its_comments() -> None:
    assert read("a\n\n<!-- so -->\n\nb", "text/plain") == "a\n\n\\<!-- so -->\n\nb"


@each_row(
    ("properties", "is_hidden"),
    [
        ("<w:vanish/>", True),
        ('<w:b/><w:vanish w:val="true"/>', True),
        ('<w:rStyle w:val="Hidden"/>', True),
        ('<w:vanish w:val="0"/>', False),
        ('<w:rStyle w:val="Hidden"/><w:vanish w:val="false"/>', False),
        ("<w:webHidden/>", False),
        ("<w:b/>", False),
    ],
)
@each_row("encoding", ["utf-8", "utf-16"])
def test_hidden_runs_are_left_out_of_word_documents(properties: str, is_hidden: bool, encoding: str) -> None:
    run = f"<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>TOLD</w:t></w:r><w:r><w:t>Some words.</w:t></w:r></w:p>"
    document = f'<w:document xmlns:w="{W}"><w:body>{run}{paragraph("More words.")}</w:body></w:document>'
    declaration = f'<?xml version="1.0" encoding="{encoding}"?>'
    hidden = (
        '<w:style w:type="character" w:styleId="Hidden"><w:name w:val="Hidden"/><w:rPr><w:vanish/></w:rPr></w:style>'
    )
    parts = {
        "word/document.xml": (declaration + document).encode(encoding),
        "word/styles.xml": f'<w:styles xmlns:w="{W}">{hidden}</w:styles>',
    }

    markdown = to_text(Body("https://files.example/a.docx", docx("", extra=parts), WORD)).markdown

    assert ("TOLD" in markdown) is not is_hidden
    assert "Some words." in markdown
    assert markdown.endswith("\n\nMore words.")
