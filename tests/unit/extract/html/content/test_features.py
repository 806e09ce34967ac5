"""The numbers that a model sees: as many as there are names, in the order of the names, and all of them numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dowse.extract.html.content import features
from dowse.extract.html.content.blocks import cut_blocks
from dowse.extract.html.content.features import KINDS
from dowse.extract.html.content.model import load_shipped
from dowse.extract.html.content.vocabulary import CLASS_GROUPS, TEXT_GROUPS
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row

URL = "https://pages.example/blog/otters-in-winter.html"
PAGE = """<html><head><title>Otters in winter</title></head><body>
<nav class="main-menu"><a href="/">Home</a></nav>
<article class="post-content"><h1>Otters in winter</h1>
<p>The otter swims under the ice, and it comes up for air where the river is fast.</p>
<h2>Related</h2><p><a href="/blog/beavers.html">Beavers, too</a></p></article>
<footer><p>© 2024 The River Trust</p></footer></body></html>"""
TRICKY = [
    pytest.param("<p>x</p>", id="one block"),
    pytest.param("<p>一二三四五六七八九十</p><p>。</p>", id="no blanks"),
    pytest.param("<p>.</p><p>…</p><p>\u200b</p>", id="no words"),
    pytest.param("<p>\x1c</p><p>a</p>", id="blanks of another kind"),
    pytest.param("<h1>a</h1>" * 30, id="headings only"),
    pytest.param("<a href='http://[broken'>a</a><a href>b</a><a href='//'>c</a>", id="broken links"),
    pytest.param("<div>" * 200 + "deep", id="deep"),
    pytest.param("<title>&nbsp;</title><p>a</p>", id="blank title"),
    pytest.param('<script type="application/ld+json">{"@type": 3, "text": [}</script><p>a</p>', id="broken JSON-LD"),
]


def table(markup: str = PAGE, url: str = URL) -> list[dict[str, float]]:
    """Each block of a page by the names of its columns."""
    tree = build(markup)
    found = features.measure(tree, cut_blocks(tree), url)
    return [dict(zip(features.block_columns(), row.tolist(), strict=True)) for row in found.blocks]


def whole(markup: str = PAGE, url: str = URL) -> dict[str, float]:
    tree = build(markup)
    return dict(zip(features.PAGE_COLUMNS, features.measure(tree, cut_blocks(tree), url).page.tolist(), strict=True))


@each_row("markup", [pytest.param(PAGE, id="page"), *TRICKY])
def test_every_name_has_its_number_and_every_number_can_be_used(markup: str) -> None:
    tree = build(markup)
    blocks = cut_blocks(tree)
    found = features.measure(tree, blocks, "https://[broken")

    assert found.blocks.shape == (len(blocks), len(features.block_columns()))
    assert found.page.shape == (len(features.PAGE_COLUMNS),)
    assert np.isfinite(found.blocks).all()
    assert np.isfinite(found.page).all()


def test_no_name_is_given_twice() -> None:
    assert len({*features.columns()}) == len(features.columns())
    assert len({*features.PAGE_COLUMNS}) == len(features.PAGE_COLUMNS)


def test_the_model_asks_for_no_column_that_is_not_there() -> None:
    model = load_shipped()

    assert model.kinds.features.max() < len(features.PAGE_COLUMNS)
    assert model.blocks.features.max() < len(features.columns())


def test_a_row_is_what_the_block_has_for_itself_and_then_what_all_of_the_page_share() -> None:
    tree = build(PAGE)
    found = features.measure(tree, cut_blocks(tree), URL)
    kinds = np.arange(len(KINDS))

    rows = features.rows(found.blocks, found.page, kinds)

    assert rows.shape == (len(found.blocks), len(features.columns()))
    assert (rows[:, : found.blocks.shape[1]] == found.blocks).all()
    assert (rows[:, -len(KINDS) :] == kinds).all()


def test_a_block_is_known_by_its_text() -> None:
    menu, title, prose, *_, link, legal = table()

    assert (menu["words"], menu["linked"], menu["links"]) == (1, 1, 1)
    assert (prose["words"], prose["commas"], prose["stops"], prose["ends_sentence"]) == (17, 1, 1, 1)
    assert prose["linked"] == 0
    assert title["in_title"] == 1
    assert link["link_near"] == 1
    assert legal["is_date"] == 1


def test_names_and_first_words_are_bits_of_their_own() -> None:
    menu, _title, prose, related, *_, legal = table()

    assert (menu["around_nav"], menu["near_nav"], menu["text_nav"]) == (1, 1, 1)
    assert (prose["around_nav"], prose["near_nav"]) == (0, 0)
    assert {name for name in CLASS_GROUPS if prose[f"all_{name}"]} >= {"article", "content"}
    assert [name for name in TEXT_GROUPS if related[f"text_{name}"]] == ["related"]
    assert (legal["around_footer"], legal["text_legal"]) == (1, 1)


def test_a_block_is_known_by_its_heading_and_its_place() -> None:
    menu, title, prose, related, link, legal = table()

    assert [block["place"] for block in (menu, title, legal)] == pytest.approx([0, 1 / 6, 5 / 6])
    assert (title["heading"], related["heading"], prose["heading"]) == (1, 2, 0)
    assert (prose["after_h1"], prose["since_heading"], prose["heading_level"]) == (1, 1, 1)
    assert (link["section_related"], prose["section_related"]) == (1, 0)


def test_neighbours_are_those_before_and_behind() -> None:
    menu, title, prose, *_ = table()

    assert menu["words-1"] == 0
    assert menu["words+1"] == title["words"]
    assert prose["words-1"] == title["words"]
    assert prose["heading+1"] == 2


def test_the_page_is_known_by_its_address_and_its_sums() -> None:
    page = whole()

    assert page["page_url_article"] == 1
    assert page["page_blocks"] == 6
    assert page["page_words"] == sum(block["words"] for block in table())
    assert page["page_longest"] == 17


def test_types_are_counted_in_json_ld_and_in_the_markup() -> None:
    post = "<div itemscope itemtype=https://schema.org/DiscussionForumPosting><p itemprop=text>Otters!</p></div>"
    script = '<script type="application/ld+json">{"@type": "QAPage"}</script>'

    assert whole(f"{script}{post}{post}")["page_type_forum"] == 3
