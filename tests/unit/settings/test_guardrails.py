"""Rules as they are written in the settings, and words as rules compare them."""

from __future__ import annotations

import json
import typing

import pytest

from dowse.settings.guardrails import GuardrailRules, Rule, parts_of, read_rules, words_of
from dowse.settings.types import Takes
from tests.support.tables import each_row

TICKETS = {
    "phrases": ["open tickets"],
    "patterns": ["jira & ticket|sprint"],
    "unless": ["api"],
    "message": "Use the jira MCP server.",
}
READ = Rule("tickets", "Use the jira MCP server.", ("open tickets",), ("jira & ticket|sprint",), ("api",))


def without(*keys: str) -> dict[str, object]:
    return {key: value for key, value in TICKETS.items() if key not in keys}


@each_row(
    ("text", "words"),
    [
        ("Über  die QUOTEN!", ["uber", "die", "quoten"]),
        ("today's RSS-feed_title", ["today", "rss", "feed", "title"]),
        ("l’élection de 2027", ["l", "election", "de", "2027"]),
        ("ＲＳＳの最新", ["rss", "の", "最", "新"]),
        ("배당률은", ["배", "당", "률", "은"]),
        ("RSS क्या है", ["rss", "क्या", "है"]),
        ("?!", []),
    ],
)
def test_words_are_compared_without_case_accents_and_marks(text: str, words: list[str]) -> None:
    assert words_of(text) == [word for each in words for word in words_of(each)]
    assert len(words_of(text)) == len(words)


def test_accents_and_capitals_make_no_other_word() -> None:
    assert words_of("Éléction STRASSE") == words_of("election straße") == ["election", "strasse"]


def test_a_pattern_has_parts_and_each_part_its_phrases() -> None:
    parts = parts_of("jira & open ticket|sprint")

    assert [[words_of(phrase) for phrase in part] for part in parts] == [[["jira"]], [["open", "ticket"], ["sprint"]]]


def test_an_ampersand_inside_a_name_divides_nothing() -> None:
    assert len(parts_of("r&d|at&t")) == 1


def test_rules_are_read_from_json() -> None:
    assert read_rules(json.dumps({"tickets": TICKETS})) == (READ,)


def test_rules_are_read_from_a_table_of_the_settings_file() -> None:
    assert read_rules({"tickets": TICKETS}) == (READ,)


def test_rules_that_were_read_stay_as_they_are() -> None:
    assert read_rules((READ,)) == (READ,)


def test_no_rules_are_rules_too() -> None:
    assert read_rules("{}") == ()


@each_row("missing", ["phrases", "patterns", "unless"])
def test_a_rule_needs_only_phrases_or_patterns_and_a_message(missing: str) -> None:
    (rule,) = read_rules({"tickets": without(missing)})

    assert getattr(rule, missing) == ()


def test_a_message_becomes_one_line() -> None:
    (rule,) = read_rules({"tickets": TICKETS | {"message": "Use\nthe\u202e jira server. "}})

    assert rule.message == "Use the jira server."


@each_row(
    "given",
    [
        "not json",
        "[]",
        '"tickets"',
        {"tickets": "open tickets"},
        {"tickets": TICKETS | {"phrase": ["a typing mistake"]}},
        {"tickets": without("message")},
        {"tickets": TICKETS | {"message": "  "}},
        {"tickets": TICKETS | {"message": "long " * 101}},
        {"tickets": TICKETS | {"message": 1}},
        {"tickets": without("phrases", "patterns")},
        {"tickets": TICKETS | {"phrases": "open tickets"}},
        {"tickets": TICKETS | {"phrases": [7]}},
        {"tickets": TICKETS | {"phrases": ["?!"]}},
        {"tickets": TICKETS | {"phrases": ["word " * 41]}},
        {"tickets": TICKETS | {"phrases": ["word"] * 501}},
        {"tickets": TICKETS | {"unless": [""]}},
        {"tickets": TICKETS | {"unless": ["..."]}},
        {"tickets": TICKETS | {"patterns": ["jira & "]}},
        {"tickets": TICKETS | {"patterns": ["jira & ticket||sprint"]}},
        {"": TICKETS},
        {"n" * 65: TICKETS},
        {f"rule {number}": TICKETS for number in range(51)},
    ],
)
def test_what_is_no_rule_is_refused(given: object) -> None:
    with pytest.raises(ValueError):
        read_rules(given)


@each_row("pattern", [r"\bjira\b", "jira.*ticket", "(jira|ticket)", "jira [0-9]", "tickets?", "^jira", "x{3}"])
def test_a_regular_expression_is_refused_instead_of_never_matching(pattern: str) -> None:
    with pytest.raises(ValueError):
        read_rules({"tickets": TICKETS | {"patterns": [pattern]}})


def test_the_example_in_the_error_message_is_a_rule() -> None:
    takes = next(item.what for item in typing.get_args(GuardrailRules) if isinstance(item, Takes))

    assert read_rules(takes.partition("such as ")[2]) == (READ,)
