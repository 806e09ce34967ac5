"""The second classifier: what stands around an article is told from it, in many languages; threads are left alone."""

from __future__ import annotations

import numpy as np
import pytest

from dowse.extract.html.content import articles, features
from dowse.extract.html.content.articles import LABELS, NAMES, of_label, of_names
from dowse.extract.html.content.blocks import cut_blocks
from dowse.extract.html.content.model import Model, load_shipped
from dowse.extract.html.content.selection import Selection, select
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.node import Tree
from tests.eval.articles.pages import pages


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Kommentare (12)", "comments"),
        ("3 comentarios", "comments"),
        ("コメント", "comments"),
        ("Lesen Sie auch", "related"),
        ("関連記事", "related"),
        ("Самое читаемое", "related"),
        ("Répondre", "reply"),
        ("Anzeige", "ad"),
        ("Je m'abonne", "sign"),
    ],
)
def test_labels_are_known_in_many_languages(text: str, label: str) -> None:
    assert of_label(text) >> list(LABELS).index(label) & 1


def test_sentences_are_no_labels() -> None:
    assert [
        text for text in ("La casa era grande.", "Er kam spät.", "De molen draait.", "船は出た。") if of_label(text)
    ] == []


def test_custom_elements_and_components_have_names_as_classes_have() -> None:
    blocks = cut_blocks(
        build("<reader-comments><div data-component='promo-block'>One</div></reader-comments><p>Two</p>")
    )
    names = articles._measure_names(blocks)
    around, every = np.split(names, 2, axis=1)
    comment, related = list(NAMES).index("comment"), list(NAMES).index("related")
    assert (around[:, comment].tolist(), every[:, comment].tolist()) == ([1, 0], [1, 0])
    assert around[:, related].tolist() == [1, 0]
    assert of_names("xyz") == 0


def test_comments_below_an_article_are_left_out_where_the_first_classifier_kept_them() -> None:
    page = next(page for page in pages() if page.name == "magazine-kiln-en")
    tree, shipped = build(page.html), load_shipped()
    first = Model(shipped.kinds, shipped.blocks, shipped.networks, shipped.threads)
    assert _words(tree, page.url, first) > _words(tree, page.url, shipped) + 50
    assert "There was no speech." in _kept(select(tree, page.url, shipped))


def test_a_thread_is_known_by_its_address_and_keeps_its_posts() -> None:
    posts = "".join(
        f'<div class="post" id="p{n}"><h3>otter{n}</h3><div class="content">The rear wheel broke on ride {n}, and '
        "I still think that the spokes were too tight from the start.</div></div>"
        for n in range(9)
    )
    tree = build(f"<title>Broken spokes</title><h1>Broken spokes</h1>{posts}")
    kept = _kept(select(tree, "https://bikes.example/viewtopic.php?t=12345"))
    assert all(f"on ride {n}," in kept for n in range(9))


def test_distances_to_labels_are_counted_in_blocks() -> None:
    blocks = cut_blocks(build("<p>One.</p><h2>Comments</h2><p>Two.</p><p>Three.</p>"))
    count, place = len(LABELS), list(LABELS).index("comments")
    found = articles._measure_labels(blocks)
    assert found[:, place].tolist() == [0, 1, 0, 0]
    assert found[:, count + place].tolist()[1:] == [0, 1, 2]
    assert found[:, count + place][0] > 2


def _kept(selection: Selection) -> str:
    blocks, kept = selection.blocks, selection.are_kept
    return "\n".join(block.text for block, is_kept in zip(blocks, kept, strict=True) if is_kept)


def _words(tree: Tree, url: str, model: Model) -> float:
    selection = select(tree, url, model)
    return float(selection.rows[:, features.WORDS][selection.are_kept].sum())
