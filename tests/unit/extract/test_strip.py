"""The linear stripper, for pages that no parser got through."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dowse.extract.strip import strip_html
from tests.support.tables import each_row


@each_row(
    ("markup", "text"),
    [
        ("<p>one</p><p>two <b>bo</b>ld</p>", "one\ntwo bold"),
        ("a<script>if (a<b) x('</p>')</script>b<style>p{}</style>c", "abc"),
        ("<SCRIPT>x</SCRIPT >y", "y"),
        ("<!-- x > --> y <!--> z <!---> w", "y z w"),
        ("a <!-- never closed", "a"),
        ("a <!-- x --!> b", "a b"),
        ('a<p ="> b', "a\nb"),
        ("<p class=sr-only>x</p>y<p style='font-size:&#48;'>x</p>", "y"),
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
    strip_html(markup)
