"""The text of an answer without a model, and where in it each source is cited."""

from __future__ import annotations

import re

from dowse.core.answers import EXTRACTIVE, CitedAnswer, Material
from dowse.document.clean import clean
from dowse.rank.quotes import QUOTED, compose_quotes, compose_refusal, list_sources
from tests.support.tables import each_row

BRIDGE = Material(
    "https://news.example/bridge?utm_source=feed&id=7",
    "Harbour bridge <b>reopens</b>",
    "The repair of the bridge cost 2.3 million crowns.\n\nTrams cross the bridge again.",
    "2026-09-14",
)
FERRY = Material("https://ferry.example/", "", "The ferry beside the bridge cost 4 crowns.")
HOSTILE = [
    'It costs 5 crowns." [2] "The bridge is free.',
    'The bridge costs 5 crowns" ' + r"\[1\]" * 20 + '[2] "or nothing in crowns.',
    'The bridge costs 5 crowns"［2］ ” 【2】 " [ 2 ] " [1, 2] " [002] "in crowns.',
    '| bridge | cost |\n| --- | --- |\n| The bridge" [2] "x | 5 crowns |',
    '```\nbridge = "crowns" [2] "the cost"\n```',
    "The bridge ![x](https://tracker.example/p.png) costs [5 crowns](javascript:alert(1)).",
    r"The bridge costs \!\[5\](https://tracker.example/p) crowns \[now\](javascript:alert).",
    "The bridge <img src=https://tracker.example/p> costs\u202e 5\u200b crowns\x1b[31m <script>x</script>.",
    "The bridge costs 5 crowns <!-- and a secret --> today.",
    "> The bridge costs 👩‍👩‍👧 e\u0301 𝟓 crowns.",
]


def cited(answer: CitedAnswer) -> list[tuple[str, int]]:
    """What the indices point at, which has to be what the citations say."""
    assert [answer.text[each.start : each.end] for each in answer.citations] == [
        each.snippet for each in answer.citations
    ]
    return [(each.snippet, each.rank) for each in answer.citations]


def test_every_sentence_is_quoted_with_its_source_and_the_answer_says_so() -> None:
    assert compose_quotes("cost of the bridge repair and of the ferry", [FERRY, BRIDGE]).text.split("\n") == [
        "Quoted from the pages found; no model wrote this.",
        "",
        '"The repair of the bridge cost 2.3 million crowns." [1]',
        '"The ferry beside the bridge cost 4 crowns." [2]',
        "",
        "Sources:",
        "[1] Harbour bridge reopens — https://news.example/bridge?id=7 (2026-09-14)",
        "[2] ferry.example — https://ferry.example/",
    ]


def test_citations_cover_the_quoted_sentences() -> None:
    answer = compose_quotes("cost of the bridge repair and of the ferry", [FERRY, BRIDGE])
    assert cited(answer) == [
        ("The repair of the bridge cost 2.3 million crowns.", 1),
        ("The ferry beside the bridge cost 4 crowns.", 2),
    ]
    first = answer.citations[0]
    assert (first.url, first.title) == ("https://news.example/bridge?id=7", "Harbour bridge reopens")
    assert (answer.provider, answer.usage) == (EXTRACTIVE, None)


@each_row("text", ["🌉 The bridge cost 5 crowns 🪙.", "桥 bridge 的费用是五克朗。", "Die Brücke: bridge cos\u0302t."])
def test_indices_are_code_points(text: str) -> None:
    assert cited(compose_quotes("bridge", [Material("https://a.example/", "Ünïcödé 👩‍👩‍👧", text), BRIDGE]))[0]


def test_sources_without_a_quote_are_not_named() -> None:
    answer = compose_quotes("ferry", [BRIDGE, FERRY])
    assert "news.example" not in answer.text
    assert cited(answer) == [("The ferry beside the bridge cost 4 crowns.", 1)]


def test_a_list_has_one_citation_for_each_line() -> None:
    answer = list_sources([BRIDGE, FERRY])
    assert answer.text.split("\n") == [snippet for snippet, _ in cited(answer)]
    assert [each.rank for each in answer.citations] == [1, 2]
    assert answer.text.startswith("[1] Harbour bridge reopens — https://news.example/bridge?id=7 (2026-09-14)\n[2] ")


def test_without_an_answer_the_text_says_so_and_lists_the_nearest_sources() -> None:
    answer = compose_quotes("who designed the ferry", [BRIDGE, FERRY])
    assert answer.text.split("\n") == [
        "No passage found answers this. Nearest sources:",
        "",
        "[1] ferry.example — https://ferry.example/",
        "[2] Harbour bridge reopens — https://news.example/bridge?id=7 (2026-09-14)",
    ]
    assert len(cited(answer)) == 2


def test_at_most_three_nearest_sources_are_listed_and_no_more_than_asked_for() -> None:
    pages = [Material(f"https://{name}.example/", "", "Bread.") for name in "abcde"]
    assert len(compose_quotes("rye", pages).citations) == 3
    assert len(compose_quotes("rye", pages, most_sources=1).citations) == 1


def test_nothing_is_an_answer_without_citations() -> None:
    assert compose_refusal("Nothing was found.") == CitedAnswer("Nothing was found.", (), EXTRACTIVE)


@each_row("text", HOSTILE)
def test_pages_can_neither_forge_a_citation_nor_make_a_viewer_load_anything(text: str) -> None:
    answer = compose_quotes("what does the bridge cost in crowns", [Material("https://a.example/", text, text)])
    assert cited(answer)
    assert clean(answer.text) == answer.text
    lines = answer.text.split("\n")
    assert lines[0] == QUOTED
    assert lines[-1].startswith("[1] ")
    for line in lines:
        assert not line.startswith('"') or re.findall(r"[\[［【][\d ,]+[\]］】]", line) == ["[1]"]
    for forbidden in ("![", "javascript:", "<script", "<img", "\u202e", "\u200b", "\x1b", "<!--"):
        assert forbidden not in answer.text
