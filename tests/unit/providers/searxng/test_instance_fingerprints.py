"""The same results for unrelated queries are noticed; related queries may share theirs, and no query is kept."""

from __future__ import annotations

import pickle

from dowse.providers.searxng.instance import Fingerprint, Fingerprints
from tests.support.tables import each_row

PAGES = [f"https://page{number}.example/" for number in range(10)]
URL = "https://elm.example"


@each_row(
    ("one", "other"),
    [
        ("weather in Paris", "python asyncio timeout"),
        ("how do otters sleep", "SQLite write-ahead log"),
        ("東京の天気", "量子力学入門"),
        ("погода завтра", "рецепт борща"),
    ],
)
def test_the_same_results_for_unrelated_queries_are_a_contradiction(one: str, other: str) -> None:
    assert Fingerprint.of(one, PAGES).contradicts(Fingerprint.of(other, PAGES))
    assert Fingerprint.of(one, PAGES).contradicts(Fingerprint.of(other, reversed(PAGES)))
    assert not Fingerprint.of(one, PAGES).contradicts(Fingerprint.of(other, PAGES[1:]))


@each_row(
    ("one", "other"),
    [
        ("otter", "otters"),
        ("Rust async", "rust: async!"),
        ("colour of otters", "what color is an otter"),
        ("python release notes", "python 3.13 release"),
        ("東京の天気", "東京 天気 明日"),
        ("C", "c"),
    ],
)
def test_related_queries_may_have_the_same_results(one: str, other: str) -> None:
    assert not Fingerprint.of(one, PAGES).contradicts(Fingerprint.of(other, PAGES))


@each_row("pages", [[], PAGES[:1], PAGES[:2], PAGES[:1] * 5])
def test_a_few_results_are_no_sign(pages: list[str]) -> None:
    assert not Fingerprint.of("weather in Paris", pages).contradicts(Fingerprint.of("python asyncio", pages))


def test_three_results_are_enough() -> None:
    assert Fingerprint.of("weather in Paris", PAGES[:3]).contradicts(Fingerprint.of("python asyncio", PAGES[:3]))


def test_a_query_without_words_contradicts_nothing() -> None:
    assert not Fingerprint.of("???", PAGES).contradicts(Fingerprint.of("python asyncio", PAGES))


def test_an_instance_is_compared_with_itself_only() -> None:
    seen = Fingerprints()
    assert not seen.contradict(URL, Fingerprint.of("weather in Paris", PAGES))
    assert not seen.contradict("https://fir.example", Fingerprint.of("python asyncio", PAGES))
    assert seen.contradict(URL, Fingerprint.of("python asyncio", PAGES))


def test_no_word_of_a_query_is_in_memory() -> None:
    kept = pickle.dumps(Fingerprint.of("otterquestion", [*PAGES, "https://otterquestion.example/"]))
    assert b"ott" not in kept


def test_what_is_remembered_is_bounded() -> None:
    seen = Fingerprints()
    seen.contradict(URL, Fingerprint.of("weather in Paris", PAGES))
    for number in range(600):
        seen.contradict(f"https://{number}.example", Fingerprint.of("weather in Paris", PAGES))
    assert not seen.contradict(URL, Fingerprint.of("python asyncio", PAGES))
