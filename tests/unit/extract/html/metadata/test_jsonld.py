"""JSON-LD as it is found on pages: nested, listed, broken, hostile."""

from __future__ import annotations

import json

from dowse.extract.html.metadata import Metadata, jsonld, read
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row

URL = "https://harbour.example/notes/tides"
ARTICLE = {"@type": "Article", "headline": "Tides", "datePublished": "2024-03-05", "author": {"name": "Ana Ferro"}}


def facts(*scripts: str, head: str = "") -> Metadata:
    written = "".join(f'<script type="application/ld+json">{script}</script>' for script in scripts)
    return read(build(f"<!DOCTYPE html><html><head>{head}{written}</head><body></body></html>"), URL)


def told(*scripts: str, head: str = "") -> tuple[str, str, str]:
    found = facts(*scripts, head=head)
    return found.title, found.author, found.published


@each_row(
    "value",
    [
        ARTICLE,
        [ARTICLE],
        {"@graph": [{"@type": "BreadcrumbList"}, ARTICLE]},
        {"@type": "WebPage", "mainEntity": ARTICLE},
        ARTICLE | {"@type": ["Article", "http://schema.org/NewsArticle"]},
        ARTICLE | {"headline": ["Tides", "Ebb"], "datePublished": {"@value": "2024-03-05"}},
        {"@type": "QAPage", "mainEntity": {"@type": "Question", "name": "Tides"} | {"author": "Ana Ferro"}}
        | {"datePublished": "2024-03-05"},
    ],
)
def test_an_article_is_found_wherever_it_stands(value: object) -> None:
    assert told(json.dumps(value)) == ("Tides", "Ana Ferro", "2024-03-05")


WELL = json.dumps(ARTICLE)


@each_row(
    "script",
    [
        WELL[:-1] + ",}",
        f"// <![CDATA[\n{WELL}\n// ]]>",
        f"<!--\n{WELL}\n-->",
        f"/* of the article */ {WELL}",
        f"{WELL};",
        '{"@type": "Organization"}' + WELL,
        '{"@type": "Organization"},\n' + WELL,
        WELL.replace("Tides", "Ti\ndes").replace("Ti\ndes", "Tides"),
        WELL.replace('"', "&quot;"),
    ],
)
def test_common_mistakes_are_forgiven(script: str) -> None:
    assert told(script) == ("Tides", "Ana Ferro", "2024-03-05")


def test_a_line_break_within_a_string_is_forgiven() -> None:
    assert told(WELL.replace("Tides", "Low\nwater"))[0] == "Low water"


def test_of_a_script_beyond_repair_the_dates_and_the_headline_are_read() -> None:
    broken = WELL.replace('"author"', '"description": "a "quoted" word", "author"')
    assert told(broken) == ("Tides", "", "2024-03-05")


def test_entities_in_strings_are_read() -> None:
    assert told(json.dumps(ARTICLE | {"headline": "Knots &amp; ropes &#8211; a list"}))[0] == "Knots & ropes – a list"


def test_an_author_may_be_a_reference() -> None:
    graph = [ARTICLE | {"author": {"@id": "#ana"}}, {"@type": "Person", "@id": "#ana", "name": "Ana Ferro"}]
    assert told(json.dumps({"@graph": graph}))[1] == "Ana Ferro"


def test_of_several_articles_the_one_with_the_address_of_the_page_counts() -> None:
    others = [ARTICLE | {"headline": f"Other {n}", "url": f"https://harbour.example/{n}"} for n in range(3)]
    own = ARTICLE | {"headline": "Tides", "datePublished": "2023-01-01", "mainEntityOfPage": {"@id": URL + "#main"}}
    assert told(json.dumps([*others, own])) == ("Tides", "Ana Ferro", "2023-01-01")


def test_of_several_articles_the_one_with_the_title_of_the_page_counts() -> None:
    others = [ARTICLE | {"headline": f"Other {n}"} for n in range(3)]
    own = ARTICLE | {"headline": "How to read a tide table", "datePublished": "2023-01-01"}
    found = facts(json.dumps([*others, own]), head="<title>How to Read a Tide Table | Harbour</title>")
    assert (found.published, found.author) == ("2023-01-01", "Ana Ferro")


def test_of_several_names_of_an_author_the_first_counts() -> None:
    assert told(json.dumps(ARTICLE | {"author": {"name": ["Ana Ferro", "A. Ferro"]}}))[1] == "Ana Ferro"


def test_of_several_articles_none_of_which_is_the_page_no_one_counts() -> None:
    others = [ARTICLE | {"headline": f"Other {n}", "url": f"https://harbour.example/{n}"} for n in range(3)]
    assert told(json.dumps(others)) == ("", "", "")


@each_row("key", ["comment", "review", "itemListElement", "acceptedAnswer", "hasPart"])
def test_what_an_object_lists_is_not_the_page(key: str) -> None:
    assert told(json.dumps({"@type": "WebPage", key: [ARTICLE]})) == ("", "", "")


def test_the_questions_of_a_page_of_answers_are_not_its_titles() -> None:
    page = {"@type": "FAQPage", "mainEntity": {"@type": "Question", "name": "How high?"}}
    assert told(json.dumps(page), head="<title>Help with tides</title>")[0] == "Help with tides"


@each_row(
    "script",
    [
        "",
        "null",
        "[]",
        "{",
        "[" * 100_000,
        '{"a":' * 50_000,
        "9" * 10_000,
        '{"@type": 7, "author": {"name": []}, "headline": null, "datePublished": 5, "@id": {}}',
        '{"@type": "Article", "author": [[["x"]], 7, null], "publisher": 3, "inLanguage": {}, "headline": {}}',
        '{"@graph": {"@graph": {"@graph": "x"}}}',
        "\ud83d",
    ],
)
def test_nothing_that_a_script_says_is_an_error(script: str) -> None:
    assert facts(script).site == "harbour.example"


def test_scripts_are_read_up_to_a_bound() -> None:
    assert told(json.dumps({"@type": "Thing", "text": "x" * 500_000}), WELL) == ("", "", "")
    assert len(jsonld.things([json.dumps([{}] * 10_000)])) < 1000
