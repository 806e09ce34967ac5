"""The guard before the parser: sane markup passes as it is, and the rest is made sane without losing its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from dowse.extract.html.tree.guard import MAX_DEPTH, cap_markup
from tests.support.tables import each_row

# Up to five elements for each that the guard counts, as in `<option><table><td>`; above them `html` and `body`.
DEEPEST = 5 * MAX_DEPTH + 5
"""Levels of elements that the guard counts, and of those that it need not."""


def depth(markup: str) -> int:
    deepest = 0
    levels: dict[int, int] = {}
    for node in LexborHTMLParser(markup).root.traverse():
        parent = node.parent
        levels[node.mem_id] = 1 + (levels.get(parent.mem_id, 0) if parent is not None else 0)
        deepest = max(deepest, levels[node.mem_id])
    return deepest


def words(markup: str) -> list[str]:
    body = LexborHTMLParser(markup).body
    return body.text(separator=" ").split() if body is not None else []


@each_row(
    "markup",
    [
        pytest.param("", id="nothing"),
        pytest.param("just words, 1 < 2 & 3 > 2", id="no tags"),
        pytest.param("<p>x<li>y" * 5_000, id="end tags left out"),
        pytest.param("<div><span>x</span></div><br>" * 5_000, id="long"),
        pytest.param("<table>" + "<tr><td>1</td><td><b>2</b></td></tr>" * 5_000 + "</table>", id="long table"),
        pytest.param("<div><b>x</div>" * 100, id="a few mistakes"),
        pytest.param("<script>" + "'<div>'" * 1_000 + "</script>", id="tags in a script"),
        pytest.param("<!--" + "<div>" * 1_000 + "-->", id="tags in a comment"),
        pytest.param('<p title="' + "<div>" * 1_000 + '">x</p>', id="tags in an attribute"),
        pytest.param('<img srcset="' + "a b, " * 5_000 + '">', id="one long attribute"),
        pytest.param("<svg>" + "<path d='M0 0'/>" * 5_000 + "</svg>", id="long drawing"),
        pytest.param("<svg><title>x</title><g></g></svg>" * 1_000, id="many drawings"),
        pytest.param("<select>" + "<option>x" * 1_000 + "</select>", id="long choice"),
    ],
)
def test_markup_as_pages_have_it_passes_unchanged(markup: str) -> None:
    assert cap_markup(markup) is markup


@each_row(
    "piece",
    [
        pytest.param("<div>", id="elements"),
        pytest.param("<div></span>", id="end tags of others"),
        pytest.param("<div><!--</div>-->", id="end tags in comments"),
        pytest.param("<!-- --!><div><!-- </div> --!>", id="comments with another end"),
        pytest.param("<div><script></div></script>", id="end tags in scripts"),
        pytest.param("<div><script><!--<script></script></div></script>", id="end tags in comments of scripts"),
        pytest.param('<div><p title="</div>">', id="end tags in attributes"),
        pytest.param("<div><p title='</div>'>", id="end tags in other attributes"),
        pytest.param("<div><![CDATA[</div>]]>", id="end tags in CDATA"),
        pytest.param("<div><?x </div>", id="end tags in instructions"),
        pytest.param("<div><table><tr><td></div></table>", id="end tags in cells"),
        pytest.param("<div><object></div></object>", id="end tags in objects"),
        pytest.param("<div><svg><title></div></title></svg>", id="end tags in drawings"),
        pytest.param("<span><div></span>", id="end tags of lines around blocks"),
        pytest.param("<g/>", id="only drawings have tags that end themselves"),
        pytest.param("<svg><p><g/>", id="a drawing that ended"),
        pytest.param("<svg><td>", id="cells in drawings"),
        pytest.param("<p><button>", id="buttons"),
        pytest.param("<ul><li>", id="lists"),
    ],
)
def test_no_trick_makes_a_tree_deep(piece: str) -> None:
    assert depth(cap_markup("<p>first</p>" + piece * 3_000 + "last")) < DEEPEST


@each_row(
    "piece",
    [
        "<div>w ",
        "<div>w </span>",
        "<span>w ",
        "<b>w ",
        "<font color=x>w <p>",
        "<table><tr><td>w ",
        "<ul><li>w ",
        "<blockquote><p>w ",
        "<div><pre>w ",
    ],
)
def test_all_text_of_deep_markup_is_kept(piece: str) -> None:
    markup = "<h1>first</h1>" + piece * 2_000 + "<p>last</p>"

    assert words(cap_markup(markup)) == ["first", *["w"] * 2_000, "last"]


def test_what_follows_something_deep_keeps_its_elements() -> None:
    markup = cap_markup("<div>" * 5_000 + "x" + "</div>" * 5_000 + "<table><tr><td>1<td>2</table><pre>code</pre>")

    parser = LexborHTMLParser(markup)
    assert [node.text() for node in parser.css("td")] == ["1", "2"]
    assert parser.css_matches("body > pre")


def test_surplus_attributes_are_dropped() -> None:
    markup = cap_markup('<p class="a" ' + " ".join(f"a{i}='>'" for i in range(10_000)) + " id=z>text</p>")

    element = LexborHTMLParser(markup).css_first("p")
    assert element is not None
    assert element.text() == "text"
    assert element.attributes["class"] == "a"
    assert len(element.attributes) == 250


def test_hidden_elements_stay_hidden_when_markup_is_written_anew() -> None:
    markup = cap_markup("<div>" * 5_000 + "</div>" * 5_000 + "<p hidden>x</p><svg><desc>y</desc></svg>")

    parser = LexborHTMLParser(markup)
    assert [node.text() for node in parser.css("[hidden], object")] == ["x", "y"]


@pytest.mark.parametrize("end", ["", "</iframe>"])
def test_a_frame_in_a_noscript_does_not_swallow_the_page(end: str) -> None:
    markup = f'<noscript><iframe src="https://tags.example/" />{end}</noscript><p>text'

    assert words(cap_markup(markup))[-1] == "text"


def test_lone_surrogates_are_replaced() -> None:
    assert cap_markup("<p>a\ud800b</p>") == "<p>a\ufffdb</p>"


PIECES = (
    *(
        "<div>",
        "</div>",
        "<b a=1>",
        "</b>",
        "<p>",
        "</p>",
        "<table>",
        "</table>",
        "<td>",
        "</td>",
        "<svg>",
        "</svg>",
        "<g/>",
    ),
    *(
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "--!>",
        "<a href='",
        "'>",
        '"',
        "=",
        "<![CDATA[",
        "]]>",
        "<title>",
        "</title>",
    ),
    *(
        "<template>",
        "</template>",
        "<math>",
        "<mi>",
        "</math>",
        "<select>",
        "<option>",
        "<button>",
        "</button>",
        " w ",
        "<",
        ">",
    ),
)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12))
def test_no_repeated_markup_is_deep(pieces: list[str]) -> None:
    assert depth(cap_markup("".join(pieces) * 400)) < DEEPEST


HOSTILE = (
    "<div>",
    "<b a={}>x<p>",
    "<p><font a={}>x</p>",
    "<a><b>x</a>",
    "<table><b>",
    "<ul><li>x",
    "<option>x",
    "<x{}>",
    "<p a{0}=1 b{0}=1>",
    "<body a{}=1>",
    "<p x='",
    "<p =",
    "<!--",
    "<![CDATA[",
    "</p>",
    "<",
)


def hostile(piece: str, count: int) -> str:
    """Markup that a parser without a guard takes quadratic time for; numbers keep its pieces different."""
    return "<select>" + "".join(piece.format(number) for number in range(count))


@each_row("piece", HOSTILE)
def test_hostile_markup_is_not_deep_behind_the_guard(piece: str) -> None:
    assert depth(cap_markup(hostile(piece, 2_000))) < DEEPEST
