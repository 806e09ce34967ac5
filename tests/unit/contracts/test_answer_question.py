"""The arguments of `answer_question`, and its earlier name."""

from __future__ import annotations

import pytest

from dowse.contracts.answer_question import to_question
from dowse.contracts.arguments import input_schema, read
from dowse.core.answers import Question
from dowse.core.errors import InvalidRequest
from tests.fakes.bench import ContractBench

ASKED = "how heavy are otters"


def asked(**given: object) -> tuple[Question, tuple[str, ...]]:
    tool = ContractBench("dowse").contract.tool("answer_question")
    assert tool is not None
    arguments = read(tool.params, {"question": ASKED} | given)
    return to_question(arguments), arguments.warnings


def test_a_question_alone_has_the_defaults() -> None:
    assert asked() == (Question(ASKED, 5), ())


def test_arguments_are_snake_case_and_rare_ones_are_not_listed() -> None:
    tool = ContractBench("dowse").contract.tool("answer_question")
    assert tool is not None
    schema = input_schema(tool.params)
    assert schema["required"] == ["question"]
    assert list(schema["properties"]) == ["question", "max_results", "freshness_hours", "language"]  # type: ignore[call-overload]


def test_rare_arguments_are_accepted_all_the_same() -> None:
    question, remarks = asked(region="ae", include_answers=False, timeout_s=9, offline_mode=False)
    assert (question, remarks) == (Question(ASKED, 5, region="AE", wants_summary=False), ())


def test_arguments_of_search_web_mean_the_same() -> None:
    """A client that knows the earlier name sends the earlier arguments."""
    tool = ContractBench("dowse").contract.tool("search_web")
    assert tool is not None
    assert tool.name == "answer_question"
    arguments = read(tool.params, {"query": ASKED, "maxResults": 3, "freshnessHours": 24, "includeAnswers": "false"})
    assert to_question(arguments) == Question(ASKED, 3, 24, wants_summary=False)
    assert arguments.warnings == ()


@pytest.mark.parametrize(
    ("given", "expected", "remark"),
    [
        ({"max_results": 20}, Question(ASKED, 8), "max_results is at most 8; 20 was read as 8"),
        ({"freshness_hours": 9999}, Question(ASKED, 5, 8760), "freshness_hours is at most 8760; 9999 was read as 8760"),
        ({"language": "English"}, Question(ASKED, 5, language="en"), 'language "English" was read as en'),
        ({"question": None, "q": ASKED}, Question(ASKED, 5), "q was read as question"),
    ],
)
def test_a_sloppy_value_is_clamped_with_a_note(given: dict[str, object], expected: Question, remark: str) -> None:
    assert asked(**given) == (expected, (remark,))


def test_a_country_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="ISO 3166, such as US or AE, not XX"):
        asked(region="xx")
