"""Pages of a few lines: everything is content but what is called otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from dowse.extract.html.content.blocks import cut_blocks
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.rules import is_tiny_page, select_outside_frame
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row


def kept_text(markup: str) -> str:
    blocks = cut_blocks(build(markup))
    words = np.array([len(block.text.split()) for block in blocks])
    return " ".join(
        block.text for block, is_kept in zip(blocks, select_outside_frame(blocks, words), strict=True) if is_kept
    )


@each_row(
    ("words", "expected"),
    [
        pytest.param(np.full(7, 100), True, id="few blocks"),
        pytest.param(np.full(20, 2), True, id="few words"),
        pytest.param(np.full(8, 10), False, id="enough of both"),
    ],
)
def test_a_page_is_small_if_it_has_few_blocks_or_few_words(words: Numbers, expected: bool) -> None:
    assert is_tiny_page(words) is expected


@each_row(
    "frame",
    [
        "<nav>{}</nav>",
        "<footer>{}</footer>",
        "<aside>{}</aside>",
        "<header>{}</header>",
        "<dialog open>{}</dialog>",
        "<div role=navigation>{}</div>",
        "<div role=Dialog>{}</div>",
        "<div role=contentinfo>{}</div>",
        "<ol class='nav breadcrumb'><li>{}</li></ol>",
        "<div id=cookie-banner>{}</div>",
        "<div class=share_buttons><p>{}</p></div>",
        "<ul class='social links'><li>{}</li></ul>",
    ],
)
def test_what_is_around_the_content_by_name_is_left(frame: str) -> None:
    assert kept_text("<p>One line.</p>" + frame.format("another")) == "One line."


@each_row(
    "markup",
    [
        "<p>{}</p>",
        "<table><tr><td>{}</td></tr></table>",
        "<pre>{}</pre>",
        "<article><header><p>{}</p></header></article>",
        "<header><h1>{}</h1></header>",
        "<aside class='admonition warning'>{}</aside>",
        "<div class=shared-library>{}</div>",
        "<form><p>{}</p></form>",
    ],
)
def test_everything_else_is_kept(markup: str) -> None:
    assert kept_text("<p>One line.</p>" + markup.format("another")) == "One line. another"


def test_the_name_of_the_body_says_nothing_of_its_parts() -> None:
    assert kept_text("<body class='has-cookies social'><p>One line.</p>") == "One line."


@each_row("main", ["<main>{}</main>", "<article>{}</article>", "<div role=main>{}</div>"])
def test_where_most_is_in_the_main_part_the_rest_is_left_but_for_headings(main: str) -> None:
    page = "<h2>Heading</h2>" + main.format("<p>One line to read.</p>") + "<p>another</p>"

    assert kept_text(page) == "Heading One line to read."


def test_where_little_is_in_the_main_part_the_rest_is_kept() -> None:
    assert kept_text("<main><p>Note</p></main><p>A line of text to read.</p>") == "Note A line of text to read."
