"""Links that can be followed, and images as their words."""

from __future__ import annotations

import pytest

from tests.support.tables import each_row
from tests.unit.extract.html.render.rendering import markdown


@each_row(
    ("source", "expected"),
    [
        ('<a href="/x?fbclid=1">a</a>', "[a](https://docs.example/x)"),
        ('<a href="https://github.com/o/r?ref=main&utm_source=1">a</a>', "[a](https://github.com/o/r?ref=main)"),
        ('<a href="mailto:me@example.org">a</a>', "[a](mailto:me@example.org)"),
        ('<a href="javascript:alert(1)">a</a>', "a"),
        ('<a href="data:text/html,x">a</a>', "a"),
        ('<a href="#part">a</a>', "a"),
        ("<a>a</a>", "a"),
        ('<a href="/w/Otter_(river)">a</a>', "[a](https://docs.example/w/Otter_(river))"),
        ('<a href="/w/Otter)">a</a>', "[a](https://docs.example/w/Otter%29)"),
        ('<a href="/my file">a</a>', "[a](https://docs.example/my%20file)"),
        ('<a href="/x">[a]</a>', "[\\[a\\]](https://docs.example/x)"),
        ('<a href="/x"> a </a>b', "[a](https://docs.example/x) b"),
        ('<a href="/x">a<br>b</a>', "[a b](https://docs.example/x)"),
        ('<b><a href="/x">a</a></b>', "**[a](https://docs.example/x)**"),
        ('<a href="/x"><b>a</b></a>', "[**a**](https://docs.example/x)"),
        ('<code><a href="/x">a</a></code>', "[`a`](https://docs.example/x)"),
        ('Go!<a href="/x">a</a>', "Go! [a](https://docs.example/x)"),
        ('<a href="/x">a</a><a href="/y">b</a>', "[a](https://docs.example/x) [b](https://docs.example/y)"),
        ('<a href="/x">a</a><a href="/x">b</a>', "[ab](https://docs.example/x)"),
        ('<a href="/x"></a>a', "a"),
        ('<a href="/x" title="b">a</a>', "[a](https://docs.example/x)"),
    ],
)
def test_links_are_absolute_and_clean(source: str, expected: str) -> None:
    assert markdown(f"<p>see {source}") == f"see {expected}"


def test_relative_links_follow_the_base_element() -> None:
    page = '<html><head><base href="https://other.example/a/"></head><body>see <a href="b">this</a></body></html>'

    assert markdown(page) == "see [this](https://other.example/a/b)"


@each_row(
    ("page", "expected"),
    [
        ("<a href=/x><p>a</p><p>b</p></a>", "[a](https://docs.example/x)\n\nb"),
        ("<a href=/x><p>a<br>b</p></a>", "[a b](https://docs.example/x)"),
        ("<a href=/x><div>a</div><h3>b</h3></a>", "a\n\n### [b](https://docs.example/x)"),
        ("<a href=/x><img alt=photo></a><a href=/x>Title</a>", "[Title](https://docs.example/x)"),
        ("<div><a href=/x><img alt=photo></a></div><h3><a href=/x>T</a></h3>", "### [T](https://docs.example/x)"),
        ("<div><a href=/x>T</a></div><div><a href=/x>T</a></div>", "[T](https://docs.example/x)"),
        ("<a href=/x><img alt=photo></a>", "[photo](https://docs.example/x)"),
        ("<a href=/x><x-icon></x-icon>\nA</a>", "[A](https://docs.example/x)"),
    ],
)
def test_a_card_has_one_link(page: str, expected: str) -> None:
    assert markdown(page) == expected


@each_row(
    ("source", "expected"),
    [
        ('<img src="https://evil.example/?d=1" alt="a chart">', "see a chart"),
        ('<img src="https://evil.example/?d=1">', "see"),
        ('<img src="x" alt="IMG_1234.jpg">', "see"),
        ('<img alt="a"><img alt="a">', "see a"),
        ('<img alt="a"> <img alt="b">', "see a b"),
        ("<a href=/x><img alt=photo> words</a>", "see [words](https://docs.example/x)"),
    ],
)
def test_images_are_their_words_once(source: str, expected: str) -> None:
    assert markdown(f"<p>see {source}") == expected


def test_images_can_be_left_out() -> None:
    assert markdown("<p>see <img alt='a chart'> this</p>", with_images=False) == "see this"


@each_row(
    ("page", "expected"),
    [
        pytest.param(
            "<p>A<sup id=r1><a href='#fn1'>1</a></sup>.</p><section class=footnotes><ol>"
            "<li id=fn1><p>The note. <a href='#r1'>↩</a></p><p>More.</p></li></ol></section>",
            "A[^1].\n\n[^1]: The note.\n\n    More.",
            id="a list",
        ),
        pytest.param(
            "<p>A<a href='#n-a'><sup>[a]</sup></a> B<a href='#n-a' class=footnote-ref>[a]</a></p><p id=n-a>Note</p>",
            "A[^a] B[^a]\n\n[^a]: Note",
            id="a paragraph, two marks",
        ),
        pytest.param(
            "<p>A<sup><a href='#x1'>1</a></sup></p><p id=x1>One</p>"
            "<p>B<sup><a href='#y1'>1</a></sup></p><p id=y1>Two</p>",
            "A[^1]\n\n[^1]: One\n\nB[^y1]\n\n[^y1]: Two",
            id="the same number twice",
        ),
        pytest.param("<p>A<sup><a href='#gone'>1</a></sup></p>", "A1", id="no note"),
        pytest.param(
            "<p>A<sup><a href='#cite_note-1'>[1]</a></sup></p><ol><li id=cite_note-1>"
            "<span class='mw-cite-backlink'><b><a href='#cite_ref-1'>^</a></b></span> A book</li></ol>",
            "A[1]\n\n1. A book",
            id="Wikipedia",
        ),
    ],
)
def test_footnotes_find_each_other(page: str, expected: str) -> None:
    assert markdown(page) == expected
