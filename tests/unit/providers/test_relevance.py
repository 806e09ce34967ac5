"""Results that have nothing to do with the query are told from those that have, in every script."""

from __future__ import annotations

import pytest

from dowse.core.errors import Irrelevant
from dowse.core.models import Hit
from dowse.providers.relevance import check_relevance, is_relevant
from tests.support.tables import each_row

UNRELATED = (
    Hit("Your horoscope for today", "https://stars.example/leo", "What the week has in store for Leo and Virgo."),
    Hit("Summer sale: up to 70 % off shoes", "https://shop.example/sale-2025", "Sandals, boots and trainers."),
    Hit("今日の天気", "https://weather.example/ja", "晴れのち曇り。"),
)


def found(title: str = "", snippet: str = "", url: str = "https://site.example/p/1") -> tuple[Hit, ...]:
    return (*UNRELATED, Hit(title, url, snippet))


@each_row(
    ("query", "hits"),
    [
        ("asyncio cancel task", found("How to CANCEL a coroutine")),
        ("harbour bridge", found(snippet="The old bridges of the town")),
        ("Straßenbahn Zürich", found("Die strassenbahn")),
        ("cafe creme", found("Café Crème")),
        ("pyhton tutorial", found("Python for beginners")),
        ("recieve packets", found("How to receive a packet")),
        ("sourdoug bread", found("Sourdough at home")),
        ("studies of limpets", found("A study")),
        ("developers guide", found("Development of apps")),
        ("stack overflow", found("Questions", url="https://stackoverflow.com/q/1")),
        ("stackoverflow", found("Stack Overflow: where developers ask")),
        ("Hafenbrücke", found("Eine neue Brücke für den Hafen")),
        ("Brücke", found("Die Hafenbrücke")),
        ("postgres", found("PostgreSQL 18 released")),
        ("python3 venv", found("Python virtual environments")),
        ("3.15", found("Python 3.15.1 is out")),
        ("release 3.15.1", found("What is new in 3.15")),
        ("2026", found("The year 2026")),
        ("nginx", found("Welcome", url="https://nginx.org/en/docs/")),
        ("lodz", found("Hotele w centrum: Łódź")),
        ("Łódź", found("Lodz at a glance")),
        ("мосты петербурга", found("Разводные мосты")),
        ("梅雨の歩き方", found("梅雨を楽しむ")),
        ("梅", found("梅の花")),
        ("파이썬 튜토리얼", found("파이썬을 배우자")),
        ("การเดินทาง", found("คู่มือการเดินทาง")),
        ('"rock pools" -fish site:elsewhere.example', found("Rock gardens")),
        ("intitle:limpet", found("The limpet")),
        ("std::vector", found("Vectors in C++")),
        ("(site:site.example OR site:b.example) zzyzx", found("Nothing in common")),
        ("site:www.site.example/docs zzyzx", found("Nothing in common")),
    ],
)
def test_one_word_in_common_is_enough(query: str, hits: tuple[Hit, ...]) -> None:
    assert is_relevant(query, hits)
    assert not is_relevant(query, UNRELATED)


@each_row(
    "query",
    [
        "how to use tides in 2026",
        "was ist das watt",
        "-horoscope -sale tides",
        "intitle:limpet site:elsewhere.example",
        "梅雨の歩き方",
        "мосты",
        "hook",
        "eel",
        "rust",
    ],
)
def test_small_words_years_and_excluded_ones_are_not_in_common(query: str) -> None:
    hits = (
        Hit("What is the horoscope for 2026?", "https://stars.example/", "How to use it. The best way to trust in it."),
        Hit("Sale", "https://shop.example/", "Was ist das? Cheap shoes for each of us; feeling lucky at Shook's."),
    )
    assert not is_relevant(query, hits)


@each_row("query", ["", "the of and", "!!! ???", "-word", "a b c"])
def test_a_query_without_words_fits_everything(query: str) -> None:
    assert is_relevant(query, UNRELATED)


def test_no_results_are_not_irrelevant() -> None:
    check_relevance("mojeek", "tides", ())


def test_the_error_names_the_provider_and_whom_it_asked() -> None:
    with pytest.raises(Irrelevant) as caught:
        check_relevance("searxng_pool", "tides of nordhaven", UNRELATED, instances=("https://a.example/",))

    assert (caught.value.provider, caught.value.instances) == ("searxng_pool", ("https://a.example/",))
    assert "tides" not in str(caught.value)


# A query as long as queries may be, and whether any result counts as relevant for it: one without a word has no say.
HOSTILE = {
    "(" * 500: True,
    "site:" * 100: False,
    "- " * 250: True,
    '-"' * 250: True,
    "a" * 500: False,
    "1." * 250: False,
    "梅" * 500: False,
}
LONG_HITS = [Hit("word " * 60, f"https://a.example/{number}", "b" * 1000) for number in range(50)]


@each_row(("query", "expected"), HOSTILE.items())
def test_a_hostile_query_is_judged_by_its_words(query: str, expected: bool) -> None:
    assert is_relevant(query, LONG_HITS) is expected
