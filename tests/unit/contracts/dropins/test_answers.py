"""The arguments of `search_web` in the contract `answers`."""

import pytest

from dowse.contracts.answer_question import COUNTRIES
from dowse.contracts.arguments import input_schema, read
from dowse.contracts.dropins.answers import PARAMS, to_question
from dowse.core.answers import Question
from dowse.core.errors import InvalidRequest


def asked(**given: object) -> Question:
    return to_question(read(PARAMS, {"query": "how heavy are otters", **given}))


def test_what_is_left_out_has_the_defaults_of_the_contract() -> None:
    assert asked() == Question("how heavy are otters", 5, 0, "", wants_summary=True)


def test_arguments_mean_the_same_under_every_usual_name_and_in_every_usual_type() -> None:
    expected = Question("how heavy are otters", 3, 24, "AE", wants_summary=False)
    assert asked(maxResults=3, freshnessHours=24, region="AE", includeAnswers=False) == expected
    assert asked(max_results="3", freshness_hours="24", country="ae", include_answers="false") == expected
    assert asked(limit=3.0, freshnessHours=24.0, region=" ae ", include_answer=0) == expected


def test_only_the_arguments_of_the_contract_are_listed() -> None:
    schema = input_schema(PARAMS)
    assert schema["required"] == ["query"]
    properties = schema["properties"]
    assert isinstance(properties, dict)
    bounds = {name: {key: entry[key] for key in entry if key != "description"} for name, entry in properties.items()}
    assert bounds == {
        "query": {"type": "string", "minLength": 3, "maxLength": 400},
        "maxResults": {"type": "integer", "minimum": 1, "maximum": 8, "default": 5},
        "freshnessHours": {"type": "integer", "minimum": 1, "maximum": 168},
        "region": {"type": "string", "pattern": "^[A-Za-z]{2}$"},
        "includeAnswers": {"type": "boolean", "default": True},
    }


def test_every_country_is_known_and_nothing_else_is() -> None:
    """ISO 3166-1 has 249 countries; UK and EU are reserved, and none of them."""
    assert len(COUNTRIES) == 249
    assert all(asked(region=code.lower()).region == code for code in COUNTRIES)
    for code in ("UK", "EU", "XX", "ZZ"):
        with pytest.raises(InvalidRequest, match=f"ISO 3166, such as US or AE, not {code}"):
            asked(region=code)


def test_no_country_is_any_country() -> None:
    assert asked(region="").region == ""


@pytest.mark.parametrize("length", [3, 400])
def test_the_length_of_a_question_is_that_of_what_can_be_seen_of_it(length: int) -> None:
    assert len(asked(query=f"  \u200b{'🦦' * length}\n").text) == length


@pytest.mark.parametrize("length", [2, 401])
def test_a_question_that_is_shorter_or_longer_is_refused(length: int) -> None:
    with pytest.raises(InvalidRequest, match=f"; it has {length}"):
        asked(query=f" \u200b{'🦦' * length} ")
