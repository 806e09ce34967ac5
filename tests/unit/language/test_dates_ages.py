"""Ages in words, as search engines tell them in ten languages."""

from datetime import timedelta

from dowse.language.dates import find_age
from tests.support.tables import each_row


@each_row(
    ("text", "days"),
    [
        ("3 days ago", 3),
        ("an hour ago", 1 / 24),
        ("About 2 weeks ago", 14),
        ("yesterday", 1),
        ("vor einem Tag", 1),
        ("vor 5 Monaten", 150),
        ("il y a 3 jours", 3),
        ("hace un mes", 30),
        ("3 giorni fa", 3),
        ("há 2 dias", 2),
        ("1 uur geleden", 1 / 24),
        ("3小时前", 3 / 24),
        ("2 日前", 2),
        ("3시간 전", 3 / 24),
    ],
)
def test_an_age_is_read_in_the_language_of_the_provider(text: str, days: float) -> None:
    assert find_age(text) == timedelta(days=days)


@each_row(
    "text", ["", "5 hours", "Oct 2, 2026", "ago", "3 otters ago", "in 3 days", "3 days ago we met", "9999 days ago"]
)
def test_any_other_text_is_no_age(text: str) -> None:
    assert find_age(text) is None
