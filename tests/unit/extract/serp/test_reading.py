"""Results are read off the pages of engines: what they lead to, what they say, and what is no result."""

from __future__ import annotations

from pathlib import Path

from dowse.core.listings import Listing, Outcome, Row
from dowse.core.models import Body
from dowse.extract.serp.reading import to_listing, without_echoes
from tests.support.tables import each_row

PAGES = Path(__file__).resolve().parents[3] / "fixtures" / "listings" / "results"
ADDRESSES = {
    "searxng": "https://search.example/search?q=x",
    "duckduckgo": "https://lite.duckduckgo.com/lite/",
    "mojeek": "https://www.mojeek.com/search?q=x",
}


def read(engine: str, markup: str, query: str = "x") -> Listing:
    return to_listing(engine, Body(ADDRESSES[engine], markup.encode(), "text/html", "utf-8"), query)


def recorded(engine: str, name: str) -> Listing:
    return read(engine, (PAGES / f"{name}.html").read_text(encoding="utf-8"))


def simple(articles: str, sidebar: str = "") -> str:
    """As much of SearXNG's page as its reader looks at."""
    return f'<form id="search"><input name="q"></form><div id="sidebar">{sidebar}</div><div id="urls">{articles}</div>'


def article(url: str, title: str = "Tides", snippet: str = "") -> str:
    return f'<article class="result"><h3><a href="{url}">{title}</a></h3><p class="content">{snippet}</p></article>'


def test_a_result_of_duckduckgo_leads_to_its_page_and_not_through_the_engine() -> None:
    assert recorded("duckduckgo", "duckduckgo-lite").rows == (
        Row(
            "Sourdough collapses after the second rise",
            "https://crumb.example/t/4471?page=2&sort=new",
            "Twelve degrees in the kitchen and a dough that falls flat.",
            published="2026-01-24",
        ),
        Row(
            "Why is my loaf flat? & other questions",
            "https://bread.example/faq#flat",
            "Over-proofing, weak flour, a cold oven.",
        ),
    )


def test_an_advertisement_of_duckduckgo_is_no_result_and_its_text_belongs_to_no_result() -> None:
    ad = '<tr><td><a class="result-link" href="https://duckduckgo.com/y.js?ad_domain=a.example">Buy</a></td></tr>'
    text = '<tr><td class="result-snippet">Cheap.</td></tr>'
    result = '<tr><td><a class="result-link" href="https://a.example/">Tides</a></td></tr>'

    assert read("duckduckgo", f"<table>{result}{ad}{text}</table>").rows == (Row("Tides", "https://a.example/"),)


def test_mojeeks_links_to_further_searches_are_no_results() -> None:
    listing = recorded("mojeek", "mojeek")

    assert [row.url for row in listing.rows] == [
        "https://garden.example/minutes?year=2026&month=2",
        "https://garden.example/rules",
        "https://shop.example/butts",
    ]
    assert listing.rows[2] == Row(
        "Water butts from 100 to 500 litres", "https://shop.example/butts", "With stand, tap & lid."
    )
    assert listing.suggestions == ("allotment water buts",)


def test_news_and_pictures_of_mojeek_are_results() -> None:
    assert [row.title for row in recorded("mojeek", "mojeek-news").rows] == [
        "Harbour bridge reopens early",
        "First tram over the bridge",
    ]
    (picture,) = recorded("mojeek", "mojeek-images").rows
    assert (picture.title, picture.url) == ("A limpet on a rock", "https://nature.example/shore")
    assert picture.thumbnail.startswith("https://www.mojeek.com/image?img=")


def test_a_result_of_searxng_has_its_engine_and_its_date_and_failed_engines_are_told() -> None:
    listing = recorded("searxng", "searxng-simple")

    assert listing.rows[0] == Row(
        "Tide table for Nordhaven, October",
        "https://harbour.example/tides/october",
        "High and low water with heights in metres, for all quays & the outer mole.",
        "bing",
        "2026-09-30",
    )
    assert [row.engine for row in listing.rows] == ["bing", "brave", "duckduckgo"]
    assert listing.failed_engines == (("startpage", "CAPTCHA"), ("qwant", "timeout"))


def test_the_older_theme_of_searx_is_read_too() -> None:
    listing = recorded("searxng", "searx-oscar")

    assert [(row.url, row.engine, row.published) for row in listing.rows] == [
        ("https://nature.example/shore?zone=2&tide=low", "wikipedia", "2025-05-03"),
        ("https://nature.example/anemones", "wikipedia", ""),
    ]
    assert listing.rows[0].snippet == "Why they come back to the same spot at low water."
    assert listing.failed_engines == (("google", "unexpected crash"), ("yahoo", "HTTP error"))
    assert (listing.answers, listing.suggestions) == (
        ("A limpet is a snail with a conical shell.",),
        ("rock pool animals",),
    )


def test_pictures_have_an_address_of_their_own_beside_their_page() -> None:
    for name, first in {
        "searxng-images": Row(
            "A gooseneck kettle on a stove",
            "https://shop.example/kettles/fjell",
            "Brushed steel, 1.2 litres",
            "bing images",
            image_url="https://img.example/kettle.jpg",
            thumbnail="https://img.example/small/kettle.jpg",
        ),
        "searx-oscar-media": Row(
            "Valley line train",
            "https://rail.example/gallery/7",
            "In the snow",
            "bing images",
            image_url="https://img.example/train.jpg",
            thumbnail="https://img.example/train-s.jpg",
        ),
    }.items():
        assert recorded("searxng", name).rows[0] == first


def test_films_have_a_length_and_a_picture() -> None:
    films = [*recorded("searxng", "searxng-videos").rows, recorded("searxng", "searx-oscar-media").rows[1]]

    assert [(film.duration, film.thumbnail) for film in films] == [
        ("12:05", "https://video.example/a1/hq.jpg"),
        ("1:30:00", "https://tube.example/2.jpg"),
        ("4:02", "https://video.example/t2.jpg"),
    ]
    assert films[2].snippet == "From the cab, all the way up."


def test_a_picture_beside_an_ordinary_result_makes_no_film_of_it() -> None:
    page = simple(article("https://a.example/").replace("<h3>", '<img class="thumbnail" src="/x.png"><h3>'))

    assert read("searxng", page).rows == (Row("Tides", "https://a.example/"),)


@each_row(
    "notice",
    [
        # Today's, that of two years ago, and the two of searx, where somebody else answered and where nobody did.
        simple(
            '<div class="dialog-error-block">-</div>',
            '<div id="engines_msg"><table id="engines_msg-table"><tr><td class="engine-name">bing</td>'
            '<td class="response-error">timeout</td></tr></table></div>',
        ),
        simple(
            '<div class="dialog-error">-</div>',
            '<div id="engines_msg"><div class="dialog-error"><div><p>Error!</p>'
            '<p>bing ( <a href="/stats">timeout</a> )</p></div></div></div>',
        ),
        simple('<div class="dialog-error"><p>Error!</p><p> bing (timeout) </p><p>Try again (later)</p></div>'),
        '<div id="main_results"><div class="alert alert-danger"><p>Error!</p><p>bing (timeout)</p></div></div>',
    ],
)
def test_engines_that_failed_are_told_by_every_version(notice: str) -> None:
    listing = read("searxng", notice)

    assert (listing.outcome, listing.failed_engines) == (Outcome.EMPTY, (("bing", "timeout"),))


def test_links_out_of_the_web_are_left_out_and_counted() -> None:
    odd = ["javascript:alert(1)", "data:text/html,x", "ftp://a.example/", "magnet:?xt=urn"]
    listing = read("searxng", simple("".join(map(article, [*odd, "https://a.example/"]))))

    assert [row.url for row in listing.rows] == ["https://a.example/"]
    assert (listing.outcome, listing.odd_links) == (Outcome.RESULTS, len(odd))


def test_a_page_of_nothing_but_odd_links_has_no_results() -> None:
    listing = read("searxng", simple(article("javascript:alert(1)")))

    assert (listing.outcome, listing.rows, listing.odd_links) == (Outcome.UNKNOWN, (), 1)


def test_relative_links_are_completed_and_results_without_a_link_or_a_title_are_none() -> None:
    page = simple(article("/about") + article("") + article("https://a.example/", title=" "))

    assert [row.url for row in read("searxng", page).rows] == ["https://search.example/about"]


def test_titles_and_snippets_are_text() -> None:
    forged = "&lt;img src=x onerror=alert(1)&gt;High\u202e water<script>steal()</script> <b>table</b>"
    (row,) = read("searxng", simple(article("https://a.example/", forged, forged))).rows

    assert (row.title, row.snippet) == ("High water table", "High water table")


def test_an_answer_without_results_is_an_answer() -> None:
    listing = read("searxng", simple("") + '<div id="answers"><div class="answer"><span>42</span></div></div>')

    assert (listing.outcome, listing.answers) == (Outcome.RESULTS, ("42",))


def test_no_more_rows_are_read_than_a_query_can_ask_for() -> None:
    listing = read("searxng", simple("".join(article(f"https://a.example/{number}") for number in range(500))))

    assert len(listing.rows) == 100


@each_row("engine", ADDRESSES)
@each_row("markup", ["", "plain words", '{"results": []}', "<", "\x00\x01"])
def test_what_is_no_page_of_the_engine_is_neither_results_nor_empty(engine: str, markup: str) -> None:
    assert read(engine, markup).outcome is Outcome.UNKNOWN


def test_echoes_are_taken_out_of_texts_and_parameters_and_nowhere_else() -> None:
    page = (
        '<title>g-recaptcha - Find</title><div class="g-recaptcha" id="g-recaptcha">about g-Recaptcha</div>'
        '<input value="g-recaptcha"><a href="/g-recaptcha?q=g-recaptcha">more</a>'
    )
    left = without_echoes(page, "g-recaptcha")

    assert left.lower().count("g-recaptcha") == 3
    assert 'class="g-recaptcha"' in left
    assert 'href="/g-recaptcha?q= "' in left


def test_an_echo_may_be_escaped_and_may_have_other_blanks() -> None:
    page = '<p>"are  you a&nbsp;robot" &amp; co</p><a href="?q=%22are+you%20a+robot%22+%26+co">x</a>'

    assert "robot" not in without_echoes(page, '"are you a robot" & co')


def hostile(times: int) -> list[str]:
    """Pages that are made to be slow to read; with a thousand times as large as a page may be."""
    return [
        "<div>" * 50 * times,
        '<a class="result-link" href="x">' * 50 * times,
        '<ul class="results-standard">' + "<li><h2><a href=x>y" * 30 * times,
        "<p>bing (" * 50 * times,
        "are you a " * 100 * times,
        "<td>" * 100 * times,
    ]


@each_row("engine", ADDRESSES)
@each_row("markup", hostile(2))
def test_hostile_pages_hold_no_result_and_are_no_wall(engine: str, markup: str) -> None:
    assert read(engine, markup, "are you a robot") == Listing(Outcome.UNKNOWN)


def test_of_very_many_results_the_first_hundred_are_read() -> None:
    rows = read("searxng", simple(article("https://a.example/") * 200), "are you a robot").rows

    assert rows == (Row("Tides", "https://a.example/"),) * 100
