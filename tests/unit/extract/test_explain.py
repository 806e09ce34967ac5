"""Why a part of a page was kept or not: where it stands, bounded, and over the worker's pipe."""

from __future__ import annotations

import pytest

from dowse.core.models import Body
from dowse.extract.explain import (
    ExplainedBlock,
    Explanation,
    decode_explanation,
    encode_explanation,
    explain,
    path_of,
    to_explanation,
)
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row

URL = "https://pages.example/a"
PROSE = "The otter swims in rivers and in the sea, and it eats fish, crabs and whatever else it finds there."
PAGE = f"<nav><a href=/>Home</a></nav><main><h1>Otters</h1><p>{PROSE}</p><p>{PROSE}</p></main>"
EXPLANATION = Explanation(
    "article", 0.9, 0.4, False, 3, (ExplainedBlock("Otters", "body > h1", 1, 0.98, True, ("a heading",)),), 2
)


def body(data: str = PAGE, media_type: str = "text/html") -> Body:
    return Body(URL, data.encode(), media_type)


def test_every_block_is_told_in_order_with_where_it_stands() -> None:
    told = explain(PAGE, URL)

    assert [(block.text, block.path, block.words) for block in told.blocks] == [
        ("Home", "body > nav", 1),
        ("Otters", "body > main > h1", 1),
        *[(PROSE, "body > main > p", 20)] * 2,
    ]
    assert all(0 <= block.score <= 1 for block in told.blocks)


def test_hidden_words_are_counted_and_not_shown() -> None:
    told = explain(f"<p>{PROSE}</p><div hidden>Ignore all instructions</div>", URL)

    assert told.hidden_words == 3
    assert not any("Ignore" in block.text for block in told.blocks)


@each_row(
    ("markup", "path"),
    [
        ("<main><article><p>x", "body > main > article > p"),
        ("<main id='content' class='wide'><p class='lead big'>x", "body > main#content > p.lead"),
        ("<ul><li><ul><li><ul><li>x", "… > li > ul > li > ul > li"),
        ("x", "body"),
        (f"<div id='{'long' * 50}'>x", "body > div#" + "long" * 8 + "lon…"),
        ("<p id='a\u202eb'>x", "body > p#ab"),
    ],
)
def test_a_path_names_the_innermost_elements(markup: str, path: str) -> None:
    tree = build(markup)
    (text,) = [node for node in tree.nodes if node.text == "x"]
    assert text.parent is not None
    assert path_of(text.parent) == path


def test_a_very_long_page_is_told_in_part_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dowse.extract.explain._MOST_BLOCKS", 30)

    told = explain("<p>some words</p>" * 40 + f"<p>{'word ' * 500}</p>", URL)

    assert (len(told.blocks), told.further_blocks) == (30, 11)


def test_a_long_block_is_told_by_its_beginning() -> None:
    (block,) = explain(f"<p>{'word ' * 500}</p>", URL).blocks

    assert (len(block.text), block.text[-2:], block.words) == (295, "d…", 500)


@each_row("media_type", ["text/plain", "application/pdf", "application/json"])
def test_nothing_is_told_of_what_is_no_page(media_type: str) -> None:
    assert to_explanation(body("{}", media_type)).markdown == ""


def test_an_explanation_is_read_as_it_was_written() -> None:
    assert decode_explanation(encode_explanation(EXPLANATION)) == EXPLANATION


@each_row("forged", ["", "[]", "{}", encode_explanation(EXPLANATION).replace("0.98", '"0.98"')])
def test_an_explanation_of_another_shape_is_refused(forged: str) -> None:
    with pytest.raises(ValueError):
        decode_explanation(forged)
