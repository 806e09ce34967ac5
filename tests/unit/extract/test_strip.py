"""The linear stripper and the scan that sends pages to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.extract.strip import strip_html
from dowse.extract.tags import is_parseable


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>one</p><p>two <b>bo</b>ld</p>", "one\ntwo bold"),
        ("a<script>if (a<b) x('</p>')</script>b<style>p{}</style>c", "abc"),
        ("<SCRIPT>x</SCRIPT >y", "y"),
        ("<!-- x > --> y <!--> z <!---> w", "y z w"),
        ("a <!-- never closed", "a"),
        ("<p title='a > b'>text", "text"),
        ("<tr><td>a</td><td>b</td></tr>", "a b"),
        ("a &lt;b&gt; &amp; c < d", "a <b> & c < d"),
        ("<div hidden>x<div>y</div>z</div>w", "w"),
        ('<div style="display:none">x</div>w', "w"),
        ("<title>t</title><textarea><p>x</textarea>w", "w"),
        ("<a href='x'>hidden</a>", "hidden"),
        ("cut <a href='", "cut"),
    ],
)
def test_words_stay_and_markup_goes(markup: str, text: str) -> None:
    assert strip_html(markup) == text


@given(st.text(alphabet="<>/!-=\"' abdivscriptxhidden&;[]\n", max_size=200))
def test_no_markup_breaks_it(markup: str) -> None:
    is_parseable(markup)
    strip_html(markup)


@pytest.mark.parametrize(
    ("markup", "parseable"),
    [
        pytest.param("<p>x<li>y" * 5000, True, id="end tags left out"),
        pytest.param("<div><span>x</span></div><br>" * 5000, True, id="long"),
        pytest.param("<script>" + "'<div>'" * 1000 + "</script>", True, id="tags in a script"),
        pytest.param('<img srcset="' + "a b, " * 5000 + '">', True, id="one long attribute"),
        pytest.param("<div>" * 301, False, id="deep"),
        pytest.param("<a " + " ".join(f"a{i}='>'" for i in range(300)) + ">", False, id="many attributes"),
        pytest.param("<a " + "x " * 300, False, id="many attributes, never closed"),
    ],
)
def test_only_absurd_markup_is_kept_from_the_parser(markup: str, parseable: bool) -> None:
    assert is_parseable(markup) is parseable
