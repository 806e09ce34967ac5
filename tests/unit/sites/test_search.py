"""Answers of several APIs become one list: what has most to do with the query first, and nothing twice."""

from collections.abc import Sequence

from dowse.core.models import Hit, Query
from dowse.sites.search import merge_hits


def _hit(title: str, url: str = "", snippet: str = "") -> Hit:
    return Hit(title, url or f"https://example.org/{title.replace(' ', '-')}", snippet)


def _merge(query: str, answers: Sequence[Sequence[Hit]], most: int) -> list[Hit]:
    return merge_hits(Query(query, num_results=most), answers)


def _titles(query: str, *answers: list[Hit]) -> list[str]:
    return [hit.title for hit in _merge(query, answers, 50)]


def test_more_shared_words_come_first_and_then_the_ranks_take_turns() -> None:
    first = [_hit("sea otter"), _hit("river otter diet"), _hit("otter")]
    second = [_hit("otter pups"), _hit("otters of the river")]
    assert _titles("river otter diet", first, second) == [
        "river otter diet",
        "otters of the river",
        "sea otter",
        "otter pups",
        "otter",
    ]


def test_what_shares_no_word_is_left_out() -> None:
    assert _titles("river otter", [_hit("Tram timetable"), _hit("An otter")], [_hit("Kettle")]) == ["An otter"]


def test_of_two_hits_for_one_page_the_better_one_stays() -> None:
    same = "https://www.example.org/otter?utm_source=x"
    hits = _merge("otter diet", [[_hit("otter", "https://example.org/otter")], [_hit("otter diet", same)]], 50)
    assert [hit.title for hit in hits] == ["otter diet"]


def test_a_number_in_the_address_counts() -> None:
    assert _titles("10.5555/otter.17", [_hit("On whiskers", "https://doi.org/10.5555/otter.17")]) == ["On whiskers"]


def test_words_that_are_not_told_apart_are_compared_by_pairs() -> None:
    hits = [_hit("京都の庭", "https://a.example/1"), _hit("梅雨の散歩", "https://a.example/2")]
    assert _titles("梅雨の歩き方", hits) == ["梅雨の散歩"]


def test_nothing_is_made_of_nothing() -> None:
    assert _merge("otter", [], 5) == []
    assert _merge("otter", [[], []], 5) == []


def test_the_best_come_first_and_the_others_are_spare() -> None:
    hits = [_hit("otter"), _hit("kettle"), _hit("river otter")]
    assert [hit.title for hit in _merge("river otter", [hits], 1)] == ["river otter", "otter"]
