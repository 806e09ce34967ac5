"""How much of a page is read, and that every process reads the same of it."""

from __future__ import annotations

import pytest

from dowse.extract.html import to_text
from dowse.extract.html.tree import build as building
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.selectors import compile_selectors

PAGE = "<p>The ferry leaves at nine.</p><p>The last one leaves at six.</p>"


@pytest.fixture
def few_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_MAX_NODES", 4)


@pytest.mark.usefixtures("few_nodes")
def test_a_page_of_more_nodes_than_are_read_is_cut() -> None:
    tree = build(PAGE)
    assert tree.is_cut
    assert [node.tag or node.text for node in tree.nodes] == ["body", "p", "The ferry leaves at nine.", "p"]


@pytest.mark.usefixtures("few_nodes")
def test_a_text_says_that_its_page_was_cut() -> None:
    text = to_text(PAGE, "https://bay.example/ferry")
    assert text.is_cut
    assert "The ferry leaves at nine." in text.markdown


def test_an_ordinary_page_is_read_to_its_end() -> None:
    assert not build(PAGE).is_cut


def test_a_rule_is_found_by_the_same_name_in_every_process() -> None:
    """The order of a set is another one in each."""
    (selector,) = compile_selectors(".open.menu.above")
    assert selector.compounds[-1].index_keys() == [".above"]


def test_what_hidden_elements_say_about_the_page_counts() -> None:
    tree = build('<div hidden><base href="/line/"><p>unseen <meta itemprop="author" content="Jane"></p></div><p>seen')
    assert tree.head["base"] == [{"href": "/line/"}]
    assert tree.head["meta"] == [{"itemprop": "author", "content": "Jane"}]
    assert tree.hidden_words == 1
