"""Markdown as people write it: layout and hidden text go, code and meaning stay, and no block is left open."""

from __future__ import annotations

from dowse.sites.markup import LinkBase, nest_headings, quote_markdown, strip_html
from tests.support.tables import each_row

ROOT = "https://github.com/otterworks/brook/blob/main"


@each_row(
    ("markdown", "expected"),
    [
        ("before <!-- hidden --> after <!-- too --> end", "before  after  end"),
        ("<!-- hidden\nfor\nlong -->\nshown", "\nshown"),
        ("<!-- hidden\n--> shown", "\n shown"),
        ("a\n<!-- never closed\nhidden", "a\n"),
        ("a `<!-- code -->` b", "a `<!-- code -->` b"),
        ("<!-- `-->` b", "` b"),
        ("```\n<!-- code -->\n```", "```\n<!-- code -->\n```"),
        ("text <!-- without an end\n\nA --> B", "text <!-- without an end\n\nA --> B"),
        ("> ```\n> code\n\n<!-- hidden -->\nshown", "> ```\n> code\n\n\nshown"),
    ],
)
def test_comments_are_invisible(markdown: str, expected: str) -> None:
    assert strip_html(markdown) == expected


@each_row(
    ("markdown", "expected"),
    [
        ('<p align="center">Centred</p>', "Centred"),
        ('<h2 align="center">Title</h2>', "## Title"),
        ("<h2>\n  Title\n</h2>", "\n  Title\n"),
        ('<img width="5" alt="A graph" src="https://x.example/1.png">', "A graph"),
        ("<img src='https://x.example/1.png'>", ""),
        ('<a href="https://x.example/"><img src="l.png" alt="Logo"></a>', "[Logo](https://x.example/)"),
        ('<a href="https://x.example/">the site</a>', "[the site](https://x.example/)"),
        ('<a href="https://x.example/"></a>', ""),
        ("<a class='x' href = https://x.example/ title=y>the site</a>", "[the site](https://x.example/)"),
        ('<a data-href="https://x.example/" name="y">here</a>', "here"),
        ("one<br/>two", "one\ntwo"),
        ("| a<br>b | c |", "| a b | c |"),
        ("<details><summary>More</summary>", "**More**"),
        ("<b>bold</b> <em>soft</em> <code>x</code> H<sub>2</sub>O", "**bold** *soft* `x` H2O"),
        ("<ul>\n  <li>one</li>\n</ul>", "\n- one\n"),
        ("Vec<u8> and List<String>, a<b and b>c", "Vec<u8> and List<String>, a<b and b>c"),
        ("keep `<div>` and ``<p> ` </p>``", "keep `<div>` and ``<p> ` </p>``"),
        ("text\n\n    <div>code</div>\n    <p>", "text\n\n    <div>code</div>\n    <p>"),
        ("- item\n\n    <div>text</div>", "- item\n\ntext"),
        ("```html\n<div>\n```\n<div>", "```html\n<div>\n```\n"),
    ],
)
def test_layout_goes_and_what_it_laid_out_stays(markdown: str, expected: str) -> None:
    assert strip_html(markdown) == expected


@each_row(
    ("markdown", "expected"),
    [
        ("```\ncode", "```\ncode\n```"),
        ("~~~~\ncode\n~~~", "~~~~\ncode\n~~~\n~~~~"),
        ("> ```\n> code", "> ```\n> code\n> ```"),
        ("> ```\n> code\n# Title", "> ```\n> code\n# Title"),
        ("1. a\n   ```\n   code\nend", "1. a\n   ```\n   code\nend"),
        ("  ```\nflush code\n  ```\nend", "  ```\nflush code\n  ```\nend"),
        ("<p>```", "```\n```"),
    ],
)
def test_no_block_of_code_is_left_open(markdown: str, expected: str) -> None:
    assert strip_html(markdown) == expected


@each_row(
    ("target", "expected"),
    [
        ("guide.md", f"{ROOT}/docs/guide.md"),
        ("./guide.md#start", f"{ROOT}/docs/guide.md#start"),
        ("../LICENSE", f"{ROOT}/LICENSE"),
        ("/LICENSE", f"{ROOT}/LICENSE"),
        ("#here", "#here"),
        ("https://x.example/a", "https://x.example/a"),
        ("//x.example/a", "//x.example/a"),
        ("mailto:ana@x.example", "mailto:ana@x.example"),
        ("javascript:alert", "javascript:alert"),
    ],
)
def test_links_lead_where_they_lead_on_the_page(target: str, expected: str) -> None:
    place = LinkBase(ROOT, "docs")
    assert strip_html(f"[a]({target}) `[b]({target})`", place) == f"[a]({expected}) `[b]({target})`"
    assert strip_html(f'<a href="{target}">a</a>', place) == f"[a]({expected})"
    assert strip_html(f"[a]: {target}", place) == f"[a]: {expected}"


@each_row(
    ("markdown", "expected"),
    [
        ("### Three\n#### Four", "##### Three\n###### Four"),
        ("Title\n=====\n\n## Two", "##### Title\n\n###### Two"),
        ("###### Deep", "###### Deep"),
        ("text", "text"),
        ("```\n# code\n```\n## Two", "```\n# code\n```\n##### Two"),
        ("    ```\n\n## Answer", "    ```\n\n##### Answer"),
        ("\u00a0```\n\n## Answer", "\u00a0```\n\n##### Answer"),
        ("- ```\n\n ## Answer", "- ```\n\n##### Answer"),
    ],
)
def test_the_highest_heading_comes_to_its_level_and_the_others_follow(markdown: str, expected: str) -> None:
    assert nest_headings(markdown, 5) == expected


def test_a_quoted_text_says_how_much_of_it_is_shown_only_where_that_is_not_all() -> None:
    assert quote_markdown("<p>\n# Short\n</p>", 3, 20) == "### Short"
    assert quote_markdown("word " * 8, 3, 20) == "word word word word\n\n…(19 of 39 characters of this text are shown)"
    assert quote_markdown("<!-- " + "x" * 90, 3, 20) == "\n\n…(0 of 95 characters of this text are shown)"
    assert quote_markdown("word " * 1000, 3, 20).endswith("…(19 of 5000 characters of this text are shown)")


PIECES = (
    *("<!--", "<!-- -->", "`", "``` ` ", "<a ", '<a href="', "<img ", "<img alt=", "](", "[a](", "[a]: ", "<b", "<h1"),
    *("> ", "- ```\n", "> ```\n", "    ", "<p\n", "#", "# a\n", "a\n=\n", "\n", "|", "<summary", "<b =", "-->"),
    *("- ", "- 1. ", "> - ", "  - a\n", "~~~\n"),
)


@each_row("piece", PIECES)
def test_hostile_text_is_readable_after_one_pass(piece: str) -> None:
    shown = nest_headings(strip_html(piece * (600 // len(piece)), LinkBase(ROOT)), 5)
    assert strip_html(shown, LinkBase(ROOT)) == shown


FORGED_LINK = "<a " + "href=" * 55 + "x" * 1290


def test_a_description_of_forged_links_is_text() -> None:
    assert strip_html(FORGED_LINK * 2) == FORGED_LINK * 2
