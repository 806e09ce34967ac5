"""Tables, source code and data: text that needs a frame more than a conversion."""

from __future__ import annotations

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Text
from dowse.extract.convert import to_text
from tests.support.tables import each_row


def read(source: str | bytes, media_type: str = "text/plain", name: str = "file") -> Text:
    data = source if isinstance(source, bytes) else source.encode()
    return to_text(Body(f"https://files.example/{name}?raw=1", data, media_type))


def table(*rows: str) -> str:
    head, *rest = rows
    return "\n".join([f"| {head} |", f"|{' --- |' * (head.count(' | ') + 1)}", *(f"| {row} |" for row in rest)])


@each_row(
    ("source", "media_type", "expected"),
    [
        ("a,b\n1,2\n", "text/csv", table("a | b", "1 | 2")),
        ("a;b\n1,5;2,5\n", "text/csv", table("a | b", "1,5 | 2,5")),
        ("a\tb\n1\t\n", "text/csv", table("a | b", "1 | ")),
        ("a,b\tc\n1\t2\n", "text/tab-separated-values", table("a,b | c", "1 | 2")),
        ('a,b\n"x, y","he said ""no"""\n', "text/csv", table("a | b", 'x, y | he said "no"')),
        ('a,b\n"two\nlines",2\n', "text/csv", table("a | b", "two lines | 2")),
        ("a,b\nx|y,<script>\n", "text/csv", table("a | b", "x\\|y | <script>")),
        ("a,b,c\n1\n1,2,3,4\n\n", "text/csv", table("a | b | c | ", "1 |  |  | ", "1 | 2 | 3 | 4")),
        ("a,b\r\n1,2\r\n", "text/csv", table("a | b", "1 | 2")),
        ("\ufeffa,b\n1,2\n", "text/csv", table("a | b", "1 | 2")),
        ("just words\nand more\n", "text/csv", "just words\nand more"),
        ("", "text/csv", ""),
    ],
)
def test_separated_values_are_a_table(source: str, media_type: str, expected: str) -> None:
    assert read(source, media_type).markdown == expected


def test_a_quotation_mark_that_never_ends_does_not_swallow_the_table() -> None:
    rows = "".join(f"{number},x\n" for number in range(50))

    assert "| 49 | x |" in read(f'a,b\n"open,1\n{rows}', "text/csv").markdown


def test_a_long_table_is_cut_and_says_by_how_much() -> None:
    text = read("n,m\n" + "".join(f"{number},x\n" for number in range(1234)), "text/csv")

    assert text.is_cut
    assert text.markdown.endswith("| 999 | x |\n\n_1000 of 1234 rows are shown._")


@each_row(
    ("name", "media_type", "language"),
    [
        ("a.py", "text/plain", "python"),
        ("src/main.rs", "text/plain; charset=utf-8", "rust"),
        ("Dockerfile", "text/plain", "dockerfile"),
        ("a.html", "text/plain", "html"),
        ("a.yml", "text/plain", "yaml"),
        ("a", "text/x-python", "python"),
        ("a", "application/javascript", "javascript"),
        ("a", "application/x-yaml", "yaml"),
        ("a", "text/css", "css"),
    ],
)
def test_source_code_is_fenced_with_its_language(name: str, media_type: str, language: str) -> None:
    source = "if x:\n\n\n    ![y](z)  "

    assert read(source, media_type, name).markdown == f"```{language}\n{source}\n```"


@each_row("name", ["notes.txt", "README", "README.md", "changes.rst", "a.py/raw", "server.log"])
def test_prose_stays_prose(name: str) -> None:
    assert read("some words\n\n\n\nand more", "text/plain", name).markdown == "some words\n\nand more"


def test_a_fence_inside_of_code_does_not_end_it() -> None:
    assert read("```\nx\n````", name="a.py").markdown == "`````python\n```\nx\n````\n`````"


def test_markdown_is_called_what_its_heading_says() -> None:
    assert read("# A *guide*\n\ntext", "text/markdown") == Text("# A *guide*\n\ntext", "A *guide*")


@each_row(
    ("name", "source", "expected"),
    [
        ("a.csv", "a,b\n1,2", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("a.json", '{"a":1}', '```json\n{\n  "a": 1\n}\n```'),
        ("a.geojson", '{"a":1}', '```json\n{\n  "a": 1\n}\n```'),
        ("a%2Ecsv?x=y.md", "a,b\n1,2", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("\\\\site.example\\a.csv", "a,b\n1,2", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("a.jsonl", '{"a":1}\n{"a":2}\n', '```json\n{"a":1}\n{"a":2}\n```'),
        ("a.xml", "<a>1</a>", "```xml\n<a>1</a>\n```"),
        ("a.xml", "<rss><channel><title>T</title></channel></rss>", "# T"),
    ],
)
def test_plain_text_is_what_its_name_says(name: str, source: str, expected: str) -> None:
    assert read(source, "text/plain", name).markdown == expected


def test_lines_of_json_stay_lines() -> None:
    assert read('{"a":1}\n{"a":2}\n', "application/x-ndjson").markdown == '```json\n{"a":1}\n{"a":2}\n```'


def test_xml_on_one_line_is_laid_out() -> None:
    items = "<item id='1'><name>x</name><![CDATA[<y>]]></item>" * 5

    markdown = read(f"<?xml version='1.0'?><list><!-- a > b -->{items}<end/></list>", "application/xml").markdown

    assert markdown == (
        "```xml\n<?xml version='1.0'?>\n<list>\n  <!-- a > b -->\n"
        + "  <item id='1'>\n    <name>x</name>\n    <![CDATA[<y>]]>\n  </item>\n" * 5
        + "  <end/>\n</list>\n```"
    )


@each_row("source", ["<a>" + "<b>x</b>" * 100 + "<!-- open", "<a>" + "x" * 300 + "</b></c></a>", "<" * 300])
def test_broken_xml_loses_nothing(source: str) -> None:
    shown = read(source, "application/xml").markdown

    assert "".join(shown.removeprefix("```xml").removesuffix("```").split()) == "".join(source.split())


@given(
    st.sampled_from(["text/csv", "text/plain", "application/json", "application/x-ndjson", "application/rss+xml", ""]),
    st.one_of(
        st.binary(max_size=200), st.text(alphabet="<>/!-[]CDATArss&;\"',\n\t|{}:1`", max_size=200).map(str.encode)
    ),
)
def test_no_bytes_break_it(media_type: str, data: bytes) -> None:
    with contextlib.suppress(PageUnreadable):
        read(data, media_type).markdown.encode()
