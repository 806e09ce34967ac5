"""Which blocks are content: the cut, the whole page where little is found, and the pictures between the blocks."""

from __future__ import annotations

import numpy as np
import pytest

from dowse.extract.html.content.features import KINDS
from dowse.extract.html.content.selection import Selection, best_cut, kept_nodes, select
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.guard import cap_markup
from dowse.extract.html.tree.node import Tree
from tests.support.tables import each_row

URL = "https://pages.example/blog/otters"
PROSE = "The otter swims in rivers and in the sea, and it eats fish, crabs and whatever else it finds there."
MENU = "".join(f"<li><a href=/{number}>Section {number}</a></li>" for number in range(12))
ARTICLE = f"""<nav><ul>{MENU}</ul></nav>
<article><h1>Otters</h1>{f"<p>{PROSE}</p>" * 8}</article>
<footer><p>© 2024 The River Trust. All rights reserved.</p></footer>"""


def kept_text(selection: Selection) -> str:
    return "\n".join(block.text for block, is_kept in zip(selection.blocks, selection.are_kept, strict=True) if is_kept)


def kept_pictures(tree: Tree) -> list[str]:
    flags = kept_nodes(tree, select(tree, URL))
    return [node.get("alt") for node in tree.nodes if node.tag == "img" and flags[node.index]]


def test_the_cut_is_where_precision_and_recall_are_best_together() -> None:
    """Three blocks of ten words: with two of them 19 of 20 words are right, of 20 that there are."""
    assert best_cut(np.array([0.98, 0.92, 0.1]), np.array([10.0, 10.0, 10.0])) == 0.92


def test_long_blocks_weigh_more_than_short_ones() -> None:
    scores = np.array([0.9, 0.35])

    assert best_cut(scores, np.array([100.0, 5.0])) == 0.9
    assert best_cut(scores, np.array([5.0, 100.0])) == 0.35


def test_a_sentence_is_kept_however_many_links_are_below_it() -> None:
    told = "The ferry crosses the bay four times a day, and tickets are sold on the pier."
    tree = build(cap_markup(f"<h1>The ferry</h1><p>{told}</p>{'<a href=/x><div>x' * 2_000}"))

    assert told in kept_text(select(tree, "https://bay.example/ferry"))


@pytest.mark.parametrize("notice", ["Copyright 2024 by the Example Company of Springfield. All rights reserved.", ""])
def test_a_notice_does_not_open_the_page_for_its_menu(notice: str) -> None:
    rows = "".join(f"<tr><td>Species {number}</td><td>{number * 7}</td></tr>" for number in range(60))
    tree = build(f"<nav><ul>{MENU}</ul></nav><table>{rows}</table><footer><p>{notice}</p></footer>")
    kept = kept_text(select(tree, URL))

    assert "Species 7" in kept
    assert "Copyright" not in kept
    assert "Section 5" not in kept


def test_no_cut_is_made_by_a_page_without_words() -> None:
    assert best_cut(np.array([0.3, 0.2]), np.zeros(2)) in (0.3, 0.2)


def test_an_article_is_told_from_what_is_around_it() -> None:
    selection = select(build(ARTICLE), URL)
    kept = {block.container.tag for block, keep in zip(selection.blocks, selection.are_kept, strict=True) if keep}

    assert kept == {"h1", "p"}
    assert kept_text(selection) == "\n".join(["Otters", *[PROSE] * 8])
    assert not selection.is_whole


def test_a_page_is_of_one_of_the_kinds() -> None:
    selection = select(build(ARTICLE), URL)

    assert selection.kind in KINDS
    assert 0 < selection.kind_confidence <= 1


def test_a_few_words_are_of_no_kind() -> None:
    selection = select(build("<h1>Otters</h1><p>They swim.</p>"), URL)

    assert (selection.kind, selection.kind_confidence) == ("", 0)


@each_row("markup", ["", "<script>x</script>", "<p> </p>"])
def test_a_page_without_text_is_whole_and_of_no_kind(markup: str) -> None:
    selection = select(build(markup), URL)

    assert (selection.blocks, selection.is_whole, selection.kind, kept_text(selection)) == ([], True, "", "")


def test_a_page_of_which_nearly_nothing_is_content_is_kept_whole() -> None:
    selection = select(build(f"<nav><p>{PROSE}</p></nav><p>x</p>"), URL)

    assert selection.is_whole
    assert selection.are_kept.all()


def test_pictures_in_and_between_texts_that_are_kept_are_kept() -> None:
    tree = build(
        ARTICLE.replace("</h1>", "</h1><img alt=between>", 1)
        .replace(PROSE, f"{PROSE} <a href=/x><img alt=inside></a>", 1)
        .replace("<nav>", "<nav><img alt=logo>")
        .replace("<footer>", "<img alt=behind><footer><img alt=badge>")
    )

    assert kept_pictures(tree) == ["between", "inside"]


def test_where_everything_is_content_all_pictures_are() -> None:
    assert kept_pictures(build("<img alt=first><p>Some words.</p><img alt=last>")) == ["first", "last"]
