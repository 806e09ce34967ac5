"""When a page was published and changed, and how sure that is."""

from __future__ import annotations

from dowse.extract.html.metadata import Metadata, read
from dowse.extract.html.tree.build import build
from dowse.language import dates
from tests.support.tables import each_row

URL = "https://harbour.example/notes/tides"
FILLER = "<p>" + "The harbour is full of boats that wait for the tide. " * 40 + "</p>"


def facts(head: str = "", body: str = "", url: str = URL, language: str = "en") -> Metadata:
    return read(build(f"<!DOCTYPE html><html lang={language}><head>{head}</head><body>{body}</body></html>"), url)


def published(head: str = "", body: str = "", url: str = URL, language: str = "en") -> tuple[str, str | None]:
    found = facts(head, body, url, language)
    return found.published, found.published_confidence


def iso(text: str, language: str = "") -> str | None:
    moment = dates.find(text, language)
    return moment.iso if moment else None


@each_row(
    ("text", "expected"),
    [
        ("2024-03-05", "2024-03-05"),
        ("2024/3/5", "2024-03-05"),
        ("2024-03-05T09:30:00Z", "2024-03-05T09:30:00+00:00"),
        ("2024-03-05 09:30:00 -0500", "2024-03-05T09:30:00-05:00"),
        ("2024-03-05T09:30:00.123456+01:00", "2024-03-05T09:30:00+01:00"),
        ("2024-03-05T00:00:00", "2024-03-05"),
        ("2024-03-05T27:30:00", "2024-03-05"),
        ("2024-03-05 9:30 pm", "2024-03-05"),
        ("20240305", "2024-03-05"),
        ("1709631000", "2024-03-05T09:30:00+00:00"),
        ("1709631000000", "2024-03-05T09:30:00+00:00"),
        ("Tue, 05 Mar 2024 09:30:00 GMT", "2024-03-05"),
        ("March 5, 2024", "2024-03-05"),
        ("Mar. 5th, 2024", "2024-03-05"),
        ("Posted 3 min read 5 March 2024", "2024-03-05"),
        ("05-Mar-2024", "2024-03-05"),
        ("2024 Mar 5;15(1)", "2024-03-05"),
        ("5. März 2024", "2024-03-05"),
        ("le 1er août 2024", "2024-08-01"),
        ("5 de marzo de 2024", "2024-03-05"),
        ("5 marzo 2024", "2024-03-05"),
        ("5 de março de 2024", "2024-03-05"),
        ("5 maart 2024", "2024-03-05"),
        ("5 października 2024", "2024-10-05"),
        ("5 марта 2024 г.", "2024-03-05"),
        ("2024年3月5日", "2024-03-05"),
        ("2024년 3월 5일", "2024-03-05"),
        ("05.03.2024", "2024-03-05"),
    ],
)
def test_dates_are_read_in_the_forms_and_languages_of_the_web(text: str, expected: str) -> None:
    assert iso(text) == expected


@each_row(
    "text",
    [
        "",
        "yesterday",
        "2024",
        "March 2024",
        "1789-07-14",
        "2424-01-01",
        "2024-02-31",
        "v2024.1.2.3",
        "10.2024.1",
        "٢٠٢٤",
    ],
)
def test_what_is_no_day_or_cannot_be_true_is_no_date(text: str) -> None:
    assert iso(text) is None


@each_row(
    ("text", "language", "expected", "is_certain"),
    [
        ("03/05/2024", "en-US", "2024-03-05", True),
        ("03/05/2024", "en-GB", "2024-05-03", True),
        ("03/05/2024", "fr", "2024-05-03", True),
        ("03/05/2024", "en", "2024-03-05", False),
        ("03/05/2024", "", "2024-05-03", False),
        ("13/05/2024", "en-US", "2024-05-13", True),
        ("05/13/2024", "fr", "2024-05-13", True),
        ("05/05/2024", "", "2024-05-05", True),
    ],
)
def test_the_language_tells_days_from_months(text: str, language: str, expected: str, is_certain: bool) -> None:
    assert dates.find(text, language) == dates.Moment(expected, is_certain)


@each_row(
    ("path", "expected"),
    [
        ("/2024/03/05/tides", "2024-03-05"),
        ("/2024/mar/05/tides", "2024-03-05"),
        ("/posts/2024-03-05-tides", "2024-03-05"),
        ("/news/20240305/tides", "2024-03-05"),
        ("/2024/03/tides", None),
        ("/2024/13/05/tides", None),
        ("/item/120240305", None),
    ],
)
def test_a_date_in_the_address_is_read(path: str, expected: str | None) -> None:
    moment = dates.in_address(path)
    assert (moment.iso if moment else None) == expected


@each_row(
    "head",
    [
        '<meta property="article:published_time" content="2024-03-05">',
        "<meta name=citation_publication_date content=2024/03/05>",
        "<meta name='DC.date.issued' content=2024-03-05>",
        "<meta name=parsely-pub-date content=2024-03-05>",
        "<meta name=sailthru.date content='2024-03-05'>",
        "<meta itemprop=datePublished content=2024-03-05>",
        '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2024-03-05"}</script>',
    ],
)
def test_a_date_that_is_stated_for_machines_is_sure(head: str) -> None:
    assert published(head) == ("2024-03-05", "high")


@each_row(
    ("body", "expected"),
    [
        ("<time datetime=2024-03-05 pubdate>yesterday</time>", "medium"),
        ("<time class=published datetime=2024-03-05>5 March</time>", "medium"),
        ("<span>Published on</span> <span>March 5, 2024</span>", "medium"),
        ("<p>Veröffentlicht am 5. März 2024</p>", "medium"),
        ("<p>Publié le 5 mars 2024</p>", "medium"),
        ("<div class=post-date>March 5, 2024</div>", "medium"),
        ("<span itemprop=datePublished>March 5, 2024</span>", "high"),
        ("<p>March 5, 2024 · 4 min read</p>", "low"),
        ("<time>March 5, 2024</time>", "low"),
        ("<p>Published 03/05/2024</p>", "low"),
    ],
)
def test_a_date_on_the_page_is_as_sure_as_its_place(body: str, expected: str) -> None:
    assert published(body=f"<h1>Tides</h1>{body}{FILLER}") == ("2024-03-05", expected)


def test_a_date_in_the_address_stands_in_for_one_on_the_page() -> None:
    assert published(url="https://harbour.example/2024/03/05/tides") == ("2024-03-05", "medium")


@each_row(
    "body",
    [
        f"{FILLER}<div class=comments><time datetime=2024-03-05>5 March 2024</time></div>",
        "<div class=comment-list><p>Posted March 5, 2024</p></div>",
        "<aside class=related-posts><time datetime=2024-03-05></time></aside>",
        "<section class='post-card'><time datetime=2024-03-05></time></section>",
        "<p>© March 5, 2024</p>",
        "<p>Member since March 5, 2024</p>",
        "<p>Registration ends March 5, 2024</p>",
        f"{FILLER}<p>March 5, 2024</p>",
        "<p>" + "The flood of March 5, 2024 took the old pier with it. " * 2 + "</p>",
        "".join(f"<div><a>Entry</a> <time datetime=2024-03-0{day}></time></div>" for day in range(1, 7)),
    ],
)
def test_the_dates_of_other_things_are_not_the_date_of_the_page(body: str) -> None:
    assert published(body=f"<h1>Tides</h1>{body}") == ("", None)


def test_the_date_of_a_post_wins_over_those_of_the_answers_below() -> None:
    posts = "".join(
        f"<article><time datetime=2024-03-{day:02}T10:00:00Z></time><p>Reply</p></article>" for day in (5, 6, 7)
    )
    assert published(body=f"<h1>Which rope?</h1>{posts}{FILLER}")[0] == "2024-03-05T10:00:00+00:00"


@each_row(
    ("body", "expected"),
    [
        ("<p>Last updated: April 1, 2024</p>", ("2024-04-01", "medium")),
        ("<p>Zuletzt aktualisiert am 1.4.2024</p>", ("2024-04-01", "medium")),
        ("<time class=modified datetime=2024-04-01></time>", ("2024-04-01", "medium")),
        ("<span itemprop=dateModified content=2024-04-01></span>", ("2024-04-01", "high")),
    ],
)
def test_the_last_change_is_told_apart_from_the_publication(body: str, expected: tuple[str, str]) -> None:
    found = facts(body=f"<h1>Tides</h1><p>Published March 5, 2024</p>{body}")
    assert (found.published, (found.modified, found.modified_confidence)) == ("2024-03-05", expected)


def test_a_line_may_hold_both_dates() -> None:
    found = facts(body="<h1>Tides</h1><p>Published: March 5, 2024 | Updated: April 1, 2024</p>")
    assert (found.published, found.modified) == ("2024-03-05", "2024-04-01")


def test_a_page_that_shows_its_last_change_only_was_published_then_at_the_latest() -> None:
    found = facts(body="<h1>Tides</h1><p>Updated April 1, 2024</p>")
    assert (found.published, found.published_confidence, found.modified) == ("2024-04-01", "low", "2024-04-01")


def test_the_date_of_a_record_is_not_as_sure_as_that_of_an_article() -> None:
    script = '<script type="application/ld+json">{"@type": "WebPage", "datePublished": "2017-01-01"}</script>'
    assert published(script) == ("2017-01-01", "low")
    assert published(script, "<h1>Tides</h1><p>Published March 5, 2024</p>") == ("2024-03-05", "medium")


def test_elements_that_were_never_closed_do_not_read_the_page_again_and_again() -> None:
    markup = "<time>" * 250 + "<i itemprop=dateModified>" * 40 + "<b>word </b>" * 3000
    assert published(body=markup) == ("", None)
