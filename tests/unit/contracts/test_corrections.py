"""Sloppy values and the ones that are meant."""

import pytest

from dowse.contracts.corrections import (
    correct_category,
    correct_date,
    correct_language,
    correct_period,
    correct_safety,
)


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("en", "en"),
        ("EN", "en"),
        ("english", "en"),
        ("English", "en"),
        ("eng", "en"),
        ("en_us", "en-US"),
        ("PT-br", "pt-BR"),
        ("zh-Hant", "zh-TW"),
        ("zh-Hans-SG", "zh-SG"),
        ("Français", "fr"),
        ("中文", "zh"),
        ("auto", ""),
        ("klingon", "klingon"),
        ("", ""),
    ],
)
def test_a_language_by_its_name_its_code_or_in_another_spelling(sent: str, meant: str) -> None:
    assert correct_language(sent) == meant


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("2026-01-05", "2026-01-05"),
        ("2026-1-5", "2026-01-05"),
        ("2026/1/05", "2026-01-05"),
        ("2026-01-05T10:00:00Z", "2026-01-05"),
        ("05.01.2026", "05.01.2026"),
        ("tomorrow", "tomorrow"),
    ],
)
def test_a_date_that_begins_with_its_year(sent: str, meant: str) -> None:
    assert correct_date(sent) == meant


@pytest.mark.parametrize(
    ("sent", "meant"),
    [("week", "week"), ("past_week", "week"), ("Last Month", "month"), ("24h", "day"), ("any", ""), ("aeon", "aeon")],
)
def test_a_period_as_other_tools_write_it(sent: str, meant: str) -> None:
    assert correct_period(sent) == meant


def test_categories_and_levels_of_safe_search_by_their_usual_names() -> None:
    assert [correct_category(name) for name in ("News", "web", "image", "cats")] == [
        "news",
        "general",
        "images",
        "cats",
    ]
    assert [correct_safety(name) for name in ("off", "Moderate", "strict", "2")] == ["0", "1", "2", "2"]
