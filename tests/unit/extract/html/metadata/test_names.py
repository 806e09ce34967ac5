"""Who wrote a page."""

from __future__ import annotations

from dowse.extract.html.metadata import names, read
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row

FILLER = "<p>" + "The harbour is full of boats that wait for the tide. " * 40 + "</p>"


def author(head: str = "", body: str = "") -> str:
    markup = f"<!DOCTYPE html><html lang=en><head>{head}</head><body>{body}</body></html>"
    return read(build(markup), "https://harbour.example/notes/tides").author


def ld(author: str) -> str:
    return f'<script type="application/ld+json">{{"@type": "Article", "author": {author}}}</script>'


@each_row(
    "head",
    [
        "<meta name=author content='Ana Ferro'>",
        "<meta name=author content='By Ana Ferro, Senior Editor'>",
        "<meta name=citation_author content='Ferro, Ana'>",
        "<meta name='DC.creator' content='Ana Ferro'>",
        "<meta name=parsely-author content='Ana Ferro'>",
        "<meta name=sailthru.author content='Ana Ferro'>",
        "<meta property='article:author' content='Ana Ferro'>",
        "<meta name='twitter:label1' content='Written by'><meta name='twitter:data1' content='Ana Ferro'>",
        ld('"Ana Ferro"'),
        ld('{"@type": "Person", "name": "Ana Ferro", "url": "https://harbour.example/ana"}'),
        ld('[{"name": "Ana Ferro, PhD"}]'),
    ],
)
def test_a_declared_author_is_read(head: str) -> None:
    assert author(head) == "Ana Ferro"


@each_row(
    "value",
    ["admin", "Editorial Team", "staff", "https://www.facebook.com/harbour", "ana@harbour.example", "By", "{}", "42"],
)
def test_logins_and_addresses_are_no_author(value: str) -> None:
    assert author(f"<meta name=author content='{value}'>") == ""


def test_the_time_that_reading_takes_is_no_author() -> None:
    assert (
        author(
            "<meta name='twitter:label1' content='Est. reading time'><meta name='twitter:data1' content='4 minutes'>"
        )
        == ""
    )


def test_several_authors_are_joined_and_named_once() -> None:
    assert author(ld('[{"name": "Ana Ferro"}, {"name": "Bo Lund and Cleo Mar"}, "Ana Ferro"]')) == (
        "Ana Ferro, Bo Lund, Cleo Mar"
    )


@each_row(
    "body",
    [
        "<p>By Ana Ferro</p>",
        "<p>By <a href=/x>Ana Ferro</a> | March 5, 2024</p>",
        "<p>Written by Ana Ferro on March 5, 2024</p>",
        "<p>Von Ana Ferro</p>",
        "<p>Par Ana Ferro</p>",
        "<p>Por Ana Ferro</p>",
        "<span>Author:</span> <b>Ana Ferro</b>",
        "<a rel=author href=/x>Ana Ferro</a>",
        "<a href=/author/ana-ferro>Ana Ferro</a>",
        "<div class=byline><img src=x><div>Ana Ferro</div><div>Reporter at large</div></div>",
        "<span class='entry-author vcard'>Ana Ferro</span>",
        "<div class=ArticleAuthor_name__x1>Ana Ferro</div>",
        "<span itemprop=author itemscope><i>A</i> <span itemprop=name>Ana Ferro</span></span>",
    ],
)
def test_a_byline_is_read(body: str) -> None:
    assert author(body=f"<h1>Tides</h1>{body}{FILLER}") == "Ana Ferro"


@each_row(
    "body",
    [
        "<p>By the end of the day the harbour is empty.</p>",
        "<p>By Sunday 12 March</p>",
        "<a href=/user/login>Log In</a>",
        "<div class=comments><span class=author>Ana Ferro</span></div>",
        "<div class=related><p>By Ana Ferro</p></div>",
        f"{FILLER}<p>By Ana Ferro</p>",
        "".join(f"<div><a href=/author/{n}>{n} Ferro</a></div>" for n in ("Ana", "Bo", "Cleo", "Dan", "Eve")),
    ],
)
def test_what_only_looks_like_a_byline_is_none(body: str) -> None:
    assert author(body=f"<h1>Tides</h1>{body}") == ""


def test_the_first_post_of_a_thread_has_its_author_however_far_below() -> None:
    post = "<span itemprop=author><a itemprop=url href=/users/7/otter42>otter42</a></span>"
    reply = "<div><span itemprop=author><a itemprop=url href=/users/8/wren>wren</a></span></div>"
    assert author(body=f"<h1>Which rope?</h1>{FILLER}{post}{reply}") == "otter42"


def test_a_name_that_readers_see_wins_over_a_login_that_they_do_not() -> None:
    assert author("<meta name=author content=aferro7>", "<h1>Tides</h1><p>By Ana Ferro</p>") == "Ana Ferro"


def test_a_person_wins_over_the_site_and_the_site_over_none() -> None:
    head = "<meta property='og:site_name' content='Harbour Notes'><meta name=author content='Harbour Notes'>"
    assert author(head, "<h1>Tides</h1><p>By Ana Ferro</p>") == "Ana Ferro"
    assert author(head) == "Harbour Notes"


def test_names_are_plain_text() -> None:
    assert author(ld(r'"Ana <b>Ferro<\/b>\u202e"')) == "Ana Ferro"


@each_row(
    ("line", "expected"),
    [
        ("By Ana van der Berg & Bo Lund", ["Ana van der Berg", "Bo Lund"]),
        ("Ana Ferro, MD, PhD", ["Ana Ferro"]),
        ("山田太郎", ["山田太郎"]),
        ("Read more here", []),
        ("ana ferro", []),
        ("5 Minutes", []),
    ],
)
def test_only_names_of_people_are_taken_from_lines(line: str, expected: list[str]) -> None:
    assert names.names_in_line(line) == expected
