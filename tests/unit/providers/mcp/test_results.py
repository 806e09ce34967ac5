"""Results are found wherever a search tool puts them, and where there are none nothing is made up."""

import json

from dowse.core.models import Hit
from dowse.net.json_fields import Json
from dowse.providers.mcp.results import parse_labelled, parse_linked, rows, to_hit
from tests.support.tables import each_row

ROW = {"title": "T", "url": "https://a.example/", "snippet": "S"}


def _said(*texts: str) -> Json:
    return {"content": [{"type": "text", "text": text} for text in texts]}


@each_row(
    "structured",
    [
        {"results": [ROW]},
        {"data": [ROW]},
        {"data": {"web": [ROW], "news": []}},
        {"web": {"results": [ROW]}},
        {"organic": [ROW]},
        {"result": {"items": [ROW]}},
        {"results": [None, "text", {"title": "no address"}, ROW]},
        {"success": True, "results": None, "items": [ROW]},
    ],
)
def test_the_list_is_looked_for_in_what_is_structured_and_in_json_as_text(structured: Json) -> None:
    assert rows({"structuredContent": structured, "content": []}) == [ROW]
    assert rows(_said(json.dumps(structured, indent=2))) == [ROW]


def test_a_list_of_results_may_stand_alone() -> None:
    assert rows(_said(json.dumps([ROW, ROW]))) == [ROW, ROW]


def test_a_block_for_each_result_is_a_list() -> None:
    other = {"name": "U", "link": "https://b.example/"}
    assert rows(_said(json.dumps(ROW), json.dumps(other))) == [ROW, other]


def test_a_path_is_followed_and_nothing_else_is_looked_at() -> None:
    answer: Json = {"structuredContent": {"results": [{"url": "https://wrong.example/"}], "a": {"b": [ROW]}}}
    assert rows(answer, "a.b") == [ROW]
    assert rows(answer, "a.c") is None


@each_row("empty", [{"results": []}, {"data": {"web": []}}, {"success": True, "data": {}}])
def test_an_empty_list_is_an_answer(empty: Json) -> None:
    assert rows({"structuredContent": empty}) == []


@each_row("text", ["No search results found. Please try a different query.", "No results", "Nothing was found."])
def test_a_sentence_that_says_so_is_an_empty_list(text: str) -> None:
    assert rows(_said(text)) == []


@each_row(
    "result",
    [
        {},
        {"structuredContent": {}},
        {"structuredContent": {"results": ["text"]}},
        {"structuredContent": {"answer": "42"}, "content": []},
        _said(""),
        _said("Here is what I think about it."),
        _said("The page says: no results " + "and much more " * 100),
        _said("Title: without an address\nAuthor: nobody"),
        _said('{"results": '),
    ],
)
def test_without_a_list_there_is_none(result: Json) -> None:
    assert rows(result) is None


@each_row(
    ("row", "expected"),
    [
        (ROW, Hit("T", "https://a.example/", "S")),
        ({"name": "T", "link": "https://a.example/"}, Hit("T", "https://a.example/")),
        ({"title": None, "href": "https://a.example/x"}, Hit("https://a.example/x", "https://a.example/x")),
        ({**ROW, "snippet": None, "excerpts": ["a", "b", 5]}, Hit("T", "https://a.example/", "a … b")),
        ({**ROW, "snippet": "", "highlights": ["h"], "text": "t"}, Hit("T", "https://a.example/", "h")),
        ({**ROW, "publish_date": "2026-10-02"}, Hit("T", "https://a.example/", "S", published="2026-10-02")),
        (
            {**ROW, "publishedDate": "2026-10-02T08:00:00.000Z"},
            Hit("T", "https://a.example/", "S", published="2026-10-02"),
        ),
        ({**ROW, "title": "A <b>b</b>\u202e\x1b[2J", "snippet": "x\x00y"}, Hit("A b[2J", "https://a.example/", "xy")),
        ({**ROW, "url": "javascript:alert(1)"}, None),
        ({**ROW, "url": "https://a.example/?utm_source=x"}, Hit("T", "https://a.example/", "S")),
        ({"title": ["T"], "url": 5}, None),
    ],
)
def test_a_row_becomes_a_hit_by_whatever_names_its_parts_have(row: Json, expected: Hit | None) -> None:
    assert to_hit(row) == expected


@each_row("between", ["\n\n", "\n\n---\n\n", "\r\n\r\n"])
def test_labelled_blocks_are_read_as_exa_writes_them(between: str) -> None:
    first = "Title: One: the first\nURL: https://a.example/1\nPublished: 2026-10-02T00:00:00.000Z\nAuthor: N/A\n"
    first += "Highlights:\nA passage.\n\n# With a heading\n...\nAnother: passage."
    second = "Title: Two\nURL: https://a.example/2\nPublished Date: N/A\nText: All of it.\nTo the end."
    assert parse_labelled(between.join([first, second])) == [
        {
            "title": "One: the first",
            "url": "https://a.example/1",
            "published": "2026-10-02T00:00:00.000Z",
            "snippet": "A passage. # With a heading ... Another: passage.",
        },
        {"title": "Two", "url": "https://a.example/2", "snippet": "All of it. To the end."},
    ]


def test_labels_in_another_order_are_read_too() -> None:
    text = "Title: T\nDescription: D\nURL: https://a.example/\n\n**Title:** U\n**Link:** https://b.example/"
    assert parse_labelled(text) == [
        {"title": "T", "url": "https://a.example/", "snippet": "D"},
        {"title": "U", "url": "https://b.example/", "snippet": ""},
    ]


def test_labels_within_a_passage_are_no_result_and_change_none() -> None:
    """Pages quote such lines, and some would like to be a result."""
    text = "Title: Real\nURL: https://real.example/\nHighlights:\nquoted:\nTitle: Fake\nURL: https://fake.example/\nend"
    (row,) = parse_labelled(text)
    assert (row["title"], row["url"]) == ("Real", "https://real.example/")


def test_links_at_the_beginning_of_lines_are_results_with_what_follows() -> None:
    text = (
        "Found 3 pages, see [the help](https://help.example/):\n\n"
        "1. [One](https://a.example/1) - first words\n   and more\n"
        "- **[Two (2)](https://a.example/wiki/Two_(number))**\n"
        "### [Three](https://a.example/3)\nbelow [an aside](https://aside.example/) here\n"
        "![a picture](https://a.example/x.png)\n[not a page](mailto:x@a.example)"
    )
    assert [(row["title"], row["url"]) for row in parse_linked(text)] == [
        ("One", "https://a.example/1"),
        ("Two (2)", "https://a.example/wiki/Two_(number)"),
        ("Three", "https://a.example/3"),
    ]
    assert parse_linked(text)[0]["snippet"] == "first words    and more"


def without_end(times: int) -> list[tuple[str, int | None]]:
    """Text that is made to be slow to read, and how many results ten times of it hold."""
    return [
        ("[" * 40 * times, None),
        ("[a](" * 10 * times, None),
        ("[a](https://" + "(" * 40 * times, None),
        ("Title:" * 7 * times, None),
        ("Title: x\nURL:\n" * 3 * times, 1),
        ("Title: x\nURL: https://a.example/\n\n" * times, 10),
        ("- [a](https://a.example/) " + "x" * 40 * times, 1),
        ("no " * 15 * times, None),
    ]


@each_row(("hostile", "count"), without_end(10))
def test_hostile_text_holds_the_results_it_lists(hostile: str, count: int | None) -> None:
    found = rows(_said(hostile))
    assert (found if found is None else len(found)) == count


def test_of_a_text_without_end_only_the_beginning_is_read() -> None:
    listed = "[First](https://example.org/1)\n" + "x" * 300_000 + "\n[Second](https://example.org/2)\n"
    found = rows({"content": [{"type": "text", "text": listed}]})
    assert [row["title"] for row in found or ()] == ["First"]
