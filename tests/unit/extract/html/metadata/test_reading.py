"""What a page says about itself: titles, languages, sites, addresses."""

from __future__ import annotations

import pytest

from dowse.extract.html.metadata import Metadata, read
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row

URL = "https://www.harbour.example/notes/tides?page=2"


def facts(head: str = "", body: str = "", url: str = URL, html: str = "<html>") -> Metadata:
    return read(build(f"<!DOCTYPE html>{html}<head>{head}</head><body>{body}</body></html>"), url)


def title(head: str = "", body: str = "") -> str:
    return facts(head, body).title


def og(**values: str) -> str:
    return "".join(f'<meta property="og:{name}" content="{value}">' for name, value in values.items())


def test_everything_that_a_page_states_is_read_from_one_page() -> None:
    head = (
        '<title>Reading the tide tables - Harbour Notes</title><link rel=canonical href="/notes/tides">'
        + og(title="Reading the tide tables", site_name="Harbour Notes", description="How to &amp; why.")
        + '<meta property="article:published_time" content="2024-03-05T09:30:00+01:00">'
        '<meta property="article:modified_time" content="2024-04-01"><meta name=author content="Ana Ferro">'
    )
    assert facts(head, "<h1>Reading the tide tables</h1><p>By Ana Ferro</p>", html="<html lang=en-gb>") == Metadata(
        title="Reading the tide tables",
        author="Ana Ferro",
        published="2024-03-05T09:30:00+01:00",
        published_confidence="high",  # type: ignore[arg-type]
        modified="2024-04-01",
        modified_confidence="high",  # type: ignore[arg-type]
        language="en-GB",
        site="Harbour Notes",
        canonical_url="https://www.harbour.example/notes/tides",
        description="How to & why.",
    )


def test_a_page_that_says_nothing_has_the_name_of_its_host_only() -> None:
    assert facts() == Metadata(site="harbour.example")


@each_row(
    "declared",
    [
        "Reading the tide tables | Harbour",
        "Reading the tide tables - Harbour",
        "Reading the tide tables – harbour.example",
        "Harbour » Reading the tide tables",
        "Harbour: Reading the tide tables",
        "Reading the tide tables | Notes | Harbour",
        "Reading the tide tables :: Harbour Forum",
    ],
)
def test_the_name_of_the_site_is_cut_off_a_title(declared: str) -> None:
    assert title(f"<title>{declared}</title>") == "Reading the tide tables"


def test_a_dash_or_colon_within_a_title_stays() -> None:
    assert title("<title>Tides: a primer - part two</title>") == "Tides: a primer - part two"


def test_a_heading_that_says_what_is_declared_counts_as_it_is_written() -> None:
    assert title(og(title="Reading tide tables in 2024 | Harbour"), "<h1>Reading tide tables, 2024</h1>") == (
        "Reading tide tables, 2024"
    )


@each_row("heading", ["Sail further", "Harbour", "The Harbour"])
def test_a_slogan_or_the_name_of_the_site_is_no_title(heading: str) -> None:
    head = "<title>Reading the tide tables - The Harbour</title>" + og(site_name="The Harbour")
    assert title(head, f"<h1>{heading}</h1>") == "Reading the tide tables"


def test_of_several_headings_the_declared_one_counts() -> None:
    body = "<h1>Documentation</h1><h1></h1><h1>Submitting patches<a href=#x>¶</a></h1>"
    assert title("<title>Submitting patches — Documentation of the kernel</title>", body) == "Submitting patches"


def test_without_a_declared_title_the_heading_is_the_title() -> None:
    assert title(body="<h1>Low <em>water</em></h1>") == "Low water"


@each_row("mark", ["¶", " #", "§"])
def test_the_anchor_of_a_heading_is_not_part_of_it(mark: str) -> None:
    assert title(body=f"<h1>Install<a href=#install>{mark}</a></h1>") == "Install"


def test_a_sharp_that_belongs_to_a_word_stays() -> None:
    assert title(body="<h1>Generics in C#</h1>") == "Generics in C#"


@pytest.mark.parametrize("place", ["<title>{}</title>", '<meta property="og:title" content="{}">'])
def test_a_title_is_one_bounded_line_that_loads_nothing(place: str) -> None:
    text = "Low\u202e\u200bwater\x07 ![x](https://tracker.example/i.png)\n" + "and more " * 80
    found = title(place.format(text))
    assert found.startswith("Lowwater x and more")
    assert len(found) <= 300
    assert "\n" not in found


def test_markup_in_a_heading_is_what_the_page_is_about() -> None:
    assert title(body="<h1>The &lt;b&gt; element</h1>") == "The <b> element"


def test_entities_that_were_escaped_twice_are_read() -> None:
    assert title(og(title="Knots &amp;amp; ropes")) == "Knots & ropes"


@each_row(
    ("html", "head", "expected"),
    [
        ("<html lang=de>", "", "de"),
        ("<html lang='zh-Hant-TW'>", "", "zh-TW"),
        ("<html lang=EN_us>", "", "en-US"),
        ("<html>", "<meta http-equiv=content-language content=fr-CA>", "fr-CA"),
        ("<html>", og(locale="pt_BR"), "pt-BR"),
        ("<html lang='{{ lang }}'>", og(locale="it"), "it"),
        ("<html>", '<script type="application/ld+json">{"@type": "Article", "inLanguage": "nl"}</script>', "nl"),
    ],
)
def test_the_language_is_the_one_that_is_declared(html: str, head: str, expected: str) -> None:
    assert facts(head, html=html).language == expected


@each_row(
    ("text", "expected"),
    [
        ("The boats that leave with the tide are back for the next one, and the harbour is full of them.", "en"),
        ("Die Boote, die mit der Flut auslaufen, sind bis zur nächsten nicht zurück, und der Hafen ist leer.", "de"),
        (
            "Les bateaux qui partent avec la marée ne sont pas dans le port, et les quais sont vides pour une heure.",
            "fr",
        ),
        ("船は潮とともに港を出て、次の満潮までには戻ってきます。それまで港はとても静かで、だれもいません。", "ja"),
        (
            "船随着潮水离开港口，在下一次涨潮之前回来。在那之前港口非常安静，一个人也没有，只有海鸥在码头上飞来飞去的声音传来。",
            "zh",
        ),
        ("Лодки уходят вместе с приливом и возвращаются к следующему, а до тех пор в гавани тихо.", "ru"),
        ("Човни відпливають із припливом і повертаються до наступного, а доти в гавані тихо.", "uk"),
        ("42 17 99 1024 " * 10, ""),
    ],
)
def test_an_undeclared_language_is_told_by_the_text(text: str, expected: str) -> None:
    assert facts(body=f"<p>{text}</p>").language == expected


def test_a_template_that_says_english_above_another_script_is_not_believed() -> None:
    text = "Лодки уходят вместе с приливом и возвращаются к следующему, а до тех пор в гавани тихо."
    assert facts("<title>Приливы</title>", f"<p>{text}</p>", html="<html lang=en>").language == "ru"


@each_row(
    ("head", "expected"),
    [
        (og(site_name="Harbour <b>Notes</b>"), "Harbour Notes"),
        (
            '<script type="application/ld+json">{"@type": "WebSite", "name": "Harbour &amp; Sons"}</script>',
            "Harbour & Sons",
        ),
        (
            '<script type="application/ld+json">{"@type": "Article", "publisher": {"name": "The Pier"}}</script>',
            "The Pier",
        ),
        ("<meta name=application-name content=Quay>", "Quay"),
    ],
)
def test_the_site_is_called_as_it_calls_itself(head: str, expected: str) -> None:
    assert facts(head).site == expected


def canonical(href: str, url: str = URL) -> str:
    return facts(f'<link rel="canonical" href="{href}">', url=url).canonical_url


@each_row(
    ("href", "expected"),
    [
        ("/notes/tides", "https://www.harbour.example/notes/tides"),
        ("https://harbour.example/notes/tides?utm_source=x", "https://harbour.example/notes/tides"),
        ("https://notes.harbour.example/tides", "https://notes.harbour.example/tides"),
        ("http://m.harbour.example/tides", "http://m.harbour.example/tides"),
    ],
)
def test_a_canonical_address_of_the_same_site_is_kept(href: str, expected: str) -> None:
    assert canonical(href) == expected


@each_row(
    "href",
    [
        "https://elsewhere.example/notes/tides",
        "https://harbour.example.evil.test/notes/tides",
        "https://notharbour.example/notes",
        "https://ana:secret@www.harbour.example/notes/tides",
        "https://www.harbour.example:8443/notes",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://www.harbour.example/",
        "http://[",
        "",
    ],
)
def test_any_other_canonical_address_is_not(href: str) -> None:
    assert canonical(href) == ""


def test_the_front_page_is_its_own_canonical_address_whatever_campaign_leads_there() -> None:
    assert canonical("/", "https://www.harbour.example/?srsltid=abc") == "https://www.harbour.example/"


def test_the_address_of_open_graph_stands_in_for_a_canonical_one() -> None:
    head = '<link rel=canonical href="https://elsewhere.example/x">' + og(url="https://harbour.example/notes/tides")
    assert facts(head).canonical_url == "https://harbour.example/notes/tides"


def test_a_description_is_plain_and_bounded() -> None:
    found = facts(f'<meta name=description content="<script src=x>Low</script> {"water " * 200}">').description
    assert found.startswith("Low water")
    assert len(found) <= 500
