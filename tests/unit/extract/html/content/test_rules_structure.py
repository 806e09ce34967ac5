"""What is kept together, whatever the model says of its parts. Elements say themselves how they are scored."""

from __future__ import annotations

import numpy as np
import pytest

from dowse.extract.html.content.blocks import cut_blocks
from dowse.extract.html.content.rules import complete_structure
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row

CUT = 0.5
TEXT = "<p score=0.9>text</p>"
ELSE = "<p score=0>else</p>"
# So that nothing else on the page is most of it.
REST = f"<p score=0.9>{'rest ' * 100}</p>"


def kept(markup: str, *, is_thread: bool = False) -> str:
    """The first words of the blocks that are kept."""
    tree = build(markup)
    blocks = cut_blocks(tree)
    scores = np.array([float(block.container.get("score") or 0) for block in blocks])
    words = np.array([len(block.text.split()) for block in blocks])
    are_kept = complete_structure(tree, blocks, words, scores, scores >= CUT, is_thread=is_thread)
    return " ".join(block.text.split()[0] for block, is_kept in zip(blocks, are_kept, strict=True) if is_kept)


def test_what_is_content_by_itself_is_kept_and_the_rest_is_not() -> None:
    assert kept(TEXT + ELSE + TEXT) == "text text"


def row(*scores: float) -> str:
    return "<tr>" + "".join(f"<td score={score}>cell{number}</td>" for number, score in enumerate(scores)) + "</tr>"


@pytest.mark.parametrize(("best", "expected"), [(0.4, "rest cell0 cell1 cell2 cell3"), (0.39, "rest")])
def test_a_table_of_data_is_judged_by_its_best_cell(best: float, expected: str) -> None:
    assert kept(f"{REST}{ELSE * 2}<table>{row(best, 0, 0, 0)}</table>{ELSE}") == expected


@each_row(
    ("scores", "expected"),
    [((0.9, 0.9, 0, 0), "rest" + " cell" * 4), ((0.9, 0, 0), "rest cell"), ((0.9, 0, 0, 0, 0, 0), "rest")],
)
def test_a_table_of_links_is_kept_or_left_by_what_most_of_it_is(scores: tuple[float, ...], expected: str) -> None:
    cells = "".join(f"<td><div score={score}><a href=/x>cell</a></div></td>" for score in scores)

    assert kept(f"{REST}{ELSE * 2}<table><tr>{cells}</tr></table>{ELSE}") == expected


@each_row(
    "page",
    [
        pytest.param(TEXT + "{table}" + ELSE, id="below the text"),
        pytest.param(ELSE + "{table}" + TEXT, id="above the text"),
        pytest.param(TEXT + "<p score=0>A caption</p>{table}" + ELSE, id="below its caption"),
    ],
)
def test_a_table_of_data_next_to_the_text_is_part_of_it(page: str) -> None:
    assert "cell0 cell1" in kept(REST + ELSE * 3 + page.format(table=f"<table>{row(0.1, 0)}</table>"))


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(f"<table>{row(0.09, 0)}</table>", id="that does not look like content at all"),
        pytest.param("<table><tr><td score=0.4><a href=/a>other</a></td><td>x</td></tr></table>", id="of links"),
    ],
)
def test_a_table_is_left_next_to_the_text(table: str) -> None:
    assert kept(REST + TEXT + table + ELSE) == "rest text"


def test_a_table_that_is_the_page_is_judged_cell_by_cell() -> None:
    """Old pages put their menu and their text into one."""
    menu = "<td score=0>menu</td>" * 20
    text = f"<td score=0.9>{'story ' * 10}</td>"

    assert kept(f"<table><tr>{menu}{text}</tr></table>") == "story"


@each_row("verbatim", ["<pre score=0>code</pre>", "<div><math><mi>code</mi></math></div>"])
@each_row("neighbours", [(TEXT, ELSE), (ELSE, TEXT)])
def test_code_and_formulas_next_to_the_text_are_part_of_it(neighbours: tuple[str, str], verbatim: str) -> None:
    before, behind = neighbours

    assert "code" in kept(REST + ELSE * 3 + before + verbatim + behind)
    assert kept(REST + ELSE * 3 + verbatim + ELSE) == "rest"


def items(*scores: float, tag: str = "ul", words: int = 3) -> str:
    texts = (f"<li score={score}>item{number}{' word' * (words - 1)}</li>" for number, score in enumerate(scores))
    return f"<{tag}>{''.join(texts)}</{tag}>"


@each_row("tag", ["ul", "ol"])
@each_row(
    ("scores", "expected"),
    [
        ((0.9, 0.9, 0), "item0 item1 item2"),
        ((0.9, 0.9, 0, 0), "item0 item1"),
        ((0.9, 0, 0, 0, 0), ""),
    ],
)
def test_a_list_is_completed_or_dropped_by_what_most_of_it_is(
    tag: str, scores: tuple[float, ...], expected: str
) -> None:
    assert kept(REST + ELSE + items(*scores, tag=tag) + ELSE) == f"rest {expected}".strip()


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(items(0.9, 0.9, 0, words=50) + REST * 5, id="its items are long"),
        pytest.param(items(0.9, 0.9, 0, words=30) + ELSE, id="it is most of the page"),
    ],
)
def test_a_thread_is_a_list_that_is_judged_item_by_item(page: str) -> None:
    assert kept(page).startswith("item0 item1")
    assert "item2" not in kept(page)


def test_a_list_in_the_midst_of_the_text_is_part_of_it() -> None:
    assert kept(REST + TEXT + items(0.1, 0) + TEXT) == "rest text item0 item1 text"
    assert kept(REST + TEXT + items(0.1, 0) + ELSE) == "rest text"


@pytest.mark.parametrize(("words", "expected"), [(3, "rest outer item0 item1"), (13, "rest outer")])
def test_a_short_list_in_an_item_goes_with_the_item(words: int, expected: str) -> None:
    """A longer one may be what others have said to it."""
    outer = f"<ul><li score=0.9>{'outer ' * 2 * words}{items(0.2, 0.2, words=words)}</li><li>other and others</li></ul>"

    assert kept(REST + ELSE + outer + ELSE) == expected


def test_links_in_the_midst_of_the_text_are_no_list_of_it() -> None:
    links = "<ul>" + "<li score=0.4><a href=/x>linked</a></li>" * 3 + "</ul>"

    assert kept(REST + TEXT + links + TEXT) == "rest text text"


@each_row(
    ("heading", "is_kept"),
    [
        pytest.param("<h2 score=0.1>name</h2>", True, id="it may be content"),
        pytest.param("<h2 score=0.09>name</h2>", False, id="it is a name for something else"),
        pytest.param("<h2 score=0.1>name</h2>" + ELSE * 3, False, id="what is below it is left"),
        pytest.param("<p score=0.1>name</p>", False, id="it is no heading"),
    ],
)
def test_a_heading_goes_with_what_is_below_it(heading: str, is_kept: bool) -> None:
    assert ("name" in kept(heading + TEXT)) is is_kept


def test_the_title_is_kept_above_the_text_and_what_stands_between_them() -> None:
    assert kept("<h1 score=0.1>title</h1>" + ELSE * 11 + TEXT) == "title text"
    assert kept("<h1 score=0.1>title</h1>" + ELSE * 12 + TEXT) == "text"


def test_a_title_that_does_not_look_like_content_is_left_to_those_who_show_it_apart() -> None:
    assert kept("<h1 score=0.09>title</h1>" + TEXT) == "text"


def test_the_name_of_the_site_above_the_title_is_none() -> None:
    assert kept("<h1 score=0.1>site</h1><h1 score=0.1>title</h1>" + ELSE * 3 + TEXT) == "title text"


def test_a_title_above_nothing_is_left() -> None:
    assert kept(TEXT + "<h1 score=0.1>title</h1>" + ELSE) == "text"


def test_posts_of_a_thread_are_kept_like_the_others() -> None:
    post = "<div class=post><p score={}>{}</p></div>"
    posts = post.format(0.9, "first one here") + post.format(0.6, "second one") + post.format(0.1, "last one")
    rest = post.format(0.09, "never") + "<div class=name><p score=0.4>name</p></div>" * 3

    assert kept(posts + rest, is_thread=True) == "first second last"
    assert kept(posts + rest) == "first second"
    assert kept(posts.replace("0.6", "0.4") + rest, is_thread=True) == "first"
