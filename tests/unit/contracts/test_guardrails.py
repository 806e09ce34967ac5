"""Which questions a rule refuses, and what whoever asked is told."""

from __future__ import annotations

import pytest

from dowse.contracts.guardrails import RULES, Guardrails
from dowse.core.errors import InvalidRequest
from dowse.settings.guardrails import Rule
from tests.support.tables import each_row

SHIPPED = Guardrails(RULES)


def refusal(text: str, *rules: Rule) -> str:
    """What the caller is told; nothing where the question may be asked."""
    guardrails = Guardrails(rules) if rules else SHIPPED
    try:
        guardrails.check(text)
    except InvalidRequest as error:
        return str(error)
    return ""


def rule(
    *phrases: str, patterns: tuple[str, ...] = (), unless: tuple[str, ...] = (), message: str = "Use jira."
) -> Rule:
    return Rule("tickets", message, phrases, patterns, unless)


def test_a_refusal_is_the_message_of_the_rule() -> None:
    assert refusal("my open tickets", rule("open tickets")) == "Use jira."


def test_the_first_rule_that_applies_speaks() -> None:
    rules = rule("ticket", unless=("train",)), rule("ticket", message="Use the timetable.")

    assert refusal("train ticket", *rules) == "Use the timetable."
    assert refusal("ticket", *rules) == "Use jira."


def test_without_rules_everything_may_be_asked() -> None:
    Guardrails(()).check("polymarket odds")


@each_row("text", ["Open-Ticket", "all OPEN   ticket’s", "ópen tíckets", "«open ticket»", "ｏｐｅｎ ticket"])
def test_case_accents_marks_and_plural_make_no_difference(text: str) -> None:
    assert refusal(text, rule("open ticket"))


@each_row("text", ["reopen tickets", "open ticketing", "open the ticket", "ticket open", "open", ""])
def test_a_phrase_is_whole_words_that_follow_each_other(text: str) -> None:
    assert not refusal(text, rule("open ticket"))


@each_row(
    ("singular", "plural"),
    [("entry", "entries"), ("box", "boxes"), ("match", "matches"), ("price", "prices"), ("house", "houses")],
)
def test_a_word_stands_for_its_plural_too(singular: str, plural: str) -> None:
    assert refusal(f"two {plural}", rule(singular))


@each_row(("phrase", "text"), [("odds", "an odd number"), ("news", "new shoes"), ("as", "a"), ("gas", "ga")])
def test_a_plural_does_not_stand_for_another_word(phrase: str, text: str) -> None:
    assert not refusal(text, rule(phrase))


def test_a_phrase_is_found_where_words_have_no_blanks_between_them() -> None:
    assert refusal("今天的赔率是多少", rule("赔率"))
    assert not refusal("今天的利率是多少", rule("赔率"))


@pytest.mark.parametrize("text", ["tickets in jira", "the jira board of this sprint"])
def test_the_parts_of_a_pattern_may_stand_anywhere(text: str) -> None:
    assert refusal(text, rule(patterns=("jira & ticket|sprint",)))


@pytest.mark.parametrize("text", ["jira", "tickets and a sprint"])
def test_no_part_of_a_pattern_may_be_missing(text: str) -> None:
    assert not refusal(text, rule(patterns=("jira & ticket|sprint",)))


def test_a_question_with_an_exception_may_be_asked() -> None:
    one = rule("open ticket", unless=("rest api",))

    assert not refusal("open tickets with the REST APIs", one)
    assert refusal("open tickets with the rest", one)


def test_a_question_for_polymarket_data_names_its_server() -> None:
    assert refusal("polymarket odds on the election").startswith("Use the polymarket MCP server")


def test_a_question_for_what_is_in_a_feed_names_its_server() -> None:
    assert refusal("latest entries of the RSS feed of heise").startswith("Use the google-news-rss MCP server")


@each_row(
    "text",
    [
        "Polymarket odds of a TikTok ban",
        "Polymarket odds SpaceX IPO",
        "polymarket chance of a new tax law",
        "google news rss feed about Facebook",
        "last five items of the Python Insider RSS feed",
        "newest entries in the Chrome releases RSS feed",
        "what are the latest entries in the kernel.org RSS feed",
    ],
)
def test_what_a_question_is_about_does_not_excuse_it(text: str) -> None:
    assert refusal(text)


@each_row(
    "text",
    [
        "how accurate are Polymarket odds",
        "Polymarket trader who made millions, identity",
        "difference between odds and probability on Polymarket",
        "RSS item pubDate timezone",
        "show the live feed from the ISS",
        "news feeds and political polarization",
        "Google News sitemap tags",
    ],
)
def test_questions_about_the_thing_itself_may_be_asked(text: str) -> None:
    assert not refusal(text)
