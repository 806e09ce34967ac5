"""The rules that ship with `search_web` refuse what they are for, and nothing of what people ask otherwise.

More than half of the ordinary questions hold a word that a rule is about, or something that only looks like it:
"feedback", "better", "RSS memory".
"""

from __future__ import annotations

import re
from pathlib import Path

from dowse.contracts.guardrails import RULES, Guardrails
from dowse.core.errors import InvalidRequest

FOLDER = Path(__file__).with_name("guardrails")
ORDINARY = (FOLDER / "ordinary.txt").read_text(encoding="utf-8").splitlines()
MATCHING = (FOLDER / "matching.txt").read_text(encoding="utf-8").splitlines()
# First those for Polymarket, then those for feeds.
TOOLS = ["polymarket"] * 30 + ["google-news-rss"] * 30
# A guard that looks for these anywhere in the text would refuse most of what is ordinary.
RISKY = re.compile(
    "market|prediction|event|liquidity|volume|position|bet|odds|rss|feed|google news|subscribe", re.IGNORECASE
)
GUARDRAILS = Guardrails(RULES)


def refusal(question: str) -> str:
    """What the caller is told; nothing where the question may be asked."""
    try:
        GUARDRAILS.check(question)
    except InvalidRequest as error:
        return str(error)
    return ""


def test_there_are_as_many_questions_as_promised() -> None:
    assert len({*ORDINARY}) == len(ORDINARY) == 200
    assert len({*MATCHING}) == len(MATCHING) == len(TOOLS) == 60
    assert all(3 <= len(question) <= 400 for question in (*ORDINARY, *MATCHING))


def test_most_ordinary_questions_hold_a_risky_word() -> None:
    assert sum(map(bool, map(RISKY.search, ORDINARY))) >= 120


def test_every_ordinary_question_may_be_asked() -> None:
    assert [question for question in ORDINARY if refusal(question)] == []


def test_every_matching_question_is_refused_with_the_tool_to_use() -> None:
    wanted = zip(MATCHING, TOOLS, strict=True)

    assert [
        question for question, tool in wanted if not refusal(question).startswith(f"Use the {tool} MCP server ")
    ] == []
